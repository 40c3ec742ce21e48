// A pen takes the calls of a canvas’s context, and writes them as SVG. It knows what the views of the page call.

const measure = document.createElement('canvas').getContext('2d');
let clips = 0; // ids are unique in the document

export const escaped = s =>
  String(s).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '');
const n = v => +v.toFixed(2);

// paint returns the attributes of a color, which programs other than browsers know.
export function paint(name, color) {
  const [r, g, b, a = 1] = (color.match(/[\d.]+(?:e[+-]?\d+)?/g) ?? []).map(Number);
  if (color[0] === '#' || r === undefined) return `${name}="${escaped(color)}"`;
  return `${name}="rgb(${r},${g},${b})"` + (a < 1 ? ` ${name}-opacity="${n(a)}"` : '');
}

// letters returns the attributes of a font, as contexts and style sheets write it: 600 12px Inter, sans-serif
export function letters(font) {
  const [, style, weight, size, family] = font.match(/^(italic )?(?:(\d+|bold) )?([\d.]+)px(?:\/\S+)? (.*)$/) ?? [];
  return (
    `font-size="${size ?? 12}" font-family="${escaped(family ?? 'sans-serif')}"` +
    (weight ? ` font-weight="${weight}"` : '') +
    (style ? ' font-style="italic"' : '')
  );
}

export class Pen {
  out = [];
  d = '';
  at = null;
  open = [0]; // groups that are open, by save()
  dash = [];
  fillStyle = '#000';
  strokeStyle = '#000';
  lineWidth = 1;
  font = '10px sans-serif';
  textAlign = 'start';
  textBaseline = 'alphabetic';

  svg() {
    return this.out.join('') + '</g>'.repeat(this.open.reduce((a, b) => a + b, 0));
  }
  clearRect() {}
  setTransform() {}
  setLineDash(dash) {
    this.dash = dash;
  }
  measureText(text) {
    measure.font = this.font;
    return measure.measureText(text);
  }
  save() {
    this.open.push(0);
  }
  restore() {
    this.out.push('</g>'.repeat(this.open.pop()));
  }
  group(attributes) {
    this.out.push(`<g ${attributes}>`);
    this.open[this.open.length - 1]++;
  }
  translate(x, y) {
    this.group(`transform="translate(${n(x)} ${n(y)})"`);
  }
  rotate(a) {
    this.group(`transform="rotate(${n((a * 180) / Math.PI)})"`);
  }
  clip() {
    this.out.push(`<clipPath id="clip${++clips}"><path d="${this.d}"/></clipPath>`);
    this.group(`clip-path="url(#clip${clips})"`);
  }
  beginPath() {
    this.d = '';
    this.at = null;
  }
  moveTo(x, y) {
    this.d += `M${n(x)} ${n(y)}`;
    this.at = true;
  }
  lineTo(x, y) {
    if (this.at) this.d += `L${n(x)} ${n(y)}`;
    else this.moveTo(x, y);
  }
  arc(x, y, r, from, to) {
    const point = a => `${n(x + r * Math.cos(a))} ${n(y + r * Math.sin(a))}`,
      full = Math.abs(to - from) >= 2 * Math.PI - 1e-9,
      end = full ? from + Math.PI : to;
    this.d += `${this.at ? 'L' : 'M'}${point(from)}A${n(r)} ${n(r)} 0 ${Math.abs(end - from) > Math.PI ? 1 : 0} 1 ${point(end)}`;
    if (full) this.d += `A${n(r)} ${n(r)} 0 0 1 ${point(from)}`;
    this.at = true;
  }
  rect(x, y, w, h) {
    this.d += `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}z`;
  }
  roundRect(x, y, w, h, r) {
    this.d += `M${n(x + r)} ${n(y)}h${n(w - 2 * r)}q${r} 0 ${r} ${r}v${n(h - 2 * r)}q0 ${r} ${-r} ${r}h${n(2 * r - w)}`;
    this.d += `q${-r} 0 ${-r} ${-r}v${n(2 * r - h)}q0 ${-r} ${r} ${-r}z`;
  }
  fill() {
    this.out.push(`<path d="${this.d}" ${paint('fill', this.fillStyle)}/>`);
  }
  line() {
    return (
      `fill="none" ${paint('stroke', this.strokeStyle)} stroke-width="${n(this.lineWidth)}"` +
      (this.dash.length ? ` stroke-dasharray="${this.dash}"` : '')
    );
  }
  stroke() {
    this.out.push(`<path d="${this.d}" ${this.line()}/>`);
  }
  fillRect(x, y, w, h) {
    this.out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${paint('fill', this.fillStyle)}/>`);
  }
  strokeRect(x, y, w, h) {
    this.out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${this.line()}/>`);
  }
  fillText(text, x, y) {
    const m = this.measureText(text),
      [up, down] = [m.fontBoundingBoxAscent, m.fontBoundingBoxDescent],
      low = { middle: (up - down) / 2, top: up, bottom: -down }[this.textBaseline] ?? 0,
      anchor = { center: 'middle', right: 'end', end: 'end' }[this.textAlign] ?? 'start';
    this.out.push(
      `<text x="${n(x)}" y="${n(y + low)}" text-anchor="${anchor}" ${letters(this.font)} ${paint('fill', this.fillStyle)}>` +
        `${escaped(text)}</text>`,
    );
  }
  drawImage(from, ...at) {
    let [x, y, w, h] = at,
      picture = from;
    if (at.length === 8) {
      const [sx, sy, sw, sh] = at;
      [, , , , x, y, w, h] = at;
      picture = document.createElement('canvas');
      picture.width = sw;
      picture.height = sh;
      picture.getContext('2d').drawImage(from, sx, sy, sw, sh, 0, 0, sw, sh);
    }
    this.out.push(image(picture, x, y, w, h));
  }
}

// image is a canvas as an element of an SVG, its pixels as squares.
export const image = (canvas, x, y, w, h) =>
  `<image x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" preserveAspectRatio="none" image-rendering="pixelated" ` +
  `href="${canvas.toDataURL()}"/>`;
