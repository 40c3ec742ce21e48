// Golden images: what the page looks like, at reduced size, and how much another picture differs from it.
import fs from 'node:fs';
import path from 'node:path';

const BLOCK = 6, // pixels of a golden image along each side of what is compared as one
  APART = 0.02, // by which a block's color may differ in OKLab; a difference of 0.02 is just seen
  // of all blocks that may differ by more: letters of another shape, as where another version of the browser or another
  // set of fonts for signs such as × and α draws them; up to 1.4 % have been seen
  MOST = 0.02;

// reduce draws a picture (PNG) at a scale, and returns it as WebP with its size.
const reduce = (p, png, scale) =>
  p.evaluate(
    async ([png, scale]) => {
      const im = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const c = new OffscreenCanvas(Math.round(im.width * scale), Math.round(im.height * scale)),
        g = c.getContext('2d');
      g.imageSmoothingQuality = 'high';
      g.drawImage(im, 0, 0, c.width, c.height);
      const blob = await c.convertToBlob({ type: 'image/webp', quality: 0.8 });
      return new Promise(ok => {
        const r = new FileReader();
        r.onload = () => ok(r.result.split(',')[1]);
        r.readAsDataURL(blob);
      });
    },
    [png.toString('base64'), scale],
  );

// difference returns which part of the blocks of two WebP images differs visibly, and where the first one is. Blocks are
// means, so that the smoothing of letters does not count.
const difference = (p, a, b) =>
  p.evaluate(
    async ([a, b, BLOCK, APART]) => {
      const read = async text => {
        const im = await createImageBitmap(await (await fetch(`data:image/webp;base64,${text}`)).blob()),
          c = new OffscreenCanvas(im.width, im.height),
          g = c.getContext('2d', { willReadFrequently: true });
        g.drawImage(im, 0, 0);
        return { w: im.width, h: im.height, d: g.getImageData(0, 0, im.width, im.height).data };
      };
      const [x, y] = [await read(a), await read(b)];
      if (x.w !== y.w || Math.abs(x.h - y.h) > 2) return { part: 1, where: `${x.w} × ${x.h} became ${y.w} × ${y.h}` };
      const lab = (im, r, c) => {
        const s = [0, 0, 0];
        for (let i = 0; i < BLOCK; i++)
          for (let j = 0; j < BLOCK; j++)
            for (let k = 0; k < 3; k++) {
              const v = im.d[4 * ((r * BLOCK + i) * im.w + c * BLOCK + j) + k] / 255;
              s[k] += (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4) / BLOCK ** 2;
            }
        const [R, G, B] = s,
          l = Math.cbrt(0.4122 * R + 0.5363 * G + 0.0514 * B),
          m = Math.cbrt(0.2119 * R + 0.6807 * G + 0.1074 * B),
          n = Math.cbrt(0.0883 * R + 0.2817 * G + 0.63 * B);
        return [0.2105 * l + 0.7936 * m - 0.0041 * n, 1.978 * l - 2.4286 * m + 0.4506 * n, 0.0259 * l + 0.7828 * m - 0.8087 * n];
      };
      let apart = 0,
        all = 0,
        where = '';
      for (let r = 0; (r + 1) * BLOCK <= Math.min(x.h, y.h); r++)
        for (let c = 0; (c + 1) * BLOCK <= x.w; c++) {
          const [p, q] = [lab(x, r, c), lab(y, r, c)];
          all++;
          if (Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) <= APART) continue;
          apart++;
          where ||= `first at ${c * BLOCK}, ${r * BLOCK} of ${x.w} × ${x.h}`;
        }
      return { part: apart / all, where };
    },
    [a, b, BLOCK, APART],
  );

// compare compares a picture with the golden image in a file, or writes it if GOLDEN=write. It returns what is wrong.
export async function compare(p, file, png, scale) {
  const name = path.basename(file, '.webp'),
    now = await reduce(p, png, scale);
  if (process.env.GOLDEN === 'write') {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, Buffer.from(now, 'base64'));
    return '';
  }
  if (!fs.existsSync(file)) return `${name}: no golden image: GOLDEN=write .ci/browser/run golden`;
  const { part, where } = await difference(p, fs.readFileSync(file).toString('base64'), now);
  if (part <= MOST) return '';
  const kept = path.join(process.env.BROWSER_SHOTS ?? process.env.SCRATCH, `${name}-differs.webp`);
  fs.writeFileSync(kept, Buffer.from(now, 'base64'));
  return `${name}: ${(100 * part).toFixed(2)} % differs visibly, ${where}; the picture: ${kept}`;
}
