// Runs: a table of all runs, with the settings that differ, and their curves on top of each other.
import { $, el, ink, rgb, fit, pct, rem, say } from './draw.js';
import { api, exported } from './api.js';

const COLUMNS = [
  ['id', 'run', r => r.id],
  ['state', 'state', r => r.state],
  ['network', 'model', r => r.network],
  ['data', 'data', r => r.data],
  ['seed', 'seed', r => r.seed],
  ['epoch', 'epochs', r => r.epoch, r => `${r.epoch} of ${r.epochs}`],
  ['val_acc', 'validation', r => r.val_acc, r => acc(r.val_acc, r.val_on)],
  ['test_acc', 'test', r => r.test_acc, r => acc(r.test_acc, r.test_on)],
  ['wall_s', 'time', r => r.wall_s, r => time(r.wall_s)],
  ['started', 'started', r => r.started, r => r.started.slice(0, 16).replace('T', ' ')],
];
// acc is an accuracy, with the images that it is of if they are not all: "of 1,000 of 10,000 test images".
const acc = (x, on) => (x === null ? '–' : (100 * x).toFixed(1) + '\u202f%' + (on ? ` of ${on}` : ''));
const time = s =>
  s === null
    ? '–'
    : s < 120
      ? `${Math.round(s)} s`
      : s < 7200
        ? `${Math.round(s / 60)} min`
        : `${(s / 3600).toFixed(1)} h`;
const MOST = 8; // curves at a time; hues repeat after it

// short is the last word of a setting's key, unless another setting or column ends with it.
function short(key, all) {
  const last = k => k.split('.').at(-1),
    name = last(key);
  return all.filter(k => last(k) === name).length > 1 || COLUMNS.some(c => c[1] === name || c[0] === name) ? key : name;
}

