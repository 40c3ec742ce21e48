// How ticked runs compare: the numbers of the command compare, and why some cannot be compared.
import { $, el, say, signed } from './draw.js';
import { api } from './api.js';

const points = v => (v === null ? '–' : signed(100 * v)),
  interval = ci => (ci ? `${points(ci[0])} to ${points(ci[1])}` : '–');

// comparison returns what shows it for runs by id; the first is the baseline.
export function comparison(changed) {
  let wanted = '',
    found = null;
  async function ask(ids) {
    found = null;
    try {
      const d = await api.compare(ids);
      if (wanted === String(ids)) found = d;
    } catch (e) {
      say(`The runs cannot be compared: ${e.message}`);
    }
    changed({});
  }
  return (ids, list) => {
    const key = ids.length > 1 ? String(ids) : '';
    if (key !== wanted) {
      wanted = key;
      found = null;
      if (key) ask(ids);
    }
    drawMixed(found?.mixed ?? []);
    drawRows(found?.rows ?? [], found?.baseline, ids.length, list);
  };
}

// drawMixed says in what the runs differ, besides their models.
function drawMixed(mixed) {
  const box = $('#ru-mixed'),
    text = mixed
      .map(({ key, values }) => `${key} is ${values.map(({ value, runs }) => `${value} in ${runs.slice(0, 4).join(', ')}${runs.length > 4 ? ' …' : ''}`).join(', and ')}`)
      .join('; ');
  box.hidden = !text;
  const words = `These runs differ in more than the model, so their curves do not compare: ${text}.`;
  if (text && box.textContent !== words) box.textContent = words;
}

function drawRows(rows, baseline, ticked) {
  const table = $('#ru-compared');
  table.parentElement.hidden = rows.length < 1 || ticked < 2;
  $('#ru-compared-note').hidden = table.parentElement.hidden;
  if (table.parentElement.hidden) return;
  const key = JSON.stringify(rows);
  if (table.dataset.of === key) return;
  table.dataset.of = key;
  const heads = ['model', 'runs', 'test %', '95 % interval', 'difference', '95 % interval', 'p'];
  table.replaceChildren(
    el('thead', {}, el('tr', {}, ...heads.map(h => el('th', { scope: 'col' }, h)))),
    el(
      'tbody',
      {},
      ...rows.map(r =>
        el(
          'tr',
          {},
          ...[
            r.name + (r.name === baseline ? ' (baseline)' : ''),
            String(r.n),
            points(r.mean) + (r.on ? `, limited to ${r.on}` : ''),
            interval(r.ci),
            points(r.diff),
            interval(r.diff_ci),
            r.p === null ? '–' : r.p < 0.001 ? '< 0.001' : r.p.toFixed(3),
          ].map(text => el('td', {}, text)),
        ),
      ),
    ),
  );
  const covers = [...new Set(rows.flatMap(r => r.diff_ci_covers))].join(' and ');
  $('#ru-compared-note').textContent =
    `Test accuracy of finished runs, and differences from ${baseline}, the model of the run ticked first` +
    `${covers ? `. Intervals account for ${covers}` : ''}. attnconv compare prints the same numbers.`;
}
