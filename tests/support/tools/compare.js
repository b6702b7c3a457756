/*
 * Compares what the browser and another program draw for the same plot. `plots` is a list of
 * pairs: an SVG document, and the PNG image that the other program made of it at twice the size.
 * Writes a line of measurements for each pair as the text of the page.
 *
 * Lines and areas differ only where their edges are smoothed, so they are compared in blocks of
 * 8 x 8 units: the difference of two blocks is that of their average colours, from 0 to 255.
 * Twice the size halves the part of the edges. Fonts are hinted differently, and the letters of a
 * long text are shifted a little. So blocks with text do not count. Instead, the ink of each text
 * is compared, which is how much darker than white the pixels of its box are: the amount, and the
 * position of the centre.
 */

const SCALE = 2; // pixels in a unit of the document
const BLOCK = 8 * SCALE; // pixels
const PALE = 4; // even a pale thin line changes a block by more than this
const MARGIN = 3; // units around the box of a text

// Returns the boxes around the texts of an SVG document: [left, top, right, bottom].
function findTexts(source, width, height) {
  const svg = layOut(source), root = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll('text')].map(text => {
    const box = text.getBoundingClientRect();
    return [Math.max(0, Math.floor(SCALE * (box.left - root.left - MARGIN))),
      Math.max(0, Math.floor(SCALE * (box.top - root.top - MARGIN))),
      Math.min(width, Math.ceil(SCALE * (box.right - root.left + MARGIN))),
      Math.min(height, Math.ceil(SCALE * (box.bottom - root.top + MARGIN)))];
  });
  svg.remove();
  return boxes;
}

// Returns the largest difference of the average colours of the block at x, y.
function compareBlock(mine, other, x, y) {
  const sums = [0, 0, 0];
  for (let j = y; j < y + BLOCK; j++)
    for (let i = x; i < x + BLOCK; i++)
      for (let colour = 0; colour < 3; colour++) {
        const at = 4 * (j * mine.width + i) + colour;
        sums[colour] += mine.pixels[at] - other.pixels[at];
      }
  return Math.max(...sums.map(Math.abs)) / BLOCK ** 2;
}

// Compares the blocks without text. Returns the largest difference, and how many blocks differ
// by more than PALE.
function compareBlocks(mine, other, texts) {
  let largest = 0, differing = 0;
  for (let y = 0; y + BLOCK <= mine.height; y += BLOCK)
    for (let x = 0; x + BLOCK <= mine.width; x += BLOCK) {
      if (texts.some(text => x < text[2] && x + BLOCK > text[0] && y < text[3] &&
          y + BLOCK > text[1]))
        continue;
      const difference = compareBlock(mine, other, x, y);
      largest = Math.max(largest, difference);
      differing += difference > PALE;
    }
  return [largest, differing];
}

// Returns the amount of ink in a box, and the position of its centre.
function findInk(drawn, box) {
  let amount = 0, x = 0, y = 0;
  for (let j = box[1]; j < box[3]; j++)
    for (let i = box[0]; i < box[2]; i++) {
      const at = 4 * (j * drawn.width + i);
      const ink = 3 * 255 - drawn.pixels[at] - drawn.pixels[at + 1] - drawn.pixels[at + 2];
      amount += ink; x += ink * i; y += ink * j;
    }
  return {amount, x: x / (amount || 1), y: y / (amount || 1)};
}

// Compares the ink of all texts. Returns the largest difference of amounts as a share of the
// larger amount, and the largest distance of centres, in pixels.
function compareTexts(mine, other, texts) {
  let share = 0, distance = 0;
  for (const text of texts) {
    const a = findInk(mine, text), b = findInk(other, text);
    const larger = Math.max(a.amount, b.amount, 1);
    share = Math.max(share, Math.abs(a.amount - b.amount) / larger);
    distance = Math.max(distance, Math.hypot(a.x - b.x, a.y - b.y) / SCALE);
  }
  return [share, distance];
}

async function compare(svg, png) {
  const mine = await draw('data:image/svg+xml,' + svg, SCALE);
  const other = await draw('data:image/png,' + png);
  if (mine.width != other.width || mine.height != other.height)
    throw mine.width + ' x ' + mine.height + ' and ' + other.width + ' x ' + other.height;
  const texts = findTexts(decodeURIComponent(svg), mine.width, mine.height);
  return [texts.length, ...compareBlocks(mine, other, texts),
    ...compareTexts(mine, other, texts)];
}

(async () => {
  const lines = [];
  try {
    for (let i = 0; i < plots.length; i += 2) {
      const found = await compare(plots[i], plots[i + 1]);
      lines.push('pair ' + i / 2 + ' ' + found.map(n => +n.toFixed(3)).join(' '));
    }
  } catch (error) { lines.push('problem ' + error); }
  document.body.textContent = '\n' + lines.join('\n') + '\nend\n';
})();
