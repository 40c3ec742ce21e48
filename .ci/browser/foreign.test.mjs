// A network of another program: its heads on pictures, how convolutional it is, and no word of training.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import { SCRATCH, program, serve, browser, tab, until, frames } from './page.mjs';

const networks = path.resolve('analyse/vision/testdata'),
  examples = path.join(SCRATCH, 'examples'),
  pictures = path.join(examples, 'example-images'),
  vit = [path.join(networks, 'timm_vit.pth'), pictures, '--heads', '3'];
let server, context, p;
before(async () => {
  program('runs', 'examples', '--runs', examples);
  server = await serve(examples, 0, ...vit);
  context = await browser();
  p = await tab(context, server.base);
});
after(async () => {
  await context?.close();
  await server?.stop();
});
const tabs = page => page.evaluate(() => [...document.querySelectorAll('[role=tab]')].filter(e => !e.hidden).map(e => e.textContent));
const drawn = page => until(page, 'maps', () => explorer.views.attention.maps().some(v => v > 0));

test('the page begins with the heads on the first picture', async () => {
  await p.open('');
  await drawn(p);
  assert.deepEqual(await tabs(p), ['Overview', 'Analysis', 'Attention', 'Theorem', 'Tour']);
  assert.equal(await p.textContent('#run-name'), 'timm_vit.pth · ViT of timm');
  assert.equal(await p.isVisible('#at-drop, #at-part, #command'), false);
  const answer = Buffer.from(await (await fetch(`${server.base}api/v1/runs/weights/attention/0`)).arrayBuffer()),
    { layers } = JSON.parse(answer.subarray(0, answer.indexOf(10)));
  await p.evaluate(() => explorer.changed({ query: [1, 3], head: [1, 0] }));
  await frames(p);
  const elsewhere = Buffer.from(layers[1].elsewhere, 'base64')[1 * 4 + 3] / 255,
    { sum, words } = await p.evaluate(() => ({
      sum: explorer.views.attention.maps().slice(3 * 16, 4 * 16).reduce((a, b) => a + b),
      words: document.querySelector('#at-summary').textContent,
    }));
  assert.ok(elsewhere > 0.01 && Math.abs(sum + elsewhere - 1) < 0.02, `${sum} on the grid and ${elsewhere} elsewhere`);
  assert.match(words, new RegExp(`; ${Math.round(100 * elsewhere)}\\s%\\selsewhere, not on the grid; entropy of the rest `));
  for (const i of [3, 5, 7]) await p.evaluate(i => explorer.changed({ image: i }), i);
  await until(p, 'the last of several pictures', () => !/Asking/.test(document.querySelector('#at-summary').textContent));
  assert.deepEqual(p.clean(), []);
});

