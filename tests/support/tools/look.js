/*
 * Draws the plots in `plots`, which are percent-encoded SVG documents, in a browser. Writes a
 * line of measurements for each plot and a line for each problem as the text of the page. Each
 * plot is drawn for the screen and for paper. For paper the words "print" and "screen" in the
 * media queries of its style are exchanged. The contrast of two colours is computed as in
 * WCAG 2.1, https://www.w3.org/TR/WCAG21/#contrast-minimum.
 */

const lines = [];
const linear = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const light = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
const contrast = (a, b) =>
  (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);

// Draws a plot and returns its size, how often each colour occurs, the number of transparent
// pixels, the background colour (that of the first pixel), and how many thousandths of the
// pixels differ from it.
async function paint(source) {
  const {width, height, pixels} =
    await draw('data:image/svg+xml,' + encodeURIComponent(source));
  const counts = new Map(); let clear = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    const colour = pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2];
    counts.set(colour, (counts.get(colour) || 0) + 1);
    clear += pixels[i + 3] < 255;
  }
  const ground = [pixels[0], pixels[1], pixels[2]];
  const bare = counts.get(ground[0] << 16 | ground[1] << 8 | ground[2]);
  return {width, height, counts, clear, ground,
          drawn: Math.round(1000 * (1 - 4 * bare / pixels.length))};
}

// Returns the box [left, top, right, bottom] around a text.
function box(text) {
  const size = parseFloat(getComputedStyle(text).fontSize);
  const width = text.getComputedTextLength();
  const anchor = getComputedStyle(text).textAnchor;
  const x = text.x.baseVal[0].value, y = text.y.baseVal[0].value;
  let left = 0;
  if (anchor == 'middle')
    left = -width / 2;
  else if (anchor == 'end')
    left = -width;
  return text.hasAttribute('transform')
    ? [x - 0.8 * size, y - left - width, x + 0.2 * size, y - left]
    : [x + left, y - 0.8 * size, x + left + width, y + 0.2 * size];
}

const areDisjoint = (a, b) => Math.min(a[2], b[2]) - Math.max(a[0], b[0]) < 0.5 ||
  Math.min(a[3], b[3]) - Math.max(a[1], b[1]) < 0.5;

// Reports texts that leave the plot, overlap or have too little contrast.
function findText(svg, seen, problem) {
  const texts = [...svg.querySelectorAll('text')], boxes = texts.map(box);
  texts.forEach((text, i) => {
    const b = boxes[i], said = JSON.stringify(text.textContent);
    if (b[0] < 0 || b[1] < 0 || b[2] > seen.width || b[3] > seen.height)
      problem(said + ' leaves the plot');
    for (let k = 0; k < i; k++)
      if (!areDisjoint(b, boxes[k]))
        problem(JSON.stringify(texts[k].textContent) + ' and ' + said + ' overlap');
    const ink = rgb(getComputedStyle(text).fill);
    if (contrast(ink, seen.ground) < 4.5)
      problem(said + ' is faint: ' + ink + ' on ' + seen.ground);
  });
}

// Returns true if a pixel of the drawn plot has nearly the colour `ink`. The pixels of thin
// lines are mixed with the background and never reach their full colour, so a pixel counts that
// is at least half of the way from the background colour to the ink.
function isSeen(ink, seen) {
  for (const colour of seen.counts.keys()) {
    const pixel = [colour >> 16, colour >> 8 & 255, colour & 255];
    const isNear = (v, i) =>
      Math.abs(v - pixel[i]) <= Math.abs(v - seen.ground[i]) / 2 + 2;
    if (ink.every(isNear))
      return true;
  }
  return false;
}

// Reports colours of targets (classes t1, t2 and so on) that are not visible.
function findColours(svg, seen, problem) {
  const told = new Set();
  for (const element of svg.querySelectorAll('[class]')) {
    const series = (element.getAttribute('class').match(/\bt\d+\b/) || [])[0];
    const style = getComputedStyle(element);
    const ink = rgb(style.stroke != 'none' ? style.stroke : style.fill);
    if (!series || ink.length < 3 || told.has(series + ink)) continue;
    told.add(series + ink);
    if (!isSeen(ink, seen))
      problem('colour ' + ink + ' of ' + series + ' is not seen');
    if (contrast(ink, seen.ground) < 2)
      problem('colour ' + ink + ' of ' + series + ' is faint');
  }
}

// Draws and checks a plot.
async function look(number, page, source) {
  const seen = await paint(source);
  const problem = text => lines.push('problem ' + number + ' ' + page + ': ' + text);
  const svg = layOut(source);
  findText(svg, seen, problem);
  findColours(svg, seen, problem);
  svg.remove();
  lines.push(['plot', number, page, seen.width, seen.height, seen.counts.size,
    seen.drawn, seen.clear, Math.round(1000 * light(seen.ground))].join(' '));
}

const swapped = source => source.replace(/@media[^{]*/g, rule => rule.replace(
  /print|screen/g, word => word == 'print' ? 'screen' : 'print'));

(async () => {
  try {
    for (let i = 0; i < plots.length; i++) {
      const source = decodeURIComponent(plots[i]);
      await look(i, 'screen', source);
      await look(i, 'paper', swapped(source));
    }
  } catch (error) { lines.push('problem ' + error); }
  document.body.textContent = '\n' + lines.join('\n') + '\nend\n';
})();