export function runs(state, changed) {
  const table = $('#ru-table'),
    filter = $('#ru-filter'),
    count = $('#ru-count');
  let list = [],
    known = '',
    sort = ['started', -1],
    curves = new Map(),
    dirty = true;
  filter.oninput = () => {
    dirty = true;
    changed({});
  };

  async function load() {
    try {
      const now = (await api.runs()).runs,
        text = JSON.stringify(now);
      if (text !== known) {
        known = text;
        list = now;
        dirty = true;
        changed({});
      }
    } catch (e) {
      say(`The list of runs cannot be read: ${e.message}`);
    }
  }
  load();
  if (!exported)
    setInterval(() => {
      if (state.view === 'runs' && !document.hidden) load();
    }, 3000);

  const keys = () => [...new Set(list.flatMap(r => Object.keys(r.settings)))].sort();
  function shown() {
    const words = filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean),
      [key, up] = sort;
    const text = r =>
      [
        r.id,
        r.label,
        r.state,
        r.network,
        r.data,
        `seed=${r.seed}`,
        ...(r.tags ?? []),
        ...Object.entries(r.settings).map(([k, v]) => `${k}=${v}`),
      ]
        .join(' ')
        .toLowerCase();
    const value = COLUMNS.find(c => c[0] === key)?.[2] ?? (r => r.settings[key] ?? '');
    return list
      .filter(r => words.every(w => text(r).includes(w)))
      .sort((a, b) => {
        const x = value(a),
          y = value(b);
        return (
          up *
          (x === y
            ? 0
            : x === null
              ? -1
              : y === null
                ? 1
                : typeof x === 'string'
                  ? x.localeCompare(y, 'en', { numeric: true })
                  : x - y)
        );
      });
  }

  function drawTable() {
    dirty = false;
    const some = shown(),
      own = keys();
    count.textContent =
      some.length === list.length
        ? `${list.length} run${list.length === 1 ? '' : 's'}`
        : `${some.length} of ${list.length} runs`;
    const head = [...COLUMNS.map(c => [c[0], c[1]]), ...own.map(k => [k, short(k, own)])].map(([key, name]) => {
      const b = el('button', { title: key === name ? null : key }, name + (sort[0] === key ? (sort[1] > 0 ? ' ↑' : ' ↓') : ''));
      b.onclick = () => {
        sort = [
          key,
          sort[0] === key ? -sort[1] : key === 'val_acc' || key === 'test_acc' || key === 'started' ? -1 : 1,
        ];
        dirty = true;
        changed({});
      };
      return el(
        'th',
        { scope: 'col', 'aria-sort': sort[0] === key ? (sort[1] > 0 ? 'ascending' : 'descending') : 'none' },
        b,
      );
    });
    const rows = some.map(r => {
      const tick = el('input', { type: 'checkbox', 'aria-label': `curve of run ${r.id}` }),
        link = el('a', { href: `#overview&run=${encodeURIComponent(r.id)}` }, r.id);
      tick.checked = state.ticked.includes(r.id);
      tick.onchange = () => {
        state.ticked = tick.checked ? [...state.ticked, r.id].slice(-MOST * 4) : state.ticked.filter(x => x !== r.id);
        changed({});
      };
      return el(
        'tr',
        { class: r.state },
        el('td', {}, tick),
        el('td', {}, link),
        ...COLUMNS.slice(1).map(c => el('td', {}, String((c[3] ?? c[2])(r)))),
        ...own.map(k => el('td', {}, r.settings[k] ?? '–')),
      );
    });
    table.replaceChildren(
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, el('span', { class: 'unseen' }, 'curve')), ...head)),
      el('tbody', {}, ...rows),
    );
    $('#ru-none').hidden = list.length > 0;
  }

  // Curves of ticked runs. Runs that differ only in the seed are one line, with a band from the lowest to the highest.
  const hues = () => [ink.sharp, ink.wide, ink.ink, ink.soft];
  const dashes = [[], [6, 4], [2, 3]];
  const groupOf = r => JSON.stringify([r.network, r.data, r.epochs, r.settings]);
  function groups() {
    const all = new Map();
    for (const id of state.ticked) {
      const r = list.find(r => r.id === id),
        c = curves.get(id);
      if (!r || c === null) continue; // gone, or on its way
      if (!c) {
        curves.set(id, null);
        api
          .run(id)
          .then(d => {
            curves.set(
              id,
              d.curve.filter(p => p.val_acc !== null),
            );
            changed({});
          })
          .catch(e => say(e.message));
        continue;
      }
      const key = groupOf(r);
      if (!all.has(key)) all.set(key, { name: r.network, runs: [], of: [] });
      all.get(key).runs.push(id);
      all.get(key).of.push(c);
    }
    return [...all.values()];
  }
  function drawCurves() {
    const box = $('#ru-curves');
    box.hidden = !state.ticked.length;
    if (box.hidden) return;
    const { g, w, h } = fit($('#ru-canvas')),
      all = groups(),
      last = Math.max(1, ...all.flatMap(a => a.of.flatMap(c => c.map(p => p.epoch)))),
      size = 0.75 * rem(),
      from = 3.4 * size,
      to = w - size,
      x = e => from + (e / last) * (to - from);
    const values = all.flatMap(a => a.of.flatMap(c => c.map(p => p.val_acc))),
      lo = Math.min(1, ...values) - 0.02,
      hi = Math.max(0, ...values) + 0.02,
      y = v => h - 2 * size - ((v - lo) / (hi - lo || 1)) * (h - 3 * size);
    g.clearRect(0, 0, w, h);
    g.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    g.fillStyle = rgb(ink.soft);
    g.strokeStyle = rgb(ink.line);
    g.lineWidth = 1;
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    const tick = [0.01, 0.02, 0.05, 0.1, 0.2].find(t => (hi - lo) / t <= 6) ?? 0.2;
    if (values.length)
      for (let i = Math.ceil(lo / tick); i * tick <= hi; i++) {
        const v = i * tick;
        g.fillText(pct(v), from - size / 2, y(v));
        g.beginPath();
        g.moveTo(from, y(v));
        g.lineTo(to, y(v));
        g.stroke();
      }
    g.textAlign = 'center';
    for (const e of [0, (last / 2) | 0, last]) g.fillText(e, x(e), h - 0.7 * size);
    const legend = [];
    all.forEach((a, i) => {
      const color = hues()[i % 4],
        dash = dashes[((i / 4) | 0) % 3],
        at = new Map();
      a.of.forEach(c =>
        c.forEach(p => {
          if (!at.has(p.epoch)) at.set(p.epoch, []);
          at.get(p.epoch).push(p.val_acc);
        }),
      );
      const points = [...at].sort((p, q) => p[0] - q[0]);
      if (a.of.length > 1) {
        g.beginPath();
        points.forEach(([e, v]) => g.lineTo(x(e), y(Math.max(...v))));
        points.toReversed().forEach(([e, v]) => g.lineTo(x(e), y(Math.min(...v))));
        g.fillStyle = rgb(color, 0.16);
        g.fill();
      }
      g.beginPath();
      points.forEach(([e, v]) => g.lineTo(x(e), y(v.reduce((s, t) => s + t, 0) / v.length)));
      g.strokeStyle = rgb(color);
      g.setLineDash(dash);
      g.lineWidth = size / 6;
      g.stroke();
      g.setLineDash([]);
      const swatch = el('i');
      swatch.style.background = rgb(color);
      legend.push(
        el(
          'span',
          {},
          swatch,
          a.name +
            (a.runs.length > 1
              ? `, mean of ${a.runs.length} seeds, band from lowest to highest`
              : `, run ${a.runs[0]}`),
        ),
      );
    });
    $('#ru-legend').replaceChildren(...legend);
    $('#ru-canvas').setAttribute(
      'aria-label',
      'Validation accuracy over epochs: ' +
        all
          .map(
            a =>
              `${a.name}, ${a.runs.join(', ')}: ` +
              a.of.map(c => (c.length ? pct(c.at(-1).val_acc) : 'nothing yet')).join(', '),
          )
          .join('; '),
    );
  }
  return {
    list: () => list,
    rows: () => [
      [...COLUMNS.map(c => c[0]), ...keys()],
      ...shown().map(r => [...COLUMNS.map(c => c[2](r)), ...keys().map(k => r.settings[k])]),
    ],
    draw() {
      if (dirty) drawTable();
      drawCurves();
    },
  };
}
