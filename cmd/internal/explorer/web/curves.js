// The curves of ticked runs, on axes that the reader chooses, and how the runs compare. Runs that differ only in the seed
// are one line, with a band from the lowest to the highest.
import { $, el, ink, rgb, fit, pct, rem, say, arrows, choice, clamp, duration } from './draw.js';
import { api } from './api.js';
import { comparison } from './comparison.js';

const percent = v => `${(100 * v).toFixed(1)}\u202f%`;

// What may be drawn up and along: the value of a point, how it is written, and the words at the axis.
const UP = {
  val_acc: { of: p => p.val_acc, name: 'validation accuracy', text: percent },
  train_loss: { of: p => p.train_loss, name: 'training loss', text: v => v.toPrecision(3), log: true },
  val_loss: { of: p => p.val_loss, name: 'validation loss', text: v => v.toPrecision(3), log: true },
};
const ALONG = {
  epoch: { of: p => p.epoch, name: 'epochs', text: v => `epoch ${Math.round(v)}` },
  step: { of: p => p.step, name: 'steps', text: v => `step ${Math.round(v).toLocaleString('en')}` },
  time: { of: p => p.seconds, name: 'time of training', text: duration },
};
// unitOf is the unit of an axis of time up to so many seconds: its length and its name.
const unitOf = s => (s < 180 ? [1, 'seconds'] : s < 10800 ? [60, 'minutes'] : [3600, 'hours']);
const HUES = () => [ink.sharp, ink.wide, ink.ink],
  DASHES = [[], [7, 4], [2, 3]];
const mean = list => list.reduce((a, b) => a + b, 0) / list.length;

// ticks returns round numbers between two values, at most so many and at least so far apart: 1, 2 or 5 times a power of
// ten, evenly or, for a logarithm, all of them.
function ticks(lo, hi, most, log, apart = 0) {
  const all = [];
  if (log) {
    for (let k = Math.floor(Math.log10(lo)); 10 ** k <= hi; k++)
      for (const m of [1, 2, 5]) if (m * 10 ** k >= lo && m * 10 ** k <= hi) all.push(m * 10 ** k);
    return all;
  }
  const least = Math.max(apart, (hi - lo) / most),
    power = 10 ** Math.floor(Math.log10(least)),
    by = [1, 2, 5, 10].map(m => m * power).find(d => d >= least);
  for (let i = Math.ceil(lo / by - 1e-9); i * by <= hi + 1e-9 * by; i++) all.push(+(i * by).toPrecision(12));
  return all;
}

