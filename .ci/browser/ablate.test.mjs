// Heads that are switched off in the view What if.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { ids, serve, browser, tab, frames, until } from './page.mjs';

let server, context, p;
before(async () => {
  server = await serve();
  context = await browser();
  p = await tab(context, server.base);
  await p.open(`#whatif&run=${(await ids(server)).quadratic}&head=1,1`);
  await until(p, 'bars', () => document.querySelectorAll('#wi-bars .bar').length > 0);
});
after(async () => {
  await context?.close();
  await server?.stop();
});
const bars = async () => {
  await p.evaluate(() => explorer.views.whatif.predict());
  return p.evaluate(() => [...document.querySelectorAll('#wi-bars .bar i')].map(i => i.style.width));
};

// share is that of a 3 × 3 convolution of a layer with one head, by its definition: the part of the squared norm of its
// attention, as a matrix, that its mean by shift has within a shift of one token.
function share([r, c, alpha], n) {
  const P = [];
  for (let q = 0; q < n * n; q++) {
    const row = Array.from({ length: n * n }, (_, k) =>
        Math.exp(-alpha * ((((k / n) | 0) - ((q / n) | 0) - r) ** 2 + ((k % n) - (q % n) - c) ** 2)),
      ),
      sum = row.reduce((a, b) => a + b);
    P.push(row.map(v => v / sum));
  }
  const sums = new Map(),
    counts = new Map();
  let total = 0;
  for (let q = 0; q < n * n; q++)
    for (let k = 0; k < n * n; k++) {
      const at = `${((k / n) | 0) - ((q / n) | 0)},${(k % n) - (q % n)}`;
      sums.set(at, (sums.get(at) ?? 0) + P[q][k]);
      counts.set(at, (counts.get(at) ?? 0) + 1);
      total += P[q][k] ** 2;
    }
  let within = 0;
  for (const [at, s] of sums) if (at.split(',').every(x => Math.abs(+x) <= 1)) within += s ** 2 / counts.get(at);
  return within / total;
}

test('a layer whose other heads are off has the share of its only head', async () => {
  for (let h = 1; h < 9; h++) {
    await p.evaluate(h => explorer.changed({ head: [0, h] }), h);
    await frames(p);
    await p.click('#wi-off');
    await frames(p);
    assert.match(await p.textContent('#wi-text'), new RegExp(`Head ${h + 1} is switched off`));
  }
  const head = await p.evaluate(() => explorer.views.whatif.heads[0][0].slice(0, 3)),
    want = Math.round(100 * share(head, 8));
  assert.match(await p.textContent('#wi-finding'), new RegExp(`^${want}\\D`));
});

test('the prediction follows, and comes back', async () => {
  const off = await bars();
  await p.click('#wi-reset');
  await until(p, 'the trained layer', () => !explorer.views.whatif.heads[0].some(h => h.off));
  await frames(p);
  const trained = await bars();
  assert.notDeepEqual(off, trained);
  await p.focus('#wi-frame');
  for (let i = 0; i < 2; i++) await p.keyboard.press('x');
  await frames(p);
  assert.deepEqual(await bars(), trained);
});

test('a layer without heads has no NaN', async () => {
  for (let h = 0; h < 9; h++) await p.evaluate(h => (explorer.views.whatif.heads[0][h].off = true), h);
  await p.evaluate(() => explorer.changed({ edited: true }));
  await frames(p);
  assert.match(await p.textContent('#wi-finding'), /^0\D/);
  assert.ok(!/NaN/.test(await p.textContent('#whatif')));
});

test('no message, no error, no other address', () => assert.deepEqual(p.clean(), []));
