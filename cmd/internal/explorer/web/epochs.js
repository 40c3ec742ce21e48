// Epochs: the slider on the curve of accuracy, and the small curves of shares.
import { ink, rgb, fit, pct, scrubber } from './draw.js';

// accuracy returns the validation accuracy after an epoch; between epochs it is on the line between them, and before
// the first it is chance.
function accuracy(data) {
  const chance = data.classes.length ? 1 / data.classes.length : 0,
    points = () => [{ epoch: 0, val_acc: chance }, ...data.curve.filter(c => c.val_acc !== null)];
  return {
    points,
    at(e, p = points()) {
      const i = p.findLastIndex(x => x.epoch <= e),
        a = p[Math.max(0, i)],
        b = p[i + 1];
      return b ? a.val_acc + ((b.val_acc - a.val_acc) * (e - a.epoch)) / (b.epoch - a.epoch) : a.val_acc;
    },
  };
}

// epochSlider moves state.epoch. kind says which epochs there are.
export function epochSlider(box, data, state, changed, kind) {
  const { run } = data,
    { end } = kind,
    curve = accuracy(data),
    go = e => changed({ epoch: e, live: e >= end() });
  return scrubber(box, {
    label: 'Epoch',
    min: 0,
    max: () => Math.max(1, end()),
    step: 1,
    value: () => state.epoch,
    set: v => go(kind.rest(v, state.epoch)),
    text: v => `epoch ${Math.round(v)} of ${run.epochs}, validation accuracy ${pct(curve.at(Math.round(v)))}`,
    rewind() {
      if (state.epoch >= end()) changed({ epoch: 0 });
    },
    advance(dt) {
      go(Math.min(end(), state.epoch + dt * Math.max(2.2, end() / 12)));
      return state.epoch < end();
    },
    step_() {
      go(kind.rest(Math.min(end(), Math.floor(state.epoch) + 1), state.epoch));
      return state.epoch < end();
    },
    paused: () => changed({ epoch: kind.rest(state.epoch) }),
    draw: (g, w, h, x, v) => drawCurve(curve, Math.max(1, end()), g, w, h, x, v),
  });
}

function drawCurve(curve, last, g, w, h, x, v) {
  const points = curve.points(),
    at = e => curve.at(e, points),
    all = points.filter(p => p.epoch <= last),
    low = Math.min(...all.map(p => p.val_acc)) - 0.02,
    top = Math.max(low + 0.1, ...all.map(p => p.val_acc)),
    size = Math.max(11, h / 8),
    axis = h - 1.65 * size,
    y = a => axis - ((a - low) / ((top - low) * 1.08)) * (axis - 1.5 * size);
  g.lineJoin = 'round';
  g.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  g.strokeStyle = rgb(ink.line);
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(x(0), axis + 0.5);
  g.lineTo(x(last), axis + 0.5);
  g.stroke();
  const line = (to, color, width) => {
    g.beginPath();
    for (let e = 0, d = last / 240; e <= to + 1e-9; e += d) g.lineTo(x(e), y(at(e)));
    g.strokeStyle = rgb(color);
    g.lineWidth = width;
    g.stroke();
  };
  line(last, ink.faint, h / 64);
  line(v, ink.ink, h / 48);
  g.fillStyle = rgb(ink.soft);
  g.textBaseline = 'alphabetic';
  const tick = [1, 2, 5, 10, 20, 50, 100].find(t => last / t <= (w < 420 ? 4 : 8)) ?? last;
  for (let e = 0; e <= last; e += tick) {
    g.textAlign = e ? 'center' : 'left';
    g.fillText(e || 'start', x(e) - (e ? 0 : 4), h - size / 4);
  }
  g.beginPath();
  g.arc(x(v), y(at(v)), h / 16, 0, 7);
  g.fillStyle = rgb(ink.ink);
  g.fill();
  g.lineWidth = 2;
  g.strokeStyle = rgb(ink.paper);
  g.stroke();
  g.fillStyle = rgb(ink.ink);
  const text = `${pct(at(v))} of validation images right`,
    wide = g.measureText(text).width,
    aside = [x(v) + size, x(v) - size - wide].find(a => a >= 2 && a + wide <= w),
    left = aside ?? Math.max(2, Math.min(w - wide - 2, x(v) - wide / 2)),
    heights = [];
  for (let e = 0; e <= last; e += last / 240) if (x(e) > left - 6 && x(e) < left + wide + 6) heights.push(y(at(e)));
  const above = Math.min(...heights) - size * 0.65,
    below = Math.max(...heights) + size * 1.3;
  g.textAlign = 'left';
  g.fillText(text, left, above > size ? above : Math.min(below, axis - size / 3));
}

// spark draws the share of layer l over the epochs up to e, where it is now, and the band of untrained networks.
export function spark(canvas, { l, e, now, last, known, band }) {
  const { g, w, h } = fit(canvas),
    x = i => 2 + (i / last) * (w - 4 - h / 10),
    y = s => h - 3 - s * (h - 8);
  g.clearRect(0, 0, w, h);
  if (band) {
    const { mean: m, std: sd } = band;
    g.fillStyle = rgb(ink.still, 0.18);
    g.fillRect(x(0), y(m + 2 * sd), x(last) - x(0), y(Math.max(0, m - 2 * sd)) - y(m + 2 * sd));
  }
  const line = (frames, color, width) => {
    g.beginPath();
    frames.forEach(f => g.lineTo(x(f.epoch), y(f.shares[l])));
    if (color === ink.ink) g.lineTo(x(e), y(now));
    g.strokeStyle = rgb(color);
    g.lineWidth = width;
    g.stroke();
  };
  line(known, ink.faint, h / 24);
  if (now === undefined) return;
  line(
    known.filter(f => f.epoch <= e),
    ink.ink,
    h / 20,
  );
  g.beginPath();
  g.arc(x(e), y(now), h / 12, 0, 7);
  g.fillStyle = rgb(ink.ink);
  g.fill();
}
