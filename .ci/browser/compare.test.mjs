// Two runs side by side under one cursor.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { RUNS, SCRATCH, program, ids, serve, browser, tab, ready, frames, until, sleep } from './page.mjs';

let server, context, p, id;
before(async () => {
  server = await serve();
  context = await browser();
  p = await tab(context, server.base);
  id = await ids(server);
});
after(async () => {
  await context?.close();
  await server?.stop();
});
const both = page => until(page, 'both sides', () => explorer.views.compare?.sides.every(s => s.maps.some(v => v > 0)));
const labels = page => page.$$eval('.side .frame', all => all.map(e => e.getAttribute('aria-label').match(/row (\d+), column (\d+)/).slice(1).map(Number)));
const state = page => page.evaluate(() => JSON.parse(JSON.stringify(explorer.state)));
// point moves the mouse to the middle of a token of a side.
async function point(page, side, [r, c], n) {
  const b = await page.locator('.side .frame').nth(side).boundingBox();
  await page.mouse.move(b.x + ((c + 0.5) / n) * b.width, b.y + ((r + 0.5) / n) * b.height);
  await frames(page);
}

// gauss is the attention of a Gaussian head [Δ₁, Δ₂, p₁₁, p₁₂, p₂₂] from a query on n × n tokens, by its definition.
function gauss([r, c, p11, p12, p22], [a, b], n) {
  const e = Array.from({ length: n * n }, (_, k) => {
    const [u, v] = [((k / n) | 0) - a - r, (k % n) - b - c];
    return Math.exp(-0.5 * (p11 * u * u + 2 * p12 * u * v + p22 * v * v));
  });
  const sum = e.reduce((x, y) => x + y);
  return e.map(x => x / sum);
}
const off = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));

// right returns the maps of all heads of the first layer of the run content, from the server.
async function right(image, [r, c]) {
  const answer = Buffer.from(await (await fetch(`${server.base}api/v1/runs/content/attention/${image}`)).arrayBuffer()),
    cut = answer.indexOf(10),
    [l] = JSON.parse(answer.subarray(0, cut)).layers,
    T = l.tokens;
  return Array.from({ length: l.heads * T }, (_, i) => {
    const h = (i / T) | 0;
    return l.least[h] + (answer[cut + 1 + (h * T + r * 8 + c) * T + (i % T)] / 255) * (l.most[h] - l.least[h]);
  });
}

test('a cursor moves both sides, and both show the attention from there', async () => {
  const { layers } = (await server.api('runs/quadratic')).heads.at(-1);
  await p.open(`#compare&run=${id.quadratic}&with=${id.content}&head=1,3&q=2,3&image=1`);
  await both(p);
  const image = await p.evaluate(() => explorer.data.images[1].key);
  const check = async q => {
    assert.deepEqual(await labels(p), [q, q]);
    const seen = await p.evaluate(() => explorer.views.compare.sides.map(s => [...s.maps]));
    assert.ok(off(seen[0], layers[0].flatMap(h => gauss(h, q, 8))) < 1e-5, `left from ${q}`);
    assert.ok(off(seen[1], await right(image, q)) < 1e-5, `right from ${q}`);
  };
  await check([2, 3]);
  await point(p, 1, [5, 6], 8);
  await check([5, 6]);
  await point(p, 0, [0, 7], 8);
  await check([0, 7]);
  await p.focus('.side:first-child .frame');
  await p.keyboard.press('ArrowDown');
  await p.focus('.side:last-child .frame');
  await p.keyboard.press('ArrowLeft');
  await p.keyboard.press('ArrowDown');
  await frames(p);
  await check([2, 6]);
  await p.click('#tab-attention');
  await frames(p);
  assert.match(await p.getAttribute('#at-frame', 'aria-label'), /row 2, column 6/);
  await p.click('#tab-compare');
  await frames(p);
});

test('heads are chosen on each side, and what they share is the sum of the smaller values', async () => {
  await p.focus('.side:first-child .tiles-of-heads');
  await p.keyboard.press('ArrowRight');
  await p.focus('.side:last-child .tiles-of-heads');
  await p.keyboard.press('ArrowRight');
  await frames(p);
  const { head, right: of } = await state(p);
  assert.deepEqual([head, of.head], [[0, 3], 1]);
  const share = (a, b, h, k) => Array.from({ length: 64 }, (_, i) => Math.min(a[h * 64 + i], b[k * 64 + i])).reduce((x, y) => x + y);
  const [a, b] = await p.evaluate(() => explorer.views.compare.sides.map(s => [...s.maps])),
    all = [0, 1, 2].map(k => share(a, b, 3, k));
  assert.match(await p.textContent('#co-text'), new RegExp(`head 4 on the left and head 2 on the right share ${Math.round(100 * all[1])}\\D`));
  await p.evaluate(() => explorer.changed({ right: { ...explorer.state.right, head: 0 } }));
  await frames(p);
  const best = all.indexOf(Math.max(...all));
  if (best > 0) await p.click('#co-nearest');
  await frames(p);
  assert.equal((await state(p)).right.head, best);
});