test('no view has words of training', async () => {
  for (const width of [1280, 375]) {
    await p.setViewportSize({ width, height: 800 });
    for (const view of ['overview', 'analysis', 'attention']) {
      await p.open(`#${view}&run=weights`);
      await until(p, view, () => explorer.state.view !== 'overview' || explorer.data.means.length > 0);
      await frames(p);
      assert.doesNotMatch(await p.innerText('body'), /epoch|seed|training|began|validation|test image|undefined|NaN/i, view);
      assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} is too wide`);
    }
  }
  await p.setViewportSize({ width: 1280, height: 800 });
  await p.open('#runs');
  assert.equal(await p.evaluate(() => explorer.state.view), 'attention');
  await p.open('#compare');
  assert.equal(await p.evaluate(() => explorer.state.view), 'attention');
  assert.deepEqual(p.clean(), []);
});

test('the page measures as the command does that it shows', async () => {
  await p.open('#analysis');
  await until(p, 'the state', () => /network has not been measured/.test(document.querySelector('#an-none').textContent));
  for (const button of ['#an-weights', '#an-all']) {
    await p.click(button);
    await until(p, 'layers', all => document.querySelectorAll('#an-layers .layer').length > 0 && (!all || explorer.views.analysis.measured().layers[0].answers), button === '#an-all');
    await frames(p);
  }
  const command = await p.textContent('#command code'),
    words = command.split(' ');
  assert.deepEqual(words, ['attnconv', 'analyse', ...vit.slice(0, 2), '--images', '10', ...vit.slice(2)]);
  const want = JSON.parse(program(...words.slice(1), '--json')),
    seen = await p.evaluate(() => ({
      verdict: [...document.querySelectorAll('#an-verdict p')].map(e => e.textContent),
      words: [...document.querySelectorAll('#an-layers .layer .words')].map(e => e.innerText),
      head: [...document.querySelectorAll('#an-table thead th')].map(e => e.textContent),
      place: document.querySelector('#an-place').textContent,
    }));
  assert.deepEqual(seen.verdict, want.verdict);
  want.layers.forEach((l, i) => {
    const percent = v => `${Math.round(100 * v)}\\s%`;
    assert.match(seen.words[i], new RegExp(`depends on the image: ${percent(l.content.share.value)}`));
    assert.match(seen.words[i], new RegExp(`attention on other tokens: ${percent(l.elsewhere.value)}`));
    assert.match(seen.words[i], new RegExp(`${l.answers.same} of 10 keep their class`));
  });
  assert.ok(['depends on the image', 'elsewhere', 'same class'].every(c => seen.head.filter(h => h === c).length === 1) && !seen.head.some(c => /R²|accuracy/.test(c)), seen.head.join());
  assert.match(seen.place, /on 10 pictures/);
  assert.deepEqual(p.clean(), []);
});

test('the tour follows a picture through its attention, and has no epochs', async () => {
  await p.open('#tour&run=weights&step=4');
  await until(p, 'attention', () => explorer.views.tour.flow.trace(0, 7) !== null);
  await frames(p);
  assert.match(await p.textContent('#to-lit'), /Point at a token .* only for networks of Gaussian heads/);
  const index = await p.evaluate(() => explorer.data.images[explorer.state.image].index),
    answer = Buffer.from(await (await fetch(`${server.base}api/v1/runs/weights/attention/${index}`)).arrayBuffer()),
    [layer] = JSON.parse(answer.subarray(0, answer.indexOf(10))).layers,
    other = Buffer.from(layer.elsewhere, 'base64'),
    lost = [0, 1, 2].reduce((s, h) => s + other[h * layer.tokens + 7] / 255 / 3, 0),
    sum = await p.evaluate(() => explorer.views.tour.flow.trace(0, 7)[0].reduce((a, b) => a + b));
  assert.ok(lost > 0.01 && Math.abs(sum - (1 - lost / 2)) < 1e-6, `${sum} comes from the grid, want ${1 - lost / 2}`);
  await p.evaluate(() => explorer.changed({ step: 9 }));
  await frames(p);
  assert.match(await p.textContent('#to-none'), /needs a run that was trained here/);
  assert.equal(await p.isVisible('#to-text, #to-heads, #to-slide, #to-pictures'), false);
  assert.deepEqual(p.clean(), []);
});

test('as one file', async () => {
  const file = path.join(SCRATCH, 'foreign.html');
  program('serve', ...vit, '--export', file);
  const page = await tab(context, `file://${file}`);
  await page.open('');
  await drawn(page);
  assert.deepEqual(await tabs(page), ['Overview', 'Attention', 'Theorem', 'Tour']);
  await page.evaluate(() => explorer.changed({ image: 9 }));
  await until(page, 'the last picture', () => !/Asking/.test(document.querySelector('#at-summary').textContent));
  await page.click('#tab-overview');
  await until(page, 'means', () => /convolution/.test(document.querySelector('#ov-finding').textContent));
  assert.deepEqual(page.clean(), []);
  await page.close();
});

test('attention in windows has an analysis only', async () => {
  const windows = await serve(examples, 0, path.join(networks, 'swin.pth'), pictures),
    page = await tab(context, windows.base);
  await page.open('');
  assert.deepEqual(await tabs(page), ['Analysis', 'Theorem', 'Tour']);
  assert.match(await page.textContent('#said'), /no view of the heads: attention in windows/);
  await page.click('#an-weights');
  await until(page, 'layers', () => document.querySelectorAll('#an-layers .layer').length > 0);
  await page.click('#tab-tour');
  await until(page, 'the tour', () => /does not show the heads/.test(document.querySelector('.part.none')?.textContent));
  assert.deepEqual(page.clean(), []);
  await page.close();
  await windows.stop();
});
