// The reader's image, decoded in the page: a file needs no server, and leaves the machine in no case.

const MOST = 8 << 20; // bytes of a file

// ownImage returns an image of the page from a file: its middle square, in rows × columns pixels of three bytes.
export async function ownImage(file, [rows, cols]) {
  if (file.size > MOST) throw new Error('want at most 8 MB');
  let picture;
  try {
    picture = await createImageBitmap(file);
  } catch {
    throw new Error('this browser cannot read it as an image');
  }
  const bytes = middle(picture, [rows, cols]);
  picture.close();
  return { label: file.name, index: -1, key: 'own', own: true, bytes };
}

// scaled returns pixels of three bytes in another size.
export function scaled(bytes, from, to) {
  if (`${from}` === `${to}`) return bytes;
  const [rows, cols] = from,
    canvas = new OffscreenCanvas(cols, rows),
    data = new ImageData(cols, rows);
  for (let i = 0; i < rows * cols; i++) data.data.set([...bytes.subarray(3 * i, 3 * i + 3), 255], 4 * i);
  canvas.getContext('2d').putImageData(data, 0, 0);
  return middle(canvas, to);
}

// middle returns the middle of a picture, in rows × columns pixels of three bytes.
function middle(picture, [rows, cols]) {
  const side = Math.min(picture.width / cols, picture.height / rows),
    [w, h] = [side * cols, side * rows],
    canvas = new OffscreenCanvas(cols, rows),
    g = canvas.getContext('2d', { willReadFrequently: true });
  g.imageSmoothingQuality = 'high';
  g.fillStyle = '#fff'; // behind what is transparent
  g.fillRect(0, 0, cols, rows);
  g.drawImage(picture, (picture.width - w) / 2, (picture.height - h) / 2, w, h, 0, 0, cols, rows);
  const seen = g.getImageData(0, 0, cols, rows).data,
    bytes = new Uint8Array(3 * rows * cols);
  for (let i = 0; i < rows * cols; i++) for (let c = 0; c < 3; c++) bytes[3 * i + c] = seen[4 * i + c];
  return bytes;
}
