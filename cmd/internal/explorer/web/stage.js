// The stage of the theorem: its nine heads, and the wires between its pictures.
import { $, el, ink, rgb, mix, fit } from './draw.js';
import { SHIFTS } from './exact.js';
import { axis, radius } from './math.js';

// tint returns the hue of a kernel's number, and its strength from 0 to 1.
export const tint = (k, most) => {
  const c = k >= 0 ? ink.sharp : ink.wide;
  return [c, most ? Math.sqrt(Math.abs(k) / most) : 0];
};

// drawHeads draws the nine heads of the theorem, each with its weights on 5 × 5 pixels.
export function drawHeads(th) {
  const { g, w } = fit($('#th-heads')),
    gap = 3,
    s = (w - 2 * gap) / 3,
    V = 5,
    most = Math.max(...th.kernel.map(Math.abs));
  if (w < 30) return; // hidden, or not laid out yet
  g.clearRect(0, 0, w, w);
  const a = [-1, 0, 1].map(d => {
    const out = new Float64Array(V);
    axis(d, th.alpha, V, 2, out);
    return out;
  });
  for (let h = 0; h < 9; h++) {
    const [dr, dc] = SHIFTS[h],
      x0 = (h % 3) * (s + gap),
      y0 = ((h / 3) | 0) * (s + gap),
      k = th.kernel[h],
      [color, strength] = tint(k, most),
      u = s / V;
    g.save();
    g.beginPath();
    g.roundRect(x0, y0, s, s, 3);
    g.clip();
    g.fillStyle = rgb(ink.well);
    g.fillRect(x0, y0, s, s);
    // the Gaussian itself, fading out as the pixels take over
    const cx = x0 + (2.5 + dc) * u,
      cy = y0 + (2.5 + dr) * u,
      full = k === 0 ? ink.still : color,
      cover = k === 0 ? 0.3 : 0.45 + 0.55 * strength;
    for (let i = 0; i < V * V; i++) {
      const p = a[dr + 1][(i / V) | 0] * a[dc + 1][i % V];
      if (p < 0.004) continue;
      g.fillStyle = rgb(full, Math.sqrt(p) * cover);
      g.fillRect(x0 + (i % V) * u + 0.5, y0 + ((i / V) | 0) * u + 0.5, u - 1, u - 1);
    }
    g.strokeStyle = rgb(mix(full, ink.ink, 0.25), 0.9);
    g.lineWidth = 1.25;
    g.beginPath();
    g.arc(cx, cy, radius(th.alpha) * u, 0, 7);
    g.stroke();
    g.strokeStyle = rgb(ink.ink);
    g.lineWidth = 1;
    g.strokeRect(x0 + 2 * u + 0.5, y0 + 2 * u + 0.5, u - 1, u - 1);
    g.restore();
    if (th.head === h) {
      g.strokeStyle = rgb(ink.ink);
      g.lineWidth = 2;
      g.beginPath();
      g.roundRect(x0 + 1, y0 + 1, s - 2, s - 2, 3);
      g.stroke();
    }
  }
}

// wires draws the two ways from the image to the difference.
export function wires() {
  const svg = $('#theorem .wires'),
    S = $('#th-stage').getBoundingClientRect();
  if (getComputedStyle(svg).display === 'none') return;
  const box = q => {
    const b = $(q).getBoundingClientRect();
    return { l: b.left - S.left, r: b.right - S.left, y: (b.top + b.bottom) / 2 - S.top };
  };
  const p = box('#th-photo .frame'),
    kc = box('#th-kernel'),
    oc = box('.out.conv .frame'),
    ka = box('#th-heads-frame'),
    oa = box('.out.attn .frame'),
    d = box('.diff .frame');
  const go = (a, b) => {
    const x0 = a.r + 8,
      x1 = b.l - 9,
      m = (x0 + x1) / 2,
      k = Math.sign(b.y - a.y),
      R = Math.min(8, Math.abs(b.y - a.y) / 2);
    return k && Math.abs(b.y - a.y) > 2
      ? `M${x0} ${a.y}H${m - R}Q${m} ${a.y} ${m} ${a.y + k * R}V${b.y - k * R}Q${m} ${b.y} ${m + R} ${b.y}H${x1}`
      : `M${x0} ${a.y}H${x1}`;
  };
  const tip = b => `M${b.l - 4} ${b.y}l-6 -3.5v7z`;
  const all = [
    [p, kc],
    [p, ka],
    [kc, oc],
    [ka, oa],
    [oc, d],
    [oa, d],
  ];
  svg.replaceChildren(
    el('path', { d: all.map(([a, b]) => go(a, b)).join('') }),
    el('path', { class: 'tip', d: [kc, ka, oc, oa, d].map(tip).join('') }),
  );
}