test('the address holds both sides', async () => {
  await p.open(`#compare&run=${id.quadratic}&with=${id.general}&head=2,5&epoch=1&at=9,30&q=2,7&whead=3&wepoch=2&image=3`);
  await both(p);
  await sleep(400);
  const want = ['compare', [1, 4], 1, [9, 30], [2, 7], id.general, 2, 2, false, 3],
    seen = async () => {
      const s = await state(p);
      return [s.view, s.head, s.epoch, s.pixel, s.query, s.with, s.right.head, s.right.epoch, s.right.live, s.image];
    };
  assert.deepEqual(await seen(), want);
  await p.reload();
  await ready(p);
  await both(p);
  assert.deepEqual(await seen(), want);
  assert.deepEqual(await p.$$eval('.pick select', all => all.map(e => e.value)), ['1', id.general, '2']);
  assert.match(await p.textContent('#co-differ'), /3 layers of 9 heads on 8 × 8 tokens, the right one 2 layers of 4 heads.*Both attend in layers 1–2/);
  await p.click('#co-layers [data-value="2"]');
  await frames(p);
  assert.match(await p.textContent('#co-right-text'), /no attention in layer 3/);
  for (const odd of ['&with=nothing', '&with=__proto__&whead=-4', '&with=%zz&at=1e9,-4', '&at=x&wepoch=1e99'])
    await p.open(`#compare&run=${id.quadratic}${odd}`);
  await p.open(`#compare&run=${id.quadratic}&with=${id.resnet}`);
  await until(p, 'the reason', () => /has no attention: there is nothing to compare/.test(document.querySelector('#co-differ').textContent));
});

test('epochs of one run are compared, and choices are made with selects', async () => {
  await p.open(`#compare&run=${id.quadratic}&with=${id.quadratic}&wepoch=0&head=1,1&q=4,4`);
  await both(p);
  const { heads } = await server.api('runs/quadratic');
  await until(p, 'epoch 0', () => explorer.data.frames[0].epoch === 0);
  await frames(p);
  const at = epoch => heads.find(f => f.epoch === epoch).layers[0].flatMap(h => gauss(h, [4, 4], 8)),
    seen = () => p.evaluate(() => explorer.views.compare.sides.map(s => [...s.maps]));
  let [a, b] = await seen();
  assert.ok(off(a, at(3)) < 1e-5 && off(b, at(0)) < 1e-5 && off(a, b) > 1e-4);
  await p.selectOption('[aria-label="Weights on the left"]', '1');
  await frames(p);
  [a, b] = await seen();
  assert.ok(off(a, at(1)) < 1e-5 && off(b, at(0)) < 1e-5);
  await p.selectOption('[aria-label="Run on the right"]', id.learned);
  await until(p, 'the other run', () => explorer.data.other?.run.encoding === 'learned' && explorer.views.compare.sides[1].maps.some(v => v > 0));
});

test('CSV and SVG have both sides', async () => {
  const { csv, svg, maps } = await p.evaluate(async () => ({
    csv: (await explorer.saved('csv'))[2],
    svg: (await explorer.saved('svg'))[2],
    maps: explorer.views.compare.sides.map(s => [...s.maps]),
  }));
  const rows = csv.trim().split('\n').slice(1).map(l => l.split(','));
  assert.deepEqual(rows.map(r => +r.at(-1)), maps.flat());
  assert.deepEqual([...new Set(rows.map(r => r[0] + r[1]))], [`left${id.quadratic}`, `right${id.learned}`]);
  const words = await p.evaluate(text => {
    const d = new DOMParser().parseFromString(text, 'image/svg+xml');
    return d.querySelector('parsererror') ? '' : d.documentElement.textContent;
  }, svg);
  for (const want of ['quadratic', 'learned', 'Head 1, from token']) assert.ok(words.includes(want), `${want}: ${words}`);
});

test('grids of different sizes meet at a pixel, in a report', async () => {
  const root = path.join(SCRATCH, 'grids'),
    file = path.join(SCRATCH, 'two.html');
  fs.cpSync(path.join(RUNS, 'quadratic'), `${root}/coarse`, { recursive: true });
  program('train', '--data', 'shapes32', '--preset', 'tiny', '--runs', root, '--out', `${root}/fine`, '-q', '--dim', '8', '--ffn', '8',
    '--pool', '2', '--heads', '3', '--layers', '1', '--batch', '8', '--epochs', '1', '--set', 'train.limit_train_batches=1',
    '--set', 'data.val_size=40', '--set', 'train.limit_val_batches=1');
  program('report', `${root}/coarse`, `${root}/fine`, '--runs', root, '-o', file);
  assert.ok(fs.statSync(file).size < 3e6);
  const page = await tab(context, `file://${file}`);
  await page.open(`#compare&run=${id.quadratic}&at=13,7&q=3,1`);
  await both(page);
  assert.deepEqual(await labels(page), [[3, 1], [6, 3]]);
  await point(page, 1, [7, 3], 16);
  assert.deepEqual(await labels(page), [[3, 1], [7, 3]]);
  await page.focus('.side:last-child .frame');
  await page.keyboard.press('ArrowDown');
  await frames(page);
  assert.deepEqual(await labels(page), [[4, 1], [8, 3]]);
  assert.match(await page.textContent('#co-differ'), /on 8 × 8 tokens, the right one .* on 16 × 16 tokens\..*the same pixel/);
  assert.match(await page.textContent('#co-text'), /needs equal numbers of tokens/);
  assert.equal(await page.$$eval('.pick select:first-child option', all => all.length), 2);
  assert.equal(await page.isVisible('#tab-analysis'), false); // the runs have none
  assert.deepEqual(page.clean(), []);
  await page.close();
});

test('no message, no error, no other address', () => assert.deepEqual(p.clean().filter(s => !/404/.test(s)), []));
