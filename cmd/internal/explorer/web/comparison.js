// How ticked runs compare: the numbers of the command compare, and why some cannot be compared.
import { $, el, say, signed } from './draw.js';
import { api, exported } from './api.js';

const points = v => (v === null ? '–' : signed(100 * v)),
  interval = ci => (ci ? `${points(ci[0])} to ${points(ci[1])}` : '–');

// comparison returns what shows it for runs of the list; the first is the baseline.
export function comparison(changed) {
  let wanted = '',
    found = null;
  async function ask(runs) {
    const key = wanted;
    try {
      const d = await api.compare(runs.map(r => r.id));
      if (wanted === key) found = d;
    } catch (e) {
      say(`The runs cannot be compared: ${e.message}`);
    }
    changed({});
  }
  return runs => {
    const key = runs.length > 1 ? runs.map(r => `${r.id} ${r.state}`).join() : ''; // one that ends has results
    if (key !== wanted) {
      wanted = key;
      found = null;
      if (key) ask(runs);
    }
    drawMixed(found?.mixed ?? []);
    drawRows(found?.rows ?? [], found?.baseline);
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

function drawRows(rows, baseline) {
  const table = $('#ru-compared');
  table.parentElement.hidden = $('#ru-compared-note').hidden = !rows.length;
  if (!rows.length) return;
  const key = JSON.stringify(rows);
  if (table.dataset.of === key) return;
  table.dataset.of = key;
  const heads = ['model', 'runs', 'test %', '95 % interval', 'difference (points)', '95 % interval', 'p'];
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
    `${covers ? `. Intervals account for ${covers}` : ''}. ` +
    (exported ? 'A row has all runs of its model in this file, ticked or not.' : 'attnconv compare prints the same numbers.');
}
