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
  const order = await p.locator('#ru-table tbody td.network').allTextContents();
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

test('the page says what its address asks for in vain', async () => {
  const p = await tab(context, server.base, { allow: /404/ });
  for (const [hash, words] of [
    [`#zzz&run=${id.quadratic}`, 'zzz'],
    [`#whatif&run=${id.content}`, 'whatif'],
    [`#theorem&run=${id.quadratic}&kernel=zzz&border=edge&alpha=500`, 'kernel=zzz, border=edge, alpha=500'],
    [`#overview&run=${id.quadratic}&head=2,77&epoch=99`, 'head=2,77, epoch=99'],
    [`#attention&run=${id.quadratic}&shade=zzz&part=all`, 'shade=zzz, part=all'],
    [`#runs&ticked=${id.quadratic}&up=zzz`, 'up=zzz'],
    [`#attention&run=${id.quadratic}&head=3,9&q=1,1&shade=own&epoch=2&image=1`, ''],
    [`#overview&run=${id.resnet}`, 'overview'],
    [`#runs&ticked=${id.quadratic}&up=val_loss&along=time&scale=log`, ''],
  ]) {
    await p.open(hash);
    const said = await p.evaluate(() => (document.querySelector('#said').hidden ? '' : document.querySelector('#said').textContent));
    assert.equal(said, words && `The address asks for what is not here: ${words}`, hash);
  }
  await p.open(`#runs&ticked=zzz,${id.quadratic}`);
  await until(p, 'the run that is gone', () => document.querySelector('#ru-count').textContent === '7 runs; not here: zzz');
  await p.open(`#compare&run=${id.quadratic}&with=zzz`);
  await until(p, 'the other run', () => /no run "zzz"/.test(document.querySelector('#co-right-text').textContent));
  assert.deepEqual(p.clean(), []);
  await p.close();
});

// A copy of a run with other facts in its files.
function copied(root, from, name, { label = 'copy', status = {}, config = t => t }) {
  const dir = path.join(root, `20261128-101112-${label}-${name}`),
    rewrite = (file, change) => fs.writeFileSync(path.join(dir, file), change(fs.readFileSync(path.join(dir, file), 'utf8')));
  fs.cpSync(path.join(RUNS, from), dir, { recursive: true });
  rewrite('run.json', t => JSON.stringify({ ...JSON.parse(t), id: name, config_sha256: undefined, ...status }));
  rewrite('config.yaml', config);
}

test('runs: names first, marks of limited tests, values, axes, differences, a warning', async at => {
  const root = path.join(SCRATCH, 'tracked'),
    long = 'a-name-' + 'as-long-as-somebody-may-choose'.repeat(4);
  copied(root, 'quadratic', 'aaa1', { label: long, status: { tags: ['one', '<b>two'], note: '<img src=x onerror=alert(1)>' } });
  copied(root, 'general', 'aaa2', { status: { seed: 1, test_n: 100, test_images: 2000 } });
  copied(root, 'learned', 'aaa3', { config: t => t.replace('name: shapes32', 'name: cifar10') });
  const other = await serve(root),
    q = await tab(context, other.base);
  at.after(() => other.stop());
  await q.open('#runs&ticked=aaa1,aaa2');
  await until(q, 'differences', () => document.querySelectorAll('#ru-compared tbody tr').length === 2);
  const heads = (await q.locator('#ru-table th').allTextContents()).slice(1, 5);
  assert.deepEqual(heads, ['name', 'tags', 'note', 'run']);
  assert.equal(await q.locator('#ru-table img').count(), 0);
  const want = JSON.parse(program('compare', 'aaa1', 'aaa2', '--no-train', '--json', '--baseline', 'aaa1', '--runs', root)),
    got = await q.evaluate(() => [...document.querySelectorAll('#ru-compared tbody tr')].map(r => [...r.cells].map(c => c.textContent)));
  const number = v => (100 * v).toFixed(2).replace('-', '−');
  assert.equal(got[1][4], number(want.rows[1].diff));
  assert.equal(got[1][5], want.rows[1].diff_ci.map(number).join(' to '));
  assert.ok((await q.locator('#ru-table .limited').count()) > 0);
  assert.equal(await q.isVisible('#ru-mixed'), false);
  await q.focus('#ru-frame');
  await q.keyboard.press('ArrowRight');
  await q.keyboard.press('ArrowRight');
  await until(q, 'values', () => /^validation accuracy at epoch 2: .*%; .*%/.test(document.querySelector('#ru-values').textContent));
  await q.keyboard.press('Escape');
  await until(q, 'no values', () => !document.querySelector('#ru-values').textContent);
  await q.click('#ru-up [data-value=train_loss]');
  await q.click('#ru-along [data-value=step]');
  await q.click('#ru-scale [data-value=log]');
  const b = await q.locator('#ru-frame').boundingBox();
  await q.mouse.move(b.x + b.width / 2, b.y + b.height / 2);
  await until(q, 'values of steps', () => /^training loss at step \d/.test(document.querySelector('#ru-values').textContent));
  await until(q, 'the address', () => location.hash.endsWith('&up=train_loss&along=step&scale=log'));
  await q.check('#ru-table input[aria-label="curve of run aaa3"]');
  await until(q, 'the warning', () => /data.name is shapes32 in aaa1, aaa2, and cifar10 in aaa3/.test(document.querySelector('#ru-mixed').textContent));
  assert.equal(await q.locator('#ru-compared').isVisible(), false);
  await q.open('#overview&run=aaa1');
  for (const width of [390, 820, 1440]) {
    await q.setViewportSize({ width, height: 800 });
    const { rows, over } = await q.evaluate(() => ({
      rows: new Set([...document.querySelectorAll('.tabs button:not([hidden])')].map(b => b.offsetTop)).size,
      over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    assert.ok(over <= 0 && rows <= (width < 500 ? 3 : 1), `${width}: ${rows} rows of tabs, ${over} px too wide`);
  }
  assert.deepEqual(q.clean(), []);
  await q.close();
});

test('a report compares ticked runs as the server does, and warns as it does', async () => {
  const file = path.join(SCRATCH, 'compares.html'),
    of = {};
  program('report', ...['quadratic', 'general', 'learned'].map(n => `${RUNS}/${n}`), '--runs', RUNS, '-o', file);
  for (const base of [server.base, `file://${file}`]) {
    const p = await tab(context, base);
    await p.open(`#runs&ticked=${id.general},${id.quadratic}`);
    await until(p, 'differences', () => document.querySelectorAll('#ru-compared tbody tr').length === 2);
    const rows = await p.locator('#ru-compared tr').allTextContents();
    await p.check(`#ru-table input[aria-label="curve of run ${id.learned}"]`);
    await until(p, 'the warning', () => /train.epochs is/.test(document.querySelector('#ru-mixed').textContent));
    assert.equal(await p.isVisible('#ru-compared'), false);
    of[base] = [...rows, await p.textContent('#ru-mixed')];
    await p.uncheck(`#ru-table input[aria-label="curve of run ${id.general}"]`);
    await p.uncheck(`#ru-table input[aria-label="curve of run ${id.quadratic}"]`);
    await p.check(`#ru-table input[aria-label="curve of run ${id.quadratic}"]`);
    await until(p, 'only what the ticked differ in', g => !document.querySelector('#ru-mixed').textContent.includes(g), id.general);
    assert.deepEqual(p.clean(), []);
    await p.close();
  }
  assert.deepEqual(...Object.values(of));
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
