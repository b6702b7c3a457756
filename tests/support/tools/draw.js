/* Functions of the pages that test plots in a browser. They come before the page's script. */

// Draws the image at `url`, `scale` times as large. Returns its size and its pixels, four numbers
// for each: red, green, blue and opacity.
async function draw(url, scale = 1) {
  const image = new Image();
  // Not image.decode(), because virtual time does not wait for it.
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject('an image cannot be read');
    image.src = url;
  });
  const canvas = document.createElement('canvas');
  canvas.width = scale * image.width; canvas.height = scale * image.height;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
  return {width: canvas.width, height: canvas.height, pixels};
}

// Lays out an SVG document as a part of the page. Returns its root element.
function layOut(source) {
  const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
  return document.body.appendChild(document.adoptNode(parsed.documentElement));
}
