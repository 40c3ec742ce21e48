// Pictures of a view: as SVG, in which shapes and words stay shapes and words, as PNG, and its numbers as CSV.
import { record } from './draw.js';
import { Pen, escaped, image, letters, paint } from './pen.js';

const CONTROLS =
    'button:not(.part), .unseen, summary, .controls, .buttons, .thumbs, .seg, .file, .filter, .slide, input:is([type=range], [type=checkbox]), #at-drop, #at-save',
  PAD = 16;
const n = v => +v.toFixed(2);
const clear = color => /^rgba\(.*, 0\)$|^transparent$/.test(color);

// svgOf returns the view in a section as SVG. draw draws its canvases.
export function svgOf(section, draw, title) {
  const pens = record(Pen, draw),
    frame = section.getBoundingClientRect(),
    out = [],
    at = b => [b.left - frame.left + PAD, b.top - frame.top + PAD];
  let bottom = 0;
  const walk = node => {
    if (node.nodeType === Node.TEXT_NODE) return words(node, at, out);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(CONTROLS) || !node.checkVisibility({ opacityProperty: true })) return;
    const b = node.getBoundingClientRect(),
      [x, y] = at(b),
      style = getComputedStyle(node);
    if (b.width * b.height > 0) bottom = Math.max(bottom, y + b.height);
    if (!clear(style.backgroundColor) && b.width * b.height > 0)
      out.push(rect(x, y, b, `${paint('fill', style.backgroundColor)} rx="${parseFloat(style.borderTopLeftRadius) || 0}"`));
    if (parseFloat(style.borderBottomWidth) > 0 && style.borderBottomStyle !== 'none' && !clear(style.borderBottomColor))
      out.push(`<path d="M${n(x)} ${n(y + b.height)}h${n(b.width)}" ${paint('stroke', style.borderBottomColor)}/>`);
    if (node instanceof HTMLCanvasElement) {
      const pen = pens.get(node);
      out.push(pen ? `<g transform="translate(${n(x)} ${n(y)})">${pen.svg()}</g>` : image(node, x, y, b.width, b.height));
    } else if (node instanceof SVGSVGElement) out.push(inner(node, x, y, b));
    else if (node instanceof HTMLInputElement) value(node, x, y, b, out);
    else if (node instanceof HTMLSelectElement)
      line(node.selectedOptions[0]?.text ?? '', style, x + parseFloat(style.paddingLeft), { y, height: b.height }, out);
    else for (const child of node.childNodes) walk(child);
  };
  for (const child of section.childNodes) walk(child);
  const w = Math.ceil(frame.width + 2 * PAD),
    h = Math.ceil(bottom + PAD);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"><title>${escaped(title)}</title>` +
    `<rect width="${w}" height="${h}" ${paint('fill', getComputedStyle(document.body).backgroundColor)}/>${out.join('\n')}</svg>\n`
  );
}
const rect = (x, y, b, more) => `<rect x="${n(x)}" y="${n(y)}" width="${n(b.width)}" height="${n(b.height)}" ${more}/>`;

const font = style => `${style.fontStyle === 'italic' ? 'italic ' : ''}${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
const measure = document.createElement('canvas').getContext('2d');

// line writes words whose box is b.
function line(text, style, x, b, out, anchor = 'start') {
  measure.font = font(style);
  const m = measure.measureText(text),
    y = b.y + (b.height + m.fontBoundingBoxAscent - m.fontBoundingBoxDescent) / 2;
  out.push(`<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}" ${letters(font(style))} ${paint('fill', style.color)}>${escaped(text)}</text>`);
}

// words writes a text, line by line as the browser has broken it.
function words(node, at, out) {
  const text = node.data;
  if (!text.trim() || !node.parentElement.checkVisibility()) return;
  const range = document.createRange(),
    style = getComputedStyle(node.parentElement),
    lines = [];
  for (const m of text.matchAll(/\S+/g)) {
    range.setStart(node, m.index);
    range.setEnd(node, m.index + m[0].length);
    const b = range.getBoundingClientRect(),
      last = lines.at(-1);
    if (last && Math.abs(last.b.top - b.top) < 2) last.words += ' ' + m[0];
    else lines.push({ b, words: m[0] });
  }
  for (const { b, words } of lines) {
    const [x, y] = at(b);
    line(words, style, x, { y, height: b.height }, out);
  }
}

// value writes what is typed into a field.
function value(input, x, y, b, out) {
  line(input.value, getComputedStyle(input), x + b.width / 2, { y, height: b.height }, out, 'middle');
}

// inner returns a drawing of the page, with what the style sheet says of it.
const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'opacity', 'display', 'text-anchor',
  'dominant-baseline', 'font-size', 'font-family', 'font-weight'];
function inner(svg, x, y, b) {
  const copy = svg.cloneNode(true),
    from = [...svg.querySelectorAll('*')];
  [...copy.querySelectorAll('*')].forEach((e, i) => {
    const style = getComputedStyle(from[i]);
    e.removeAttribute('style');
    e.removeAttribute('class');
    for (const name of STYLES) e.setAttribute(name, style.getPropertyValue(name));
  });
  copy.removeAttribute('class');
  for (const [k, v] of Object.entries({ x: n(x), y: n(y), width: n(b.width), height: n(b.height) })) copy.setAttribute(k, v);
  return new XMLSerializer().serializeToString(copy);
}

// pngOf draws an SVG at twice its size.
export async function pngOf(svg) {
  const picture = new Image();
  picture.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg);
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * picture.width;
  canvas.height = 2 * picture.height;
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise(ok => canvas.toBlob(ok, 'image/png'));
}

// csvOf writes rows, the first of them names.
const field = v => (typeof v === 'string' && /[",\n\r]/.test(v) ? `"${v.replaceAll('"', '""')}"` : String(v ?? ''));
export const csvOf = rows => rows.map(r => r.map(field).join(',') + '\n').join('');

// save gives the reader a file.
export function save(name, kind, content) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