export function curves(state, changed) {
  const known = new Map(), // points by run
    asked = new Map(), // how many epochs a run had when it was asked for them
    frame = $('#ru-frame'),
    { axes } = state,
    drawComparison = comparison(changed);
  let at = null, // where values are read, along the axis
    xs = [], // of all points that are shown
    pressed = null, // where a drag began and is, in pixels
    place = null, // from pixels to a value along the axis
    list = [];
  const pick = key => value => {
    axes[key] = value;
    if (key === 'along') axes.from = axes.to = 0;
    at = null;
    changed({});
  };
  const names = all => Object.entries(all).map(([key, a]) => [key, a.name]),
    setUp = choice($('#ru-up'), 'Up', names(UP), pick('up')),
    setAlong = choice($('#ru-along'), 'Along', names(ALONG), pick('along')),
    setScale = choice($('#ru-scale'), 'Scale', [['linear', 'linear'], ['log', 'log']], pick('scale'));

  const nearest = v => xs.reduce((a, b) => (Math.abs(b - v) < Math.abs(a - v) ? b : a), xs[0]);
  const read = v => {
    if (v === at) return;
    at = v;
    changed({});
  };
  const px = e => e.clientX - frame.getBoundingClientRect().left;
  frame.onpointermove = e => {
    if (pressed) pressed[1] = px(e);
    if (place) read(nearest(place(px(e))));
    if (pressed) changed({});
  };
  frame.onpointerleave = () => document.activeElement !== frame && read(null);
  // A drag shows the part of the axis between its ends, and Enter what is behind the place that is read.
  function zoom(from, to) {
    if (from && xs.filter(x => x >= from && x <= to).length < 2) return;
    Object.assign(axes, { from, to });
    at = null;
    changed({});
  }
  frame.onpointerdown = e => {
    if (e.pointerType === 'touch' || e.button || !place) return; // a finger reads values
    frame.setPointerCapture(e.pointerId);
    pressed = [px(e), px(e)];
  };
  frame.onpointerup = () => {
    const ends = pressed?.toSorted((a, b) => a - b);
    pressed = null;
    if (ends && ends[1] - ends[0] > 8) zoom(...ends.map(x => nearest(place(x))));
    else changed({});
  };
  frame.onpointercancel = () => (pressed = null);
  $('#ru-whole').onclick = frame.ondblclick = () => zoom(0, 0);
  const step = d => xs.length && read(at === null ? xs.at(d > 0 ? 0 : -1) : xs[clamp(xs.indexOf(at) + d, 0, xs.length - 1)]);
  arrows(frame, (r, c) => step(c || -r), {
    Escape: () => (at === null ? zoom(0, 0) : read(null)),
    Enter: () => at !== null && zoom(at, axes.to || xs.at(-1)),
  });

  // points adds to the epochs of a run the seconds of training until their end.
  function points(curve) {
    let seconds = 0;
    return curve.map(p => ({ ...p, seconds: (seconds += p.wall_s ?? 0) }));
  }
  function ask(r) {
    asked.set(r.id, r.epoch);
    api
      .run(r.id)
      .then(d => {
        known.set(r.id, points(d.curve));
        changed({});
      })
      .catch(e => say(e.message));
  }
  const groupOf = r => JSON.stringify([r.network, r.data, r.epochs, r.settings]);
  // groups returns lines: their name, runs, and points with the mean, lowest and highest value.
  function groups() {
    const all = new Map();
    for (const id of state.ticked) {
      const r = list.find(r => r.id === id);
      if (r && asked.get(id) !== r.epoch) ask(r);
      if (!r || !known.get(id)) continue; // gone, or on its way
      const key = groupOf(r);
      if (!all.has(key)) all.set(key, { name: r.network, runs: [], epochs: new Map() });
      const a = all.get(key);
      a.runs.push(r);
      for (const p of known.get(id)) {
        const v = UP[axes.up].of(p);
        if (v === null || v === undefined || (logarithmic() && v <= 0)) continue;
        if (!a.epochs.has(p.epoch)) a.epochs.set(p.epoch, { x: [], v: [] });
        a.epochs.get(p.epoch).x.push(ALONG[axes.along].of(p));
        a.epochs.get(p.epoch).v.push(v);
      }
    }
    return [...all.values()].map(a => ({
      ...a,
      points: [...a.epochs.values()]
        .map(({ x, v }) => ({ x: mean(x), v: mean(v), lo: Math.min(...v), hi: Math.max(...v) }))
        .filter(p => p.x >= axes.from && (!axes.to || p.x <= axes.to))
        .sort((p, q) => p.x - q.x),
    }));
  }
  const logarithmic = () => axes.scale === 'log' && !!UP[axes.up].log;

  // scales returns the places of values in a box of w × h, and its margins.
  function scales(all, w, h, size) {
    const log = logarithmic(),
      values = all.flatMap(a => a.points.flatMap(p => [p.lo, p.hi])),
      to = log ? Math.log : v => v,
      pad = values.length ? (to(Math.max(...values)) - to(Math.min(...values))) * 0.06 || 0.02 : 1,
      low = to(values.length ? Math.min(...values) : 1) - pad,
      high = to(values.length ? Math.max(...values) : 1) + pad,
      first = axes.from,
      last = Math.max(first + 1e-9, axes.to || Math.max(...xs)),
      [unit, named] = axes.along === 'time' ? unitOf(last) : [1, ''],
      [left, right, top, bottom] = [4.2 * size, w - size, 3.2 * size, h - 3.4 * size],
      from = log ? Math.exp(low) : low,
      until = log ? Math.exp(high) : high;
    return {
      x: v => left + ((v - first) / (last - first)) * (right - left),
      back: px => first + ((px - left) / (right - left)) * (last - first),
      y: v => bottom - ((to(v) - low) / (high - low)) * (bottom - top),
      up: values.length ? ticks(from, until, 5, log) : [],
      along: ticks(first / unit, last / unit, w < 500 ? 4 : 8, false, named ? 0 : 1),
      unit,
      words: named ? `${named} of training` : ALONG[axes.along].name,
      left, right, top, bottom,
    };
  }

  function drawAxes(g, s, w, h, size) {
    g.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    g.fillStyle = rgb(ink.soft);
    g.strokeStyle = rgb(ink.line);
    g.lineWidth = 1;
    g.textBaseline = 'middle';
    g.textAlign = 'right';
    for (const v of s.up) {
      g.fillText(axes.up === 'val_acc' ? pct(v) : String(v), s.left - size / 2, s.y(v));
      g.beginPath();
      g.moveTo(s.left, s.y(v));
      g.lineTo(s.right, s.y(v));
      g.stroke();
    }
    g.textAlign = 'center';
    for (const v of s.along) g.fillText(v.toLocaleString('en'), s.x(v * s.unit), s.bottom + size);
    g.textAlign = 'right';
    g.fillText(s.words, s.right, h - 0.7 * size);
    g.textAlign = 'left';
    g.fillText(UP[axes.up].name + (logarithmic() ? ', log scale' : ''), 0, 0.8 * size);
  }

  function drawLine(g, s, a, color, dash, size) {
    const path = (list, of) => list.forEach(p => g.lineTo(s.x(p.x), s.y(of(p))));
    if (a.runs.length > 1) {
      g.beginPath();
      path(a.points, p => p.hi);
      path(a.points.toReversed(), p => p.lo);
      g.fillStyle = rgb(color, 0.16);
      g.fill();
    }
    g.beginPath();
    path(a.points, p => p.v);
    g.strokeStyle = rgb(color);
    g.setLineDash(dash);
    g.lineWidth = size / 6;
    g.stroke();
    g.setLineDash([]);
    const p = at === null ? null : pointAt(a);
    if (!p) return;
    g.beginPath();
    g.arc(s.x(p.x), s.y(p.v), size / 3, 0, 7);
    g.fillStyle = rgb(color);
    g.fill();
  }
  // pointAt is the last point of a line that is not behind the place where values are read.
  const pointAt = a => a.points.findLast(p => p.x <= at + 1e-9);

  const seeds = a => (new Set(a.runs.map(r => r.seed)).size < a.runs.length ? 'runs' : 'seeds');
  const who = a => (a.runs.length > 1 ? `${a.name}, mean of ${a.runs.length} ${seeds(a)}, band from lowest to highest` : a.runs[0].label ? `${a.runs[0].label} (${a.runs[0].id})` : `${a.name}, run ${a.runs[0].id}`);
  function valueOf(a) {
    const p = at === null ? a.points.at(-1) : pointAt(a);
    if (!p) return 'nothing yet';
    const { text } = UP[axes.up];
    return text(p.v) + (p.hi > p.lo ? ` (${text(p.lo)} to ${text(p.hi)})` : '');
  }
  function drawWords(all) {
    const where = at === null ? 'at the end' : `at ${ALONG[axes.along].text(at)}`;
    $('#ru-legend').replaceChildren(
      ...all.map((a, i) => {
        const line = el('line', { x1: 0, x2: 26, y1: 2, y2: 2, 'stroke-width': 2.5, 'stroke-dasharray': DASHES[((i / 3) | 0) % 3].join(' ') });
        line.style.stroke = rgb(HUES()[i % 3]);
        return el('span', {}, el('svg', { viewBox: '0 0 26 4', 'aria-hidden': 'true' }, line), `${who(a)} `, el('b', {}, valueOf(a)));
      }),
    );
    const text = at === null ? '' : `${UP[axes.up].name} ${where}: ${all.map(a => `${who(a)}: ${valueOf(a)}`).join('; ')}`;
    if ($('#ru-values').textContent !== text) $('#ru-values').textContent = text;
    frame.setAttribute(
      'aria-label',
      `${UP[axes.up].name} over ${ALONG[axes.along].name}: ${all.map(a => `${who(a)}: ${valueOf(a)}`).join('; ')}. Left and right read values, and Enter begins the axis there.`,
    );
  }

  return {
    // rows are the points of the ticked runs.
    rows: () => [
      ['run', 'name', 'model', 'seed', 'epoch', 'step', 'seconds', 'train_loss', 'val_loss', 'val_acc'],
      ...state.ticked.flatMap(id => {
        const r = list.find(r => r.id === id);
        const of = p => [p.epoch, p.step, p.seconds, p.train_loss, p.val_loss, p.val_acc];
        return ((r && known.get(id)) || []).map(p => [id, r.label, r.network, r.seed, ...of(p)]);
      }),
    ],
    draw(runs) {
      list = runs;
      $('#ru-curves').hidden = !state.ticked.length;
      if (!state.ticked.length) return;
      setUp(axes.up);
      setAlong(axes.along);
      setScale(axes.scale);
      $('#ru-whole').hidden = !axes.to;
      $('#ru-scale').hidden = !UP[axes.up].log;
      const all = groups();
      xs = [...new Set(all.flatMap(a => a.points.map(p => p.x)))].sort((a, b) => a - b);
      const { g, w, h } = fit($('#ru-canvas')),
        size = 0.75 * rem(),
        s = scales(all, w, h, size);
      place = s.back;
      g.clearRect(0, 0, w, h);
      drawAxes(g, s, w, h, size);
      if (at !== null) {
        g.strokeStyle = rgb(ink.soft);
        g.beginPath();
        g.moveTo(s.x(at), s.top);
        g.lineTo(s.x(at), s.bottom);
        g.stroke();
        g.fillStyle = rgb(ink.ink);
        g.textAlign = s.x(at) > w / 2 ? 'right' : 'left';
        g.fillText(` ${ALONG[axes.along].text(at)} `, s.x(at), s.top - 0.7 * size);
      }
      if (pressed) {
        g.fillStyle = rgb(ink.sharp, 0.15);
        g.fillRect(pressed[0], s.top, pressed[1] - pressed[0], s.bottom - s.top);
      }
      all.forEach((a, i) => drawLine(g, s, a, HUES()[i % 3], DASHES[((i / 3) | 0) % 3], size));
      drawWords(all);
      drawComparison(state.ticked.map(id => list.find(r => r.id === id)).filter(Boolean));
    },
  };
}
