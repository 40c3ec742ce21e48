// Runs: a table of all runs, with the settings that differ, and their curves on top of each other.
import { $, el, pct, say, duration } from './draw.js';
import { api, exported } from './api.js';
import { curves } from './curves.js';

// A column: its key, its head, the value of a run and, if it is shown otherwise, its cell. Those of OWN are there if some
// run has a value.
const OWN = [
  ['label', 'name', name],
  ['tags', 'tags', r => (r.tags ?? []).join(', ')],
  ['note', 'note', r => r.note ?? ''],
];
const COLUMNS = [
  ['id', 'run', r => r.id],
  ['state', 'state', r => r.state],
  ['network', 'model', r => r.network],
  ['data', 'data', r => r.data],
  ['seed', 'seed', r => r.seed],
  ['epoch', 'epochs', r => r.epoch, r => `${r.epoch} of ${r.epochs}${trains(r) && r.steps ? `, ${pct(r.step / r.steps)}` : ''}`],
  ['val_acc', 'validation', r => r.val_acc, r => acc(r.val_acc, r.val_on)],
  ['test_acc', 'test', r => r.test_acc, r => acc(r.test_acc, r.test_on)],
  ['wall_s', 'time', time, r => duration(time(r))],
  ['started', 'started', r => r.started, r => r.started.slice(0, 16).replace('T', ' ')],
];
// name is what the user called the run: its label, or its folder if that has no stamp.
function name(r) {
  return r.label || (r.name.endsWith(`-${r.id}`) ? '' : r.name);
}
const trains = r => r.state === 'running';
// time is how long a run has trained. One in its first epoch has recorded nothing yet.
function time(r) {
  return trains(r) && !r.epoch ? (Date.now() - Date.parse(r.started)) / 1000 : r.wall_s;
}
// acc is an accuracy, with a mark if it is of a part of the images: "1,000 of 10,000 test images".
function acc(x, on) {
  if (x === null) return '–';
  const text = (100 * x).toFixed(1) + '\u202f%';
  return on ? [text, ' ', el('span', { class: 'limited', title: `of ${on}` }, 'limited', el('span', { class: 'unseen' }, ` to ${on}`))] : text;
}
const MOST = 8; // curves at a time; hues repeat after it

// short is the last word of a setting's key, unless another setting or column ends with it.
function short(key, all) {
  const last = k => k.split('.').at(-1),
    name = last(key);
  return all.filter(k => last(k) === name).length > 1 || [...OWN, ...COLUMNS].some(c => c[1] === name || c[0] === name) ? key : name;
}

export function runs(first, state, changed) {
  const table = $('#ru-table'),
    filter = $('#ru-filter'),
    count = $('#ru-count');
  let list = [],
    known = '',
    sort = ['started', -1],
    dirty = true;
  filter.oninput = () => {
    dirty = true;
    changed({});
  };

  async function load(given) {
    try {
      const now = given ?? (await api.runs()).runs,
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
  load(first);
  if (!exported)
    setInterval(() => {
      if (state.view === 'runs' && !document.hidden) load();
    }, 3000);

  const drawn = curves(state, changed);
  const columns = () => [...OWN.filter(c => list.some(c[2])), ...COLUMNS];
  const keys = () => [...new Set(list.flatMap(r => Object.keys(r.settings)))].sort();
  function shown() {
    const words = filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean),
      [key, up] = sort;
    const text = r =>
      [
        r.id,
        r.label,
        r.note,
        r.state,
        r.network,
        r.data,
        `seed=${r.seed}`,
        ...(r.tags ?? []),
        ...Object.entries(r.settings).map(([k, v]) => `${k}=${v}`),
      ]
        .join(' ')
        .toLowerCase();
    const value = [...OWN, ...COLUMNS].find(c => c[0] === key)?.[2] ?? (r => r.settings[key] ?? '');
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
    const gone = state.ticked.filter(id => !list.some(r => r.id === id));
    count.textContent =
      (some.length === list.length
        ? `${list.length} run${list.length === 1 ? '' : 's'}`
        : `${some.length} of ${list.length} runs`) + (gone.length ? `; not here: ${gone.join(', ')}` : '');
    const head = [...columns().map(c => [c[0], c[1]]), ...own.map(k => [k, short(k, own)])].map(([key, name]) => {
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
    const [first, ...others] = columns();
    const rows = some.map(r => {
      const tick = el('input', { type: 'checkbox', 'aria-label': `curve of run ${r.id}` }),
        link = el('a', { href: `#overview&run=${encodeURIComponent(r.id)}` }, first[2](r) || r.id);
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
        ...others.map(c => el('td', { class: c[0], title: c[0] === 'note' ? r.note : null }, ...[(c[3] ?? c[2])(r)].flat().map(x => (x instanceof Node ? x : String(x))))),
        ...own.map(k => el('td', {}, r.settings[k] ?? '–')),
      );
    });
    table.replaceChildren(
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, el('span', { class: 'unseen' }, 'curve')), ...head)),
      el('tbody', {}, ...rows),
    );
    $('#ru-none').hidden = list.length > 0;
  }

  return {
    list: () => list,
    rows: () => [
      [...columns().map(c => c[0]), ...keys()],
      ...shown().map(r => [...columns().map(c => c[2](r)), ...keys().map(k => r.settings[k])]),
    ],
    draw() {
      if (dirty) drawTable();
      drawn.draw(list);
    },
  };
}
