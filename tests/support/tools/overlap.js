/*
 * Lays out `plots`, percent-encoded SVG documents, and leaves as the text of the page a
 * line for each two texts that overlap, and for each text that leaves its plot. The boxes
 * are those of the browser's own layout, so the estimates of widths are tested too.
 */

const found = [];

function measure(number, source) {
  const svg = layOut(source);
  const whole = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')];
  const boxes = texts.map(text => text.getBoundingClientRect());
  const say = (i, what) =>
    found.push('problem ' + number + ' ' + JSON.stringify(texts[i].textContent) + what);
  boxes.forEach((b, i) => {
    if (b.left < whole.left || b.right > whole.right || b.top < whole.top ||
        b.bottom > whole.bottom)
      say(i, ' leaves the plot');
    for (let k = 0; k < i; k++) {
      const c = boxes[k];
      const wide = Math.min(b.right, c.right) - Math.max(b.left, c.left);
      // The box of a text has room above and below its letters.
      const high = Math.min(b.bottom, c.bottom) - Math.max(b.top, c.top);
      if (wide > 0.5 && high > 4)
        say(i, ' overlaps ' + JSON.stringify(texts[k].textContent));
    }
  });
  svg.remove();
  return texts.length;
}

let count = 0;
try {
  plots.forEach((plot, i) => { count += measure(i, decodeURIComponent(plot)); });
} catch (error) { found.push('problem ' + error); }
document.body.textContent =
  '\n' + found.join('\n') + '\n' + plots.length + ' plots\n' + (count > 2000) + '\nend\n';
