// How convolutional the layers are: measured on request, canceled, read from a file, and saved.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { RUNS, SCRATCH, program, serve, browser, tab, until, sleep } from './page.mjs';

const root = path.join(SCRATCH, 'measured');
let server, context, p, id, want; // want: what the command says of the run quadratic
const names = ['quadratic', 'learned', 'long', 'resnet']; // long: larger, so that nothing ends before it is canceled
before(async () => {
  for (const name of names) fs.cpSync(path.join(RUNS, name), path.join(root, name), { recursive: true });
  server = await serve(root);
  context = await browser();
  p = await tab(context, server.base, { allow: /409 \(Conflict\)/ });
  id = Object.fromEntries(
    await Promise.all(names.map(async n => [n, (await server.api(`runs/${n}`)).run.id])),
  );
});
after(async () => {
  await context?.close();
  await server?.stop();
});
const post = (name, of) => fetch(`${server.base}api/v1/runs/${name}/analysis?of=${of}`, { method: 'POST' });
const begun = page => until(page, 'a stage', () => /\S/.test(document.querySelector('#an-words').textContent) && !document.querySelector('#an-stage').hidden);
// free waits until nothing is measured, and returns how long that took.
async function free() {
  for (const begin = Date.now(); ; await sleep(50)) {
    const answer = await post('resnet', 'weights'),
      { status } = answer;
    await answer.text();
    if (status === 200) return Date.now() - begin;
    assert.equal(status, 409);
    assert.ok(Date.now() - begin < 10000, 'still measuring after 10 s');
  }
}

test('the page measures as the command does', async () => {
  await p.open(`#analysis&run=${id.quadratic}`);
  await until(p, 'the state', () => /not been measured/.test(document.querySelector('#an-none').textContent));
  await p.click('#an-weights');
  await until(p, 'layers', () => document.querySelectorAll('#an-layers .layer').length > 0);
  assert.match(await p.textContent('#command code'), /^attnconv analyse \S+ --quick --json > \S+analysis.json$/); // the only one
  assert.equal(await p.locator('#analysis code').count(), 0);
  want = JSON.parse(program('analyse', `${root}/quadratic`, '--quick', '--json'));
  const seen = await p.evaluate(() => ({
      verdict: [...document.querySelectorAll('#an-verdict p')].map(e => e.textContent),
      shares: [...document.querySelectorAll('#an-layers .words b')].map(e => parseInt(e.textContent)),
      bars: [...document.querySelectorAll('#an-layers .shares')].map(e => e.getAttribute('aria-label')),
      borders: [...document.querySelectorAll('#an-layers .words p')].map(e => e.textContent).filter(text => /^any size/.test(text)),
      profiles: [...document.querySelectorAll('#an-layers .of-heads p')].map(e => parseInt(e.textContent)),
    }));
  assert.deepEqual(seen.verdict, want.verdict);
  assert.deepEqual(seen.shares, want.layers.map(l => Math.round(100 * (l.shares.k1 + l.shares.k3))));
  assert.deepEqual(seen.profiles, want.layers.map(l => l.profiles.count));
  want.layers.forEach((l, i) => assert.ok(seen.bars[i].includes(`no convolution ${Math.round(100 * l.shares.place)}`), seen.bars[i]));
  const any = test => (test.value < 0.99 ? Math.round(100 * test.value) : Math.floor(100 * test.value));
  want.layers.forEach((l, i) => assert.match(seen.borders[i], new RegExp(`^any size: zeros ${any(l.borders.zeros.any)}[.0-9]*.%, edges ${any(l.borders.repeated.any)}[.0-9]*.%$`)));
  assert.match(await p.textContent('#an-layers .layer p'), new RegExp(`untrained ${Math.round(100 * want.layers[0].null.within3.mean)} ±`));
});

// canvas pixels: how many columns of a bar are darker than the ground, which are the convolutions' shares
test('the bar of a layer is as long as its share', async () => {
  const { part, want } = await p.evaluate(() => {
    const canvas = document.querySelector('#an-layers .shares'),
      { width } = canvas,
      row = canvas.getContext('2d').getImageData(0, Math.round(canvas.height * 0.3), width, 1).data,
      { shares } = explorer.views.analysis.measured().layers[0];
    let last = 0;
    for (let x = 0; x < width - 2; x++) if (row[4 * x + 3] > 200 && row[4 * x] < 225) last = x;
    return { part: last / width, want: 1 - shares.place };
  });
  assert.ok(Math.abs(part - want) < 0.02 || want > 0.99, `the bar ends at ${part}, want ${want}`);
});

