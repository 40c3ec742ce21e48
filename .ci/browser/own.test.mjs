// Images that the user drops, the table of runs, and the commands that the page shows.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PROGRAM, RUNS, SCRATCH, program, ids, serve, browser, tab, until, ready, frames } from './page.mjs';

let server, context, id;
before(async () => {
  server = await serve();
  context = await browser();
  id = await ids(server);
});
after(async () => {
  await context?.close();
  await server?.stop();
});

test('the user’s image is classified as predict does; other files are refused', async () => {
  const p = await tab(context, server.base, { allow: /41[35]/ });
  await p.open(`#attention&run=${id.content}`);
  await until(p, 'maps', () => explorer.views.attention.maps().some(v => v > 0));
  const own = path.join(SCRATCH, 'own.png');
  const png = await p.evaluate(() => {
    const c = document.createElement('canvas');
    c.width = 57;
    c.height = 31;
    const g = c.getContext('2d');
    g.fillStyle = '#a30';
    g.fillRect(0, 0, 57, 31);
    g.fillStyle = '#0c8';
    g.beginPath();
    g.arc(25, 15, 11, 0, 7);
    g.fill();
    return c.toDataURL('image/png');
  });
  fs.writeFileSync(own, Buffer.from(png.split(',')[1], 'base64'));
  const count = await p.evaluate(() => explorer.data.images.length);
  await p.setInputFiles('#at-file', own);
  await until(p, 'the answer', n => explorer.data.images.length === n + 1, count);
  await frames(p);
  const [want] = JSON.parse(program('predict', `${RUNS}/content`, own, '--json')).predictions,
    got = await p.evaluate(() => explorer.data.images.at(-1).classes);
  assert.deepEqual(got.slice(0, 3), want.classes.slice(0, 3));
  await until(p, 'its maps', () => !/Asking/.test(document.querySelector('#at-summary').textContent));
  assert.match(await p.textContent('#at-class'), new RegExp(want.classes[0].class));
  const said = async (name, bytes, words) => {
    fs.writeFileSync(path.join(SCRATCH, name), bytes);
    await p.setInputFiles('#at-file', path.join(SCRATCH, name));
    await until(
      p,
      words,
      w => !document.querySelector('#said').hidden && document.querySelector('#said').textContent.includes(w),
      words,
    );
  };
  await said('text.png', 'not an image', 'text.png');
  await said('large.png', Buffer.alloc(9 << 20), 'at most 8 MB');
  await said('half.png', fs.readFileSync(own).subarray(0, 60), 'half.png');
  assert.equal(await p.evaluate(() => explorer.data.images.length), count + 1);
  assert.deepEqual(p.clean(), []);
  await p.close();
});

test('the table of runs sorts, filters and ticks', async () => {
  const p = await tab(context, server.base);
  await p.open('#runs');
  await until(p, 'rows', () => document.querySelectorAll('#ru-table tbody tr').length === 7);
  await p.fill('#ru-filter', 'general');
  await frames(p);
  assert.equal(await p.locator('#ru-table tbody tr').count(), 1);
  await p.fill('#ru-filter', '');
  await frames(p);
  await p.click('#ru-table th button:has-text("model")');
  await frames(p);
  const order = await p.locator('#ru-table tbody tr td:nth-child(4)').allTextContents();
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })),
  );
  for (const i of [0, 1]) await p.locator('#ru-table tbody input').nth(i).check();
  await until(p, 'curves', () => document.querySelectorAll('#ru-legend span').length === 2);
  assert.match(await p.textContent('#command code'), /^attnconv plot-curves \S+ \S+$/);
  await p.click(`#ru-table a[href*="${id.general}"]`);
  await ready(p);
  await until(p, 'the run', () => location.hash.startsWith('#overview') && !!globalThis.explorer?.data.run);
  assert.equal(await p.evaluate(() => explorer.data.run.id), id.general);
  assert.deepEqual(p.clean(), []);
  await p.close();
});

test('the commands that the page shows run as shown, in the folder of runs', async () => {
  const p = await tab(context, server.base),
    seen = new Set(),
    shell = line =>
      execFileSync('sh', ['-c', line], {
        cwd: SCRATCH,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${path.dirname(PROGRAM)}:${process.env.PATH}` },
      });
  const show = async (hash, ready) => {
    await p.open(hash);
    if (ready) await until(p, 'the view', ready);
    await frames(p);
    const line = await p.textContent('#command code');
    seen.add(line);
    return line;
  };
  const mapped = () => explorer.views.attention.maps().some(x => x > 0);
  await show('#runs');
  await show(`#runs&ticked=${id.quadratic},${id.general}`, () => document.querySelectorAll('#ru-legend span').length === 2);
  for (const name of ['quadratic', 'general', 'learned', 'content']) await show(`#overview&run=${id[name]}`);
  await show(`#overview&run=${id.quadratic}&epoch=1`);
  await show(`#attention&run=${id.quadratic}&epoch=1&q=2,3`, mapped);
  await show(`#attention&run=${id.general}&q=2,3`, mapped);
  await show(`#whatif&run=${id.quadratic}`);
  for (const border of ['zero', 'replicate', 'circular']) await show(`#theorem&alpha=5.2&border=${border}`);
  await show('#theorem&alpha=104&border=zero');
  for (const part of ['weights', 'scores', 'content', 'position'])
    await show(`#attention&run=${id.content}&q=2,3&image=2&part=${part}`, mapped);
  await show(`#attention&run=${id.learned}&image=2`, mapped);
  const saved = p.waitForEvent('download');
  await p.click('#at-save');
  await (await saved).saveAs(path.join(SCRATCH, (await saved).suggestedFilename()));
  for (const line of seen) {
    for (const file of ['kernels.svg', 'error.svg']) fs.rmSync(path.join(SCRATCH, file), { force: true });
    shell(line);
    const [, file] = line.match(/ -o (\S+)$/) ?? [];
    if (file) assert.match(fs.readFileSync(path.join(SCRATCH, file), 'utf8'), /<svg/, line);
  }
  assert.ok(seen.size > 15, [...seen].join('\n'));

  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.base.slice(0, -1) });
  const line = await show('#theorem&alpha=46&border=zero');
  await p.click('#copy');
  await until(p, 'the copy', () => document.querySelector('#copy').textContent === 'copied');
  assert.equal(await p.evaluate(() => navigator.clipboard.readText()), line);
  assert.deepEqual(p.clean(), []);
  await p.close();
});

// The image that the page saves is the one that the network was given: its maps are those of the page.
test('a saved image is the test image', async () => {
  const p = await tab(context, server.base);
  await p.open(`#attention&run=${id.content}&image=3`);
  await until(p, 'maps', () => explorer.views.attention.maps().some(x => x > 0));
  const saved = p.waitForEvent('download');
  await p.click('#at-save');
  const file = path.join(SCRATCH, 'saved.png');
  await (await saved).saveAs(file);
  const maps = await p.evaluate(() => [...explorer.views.attention.maps()]),
    count = await p.evaluate(() => explorer.data.images.length);
  await p.setInputFiles('#at-file', file);
  await until(p, 'the answer', n => explorer.data.images.length === n + 1 && explorer.state.image === n, count);
  await until(p, 'its maps', () => !/Asking/.test(document.querySelector('#at-summary').textContent));
  await frames(p);
  assert.deepEqual(await p.evaluate(() => [...explorer.views.attention.maps()]), maps);
  await p.close();
});