test('cancel, a closed page, and a second one', async () => {
  await p.open(`#analysis&run=${id.long}`);
  await until(p, 'the state', () => /not been measured/.test(document.querySelector('#an-none').textContent));
  await p.click('#an-all');
  await begun(p);
  assert.equal((await post('learned', 'weights')).status, 409);
  const second = await tab(context, server.base, { allow: /409/ });
  await second.open(`#analysis&run=${id.long}`);
  await second.click('#an-weights');
  await until(second, 'the reason', () => /being measured already/.test(document.querySelector('#said').textContent));
  await p.click('#an-cancel');
  await until(p, 'the buttons', () => !document.querySelector('#an-all').hidden);
  assert.ok((await free()) < 5000);
  assert.equal(await p.textContent('#said'), '');
  await second.click('#an-all');
  await begun(second);
  assert.equal((await post('resnet', 'weights')).status, 409);
  await second.close();
  assert.ok((await free()) < 5000);
  assert.equal((await server.api('runs/long/analysis')).analysis, null);
});

test('SVG and CSV have the numbers', async () => {
  await p.open(`#analysis&run=${id.quadratic}`);
  await until(p, 'layers', () => document.querySelectorAll('#an-layers .layer').length > 0);
  const { svg, csv, layers } = await p.evaluate(async () => ({
    svg: (await explorer.saved('svg'))[2],
    csv: (await explorer.saved('csv'))[2],
    layers: explorer.views.analysis.measured().layers,
  }));
  const rows = csv.trim().split('\n').map(l => l.split(','));
  assert.deepEqual(rows.slice(1).map(r => +r[2]), layers.map(l => l.shares.k3));
  const { words, shapes } = await p.evaluate(text => {
    const d = new DOMParser().parseFromString(text, 'image/svg+xml');
    return { words: d.documentElement.textContent, shapes: d.querySelectorAll('rect').length, error: d.querySelector('parsererror') };
  }, svg);
  assert.ok(words.includes('Layer 3') && words.includes('untrained') && shapes > 30, words);
});

test('a saved analysis is shown as text, also in a file of its own', async () => {
  const file = path.join(root, 'learned', 'analysis.json'),
    d = structuredClone(want);
  d.verdict = ['<img src=x onerror=alert(1)>', '</script><script>alert(2)</script>', 'three'];
  d.layers[0].sentence = '<b>bold</b>';
  fs.writeFileSync(file, JSON.stringify(d));
  await p.open(`#analysis&run=${id.learned}`);
  const shown = async page => {
    await until(page, 'layers', () => document.querySelectorAll('#an-layers .layer').length > 0);
    assert.deepEqual(await page.$$eval('#an-verdict p', all => all.map(e => e.textContent)), d.verdict);
    assert.equal(await page.$$eval('#analysis img, #an-sentences b', all => all.length), 0);
  };
  await shown(p);
  assert.match(await p.textContent('#an-place'), /^From analysis\.json/);
  const exported = path.join(SCRATCH, 'measured.html');
  program('serve', `${root}/learned`, '--export', exported);
  const alone = await tab(context, `file://${exported}`);
  await alone.open('#analysis');
  await shown(alone);
  assert.equal(await alone.isVisible('#an-weights'), false);
  assert.deepEqual(alone.clean(), []);
  await alone.close();
  fs.writeFileSync(file, '{"v":1,');
  await p.open(`#analysis&run=${id.learned}`);
  await until(p, 'the reason', () => /^analysis\.json: /.test(document.querySelector('#an-none').textContent));
});

test('a network without attention has an analysis', async () => {
  await p.open(`#analysis&run=${id.resnet}`);
  await until(p, 'layers', () => document.querySelectorAll('#an-layers .layer').length > 0);
  assert.equal(await p.isVisible('#an-key'), false);
});

test('no message, no error, no other address', () => assert.deepEqual(p.clean().filter(s => !/422/.test(s)), []));
