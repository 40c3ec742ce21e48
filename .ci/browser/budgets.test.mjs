// Budgets of the page, measured and printed. A test fails only at five times a budget, because machines are shared.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { RUNS, SCRATCH, program, serve, browser, tab, drawn, frames, still, until, sleep } from './page.mjs';

let server, context, id;
before(async () => {
  server = await serve();
  context = await browser();
  id = (await server.api('runs/quadratic')).run.id;
});
after(async () => {
  await context?.close();
  await server?.stop();
});

function within(what, value, budget, unit) {
  console.log(`budget: ${what}: ${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit} (${budget})`);
  assert.ok(value <= 5 * budget, `${what}: ${value} ${unit}, five times ${budget} or more`);
}
const median = all => all.sort((a, b) => a - b)[all.length >> 1];

test('the first view: paint, and bytes on the wire', async () => {
  const p = await tab(context, server.base),
    cdp = await context.newCDPSession(p);
  let bytes = 0;
  await cdp.send('Network.enable');
  cdp.on('Network.loadingFinished', e => {
    bytes += e.encodedDataLength;
  });
  await p.open(`#overview&run=${id}`, drawn);
  const paint = await p.evaluate(
    () => performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint')?.startTime ?? 0,
  );
  within('first contentful paint', paint, 1000, 'ms');
  within('heads are drawn', await p.evaluate(() => performance.now()), 500, 'ms');
  await until(p, 'shares', () => [...document.querySelectorAll('.share b')].every(b => /\d/.test(b.textContent)));
  within('first view on the wire', bytes / 1000, 1000, 'kB');
  await p.close();
});

// A run of 6 × 9 heads on 16 × 16 tokens, as large as the paper's. Its heads do not matter for the
// time.
test('a query change with 6 × 9 heads on 16 × 16 tokens', async () => {
  const root = path.join(SCRATCH, 'large');
  program(
    'train',
    '--data',
    'shapes32',
    '--preset',
    'tiny',
    '--out',
    `${root}/one`,
    '--runs',
    root,
    '-q',
    '--dim',
    '16',
    '--ffn',
    '16',
    '--pool',
    '2',
    '--layers',
    '6',
    '--heads',
    '9',
    '--batch',
    '8',
    '--epochs',
    '1',
    '--set',
    'train.limit_train_batches=1',
    '--set',
    'data.val_size=40',
    '--set',
    'train.limit_val_batches=1',
  );
  const large = await serve(root),
    p = await tab(context, large.base);
  await p.open('#attention&run=one');
  await frames(p);
  const all = await p.evaluate(() => {
    const all = [];
    for (let i = 0; i < 240; i++) {
      explorer.state.query = [(i * 7) % 16, (i * 3) % 16];
      const t = performance.now();
      explorer.views.attention.draw();
      all.push(performance.now() - t);
    }
    return all;
  });
  within('query change, 54 maps of 16 × 16', median(all), 16, 'ms');
  await p.open('#compare&run=one');
  await until(p, 'both sides', () => explorer.views.compare.sides.every(s => s.maps.some(v => v > 0)));
  const both = await p.evaluate(() => {
    const all = [];
    for (let i = 0; i < 240; i++) {
      explorer.state.query = [(i * 7) % 16, (i * 3) % 16];
      const t = performance.now();
      explorer.views.compare.draw();
      all.push(performance.now() - t);
    }
    return all;
  });
  within('query change of two networks, 9 maps of 16 × 16 each', median(both), 16, 'ms');
  await p.close();
  await large.stop();
});

test('dragging a head, and the prediction', async () => {
  const p = await tab(context, server.base);
  await p.open(`#whatif&run=${id}`);
  await until(p, 'the weights', () => document.querySelectorAll('#wi-bars .bar').length > 0);
  const { draw, predict } = await p.evaluate(() => {
    const { views } = explorer,
      draw = [],
      predict = [];
    for (let i = 0; i < 60; i++) {
      views.whatif.heads[0][3][1] = Math.sin(i);
      let t = performance.now();
      views.whatif.draw();
      draw.push(performance.now() - t);
      t = performance.now();
      views.whatif.predict();
      predict.push(performance.now() - t);
    }
    return { draw, predict };
  });
  within('drag: map and kernel', median(draw), 16.7, 'ms');
  within('drag: prediction', median(predict), 100, 'ms');
  const b = await p.locator('#wi-frame').boundingBox();
  await p.evaluate(() => {
    globalThis.gaps = [];
    let last = performance.now();
    const tick = t => {
      gaps.push(t - last);
      last = t;
      if (gaps.length < 600) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await p.mouse.move(b.x + b.width / 2, b.y + b.height / 2);
  await p.mouse.down();
  for (let i = 0; i < 90; i++)
    await p.mouse.move(b.x + b.width * (0.5 + 0.3 * Math.cos(i / 9)), b.y + b.height * (0.5 + 0.3 * Math.sin(i / 7)));
  await p.mouse.up();
  within('drag: between frames', median(await p.evaluate(() => gaps.slice(2))), 16.7, 'ms');
  await p.close();
});

test('α changes', async () => {
  const p = await tab(context, server.base);
  await p.open('#theorem');
  await still(p);
  const all = await p.evaluate(() => {
    const all = [];
    for (let i = 0; i < 60; i++) {
      explorer.state.theorem.alpha = 104 ** (i / 59);
      const t = performance.now();
      explorer.views.theorem.draw();
      all.push(performance.now() - t);
    }
    return all;
  });
  within('α change', median(all), 16.7, 'ms');
  await p.close();
});

test('memory over 500 changes of every view', async () => {
  const p = await tab(context, server.base),
    cdp = await context.newCDPSession(p);
  await cdp.send('HeapProfiler.enable');
  await p.open(`#overview&run=${id}`);
  const heap = async () => {
    for (let i = 0; i < 3; i++) {
      await cdp.send('HeapProfiler.collectGarbage');
      await sleep(100);
    }
    return (await cdp.send('Runtime.getHeapUsage')).usedSize;
  };
  const change = n =>
    p.evaluate(async n => {
      const { state, views, changed } = explorer,
        rest = () => new Promise(requestAnimationFrame);
      for (let i = 0; i < n; i++) {
        const view = ['overview', 'attention', 'theorem', 'whatif', 'runs', 'compare', 'tour', 'analysis'][((i / 25) | 0) % 8];
        if (state.view !== view) changed({ view });
        views.theorem.scrub.pause();
        state.query = [i % 8, i % 5];
        state.head = [i % 3, i % 9];
        state.epoch = i % 4;
        state.theorem.alpha = 1 + (i % 100);
        state.image = i % 8;
        state.ticked = views.runs.list().slice(i % 3, 4).map(r => r.id);
        state.axes.up = i % 2 ? 'val_acc' : 'train_loss';
        if (view === 'whatif') views.whatif.heads[0][0][1] = Math.sin(i);
        changed({});
        await rest();
      }
    }, n);
  await change(200);
  await sleep(1000);
  const first = await heap();
  await change(500);
  await sleep(1000);
  const last = await heap();
  console.log(
    `budget: heap ${(first / 1e6).toFixed(1)} → ${(last / 1e6).toFixed(1)} MB over 500 changes (within 20 %)`,
  );
  assert.ok(last < 1.2 * first + 5e5, `${first} became ${last}`);
  await p.close();
});

test('a thousand runs', async () => {
  const root = path.join(SCRATCH, 'thousand'),
    from = path.join(RUNS, 'quadratic'),
    status = JSON.parse(fs.readFileSync(path.join(from, 'run.json')));
  for (let i = 0; i < 1000; i++) {
    const dir = path.join(root, `r${i}`),
      n = `a${String(i).padStart(3, '0')}`;
    fs.mkdirSync(dir, { recursive: true });
    fs.writeFileSync(
      path.join(dir, 'run.json'),
      JSON.stringify({ ...status, id: n, name: `r${i}`, seed: i, config_sha256: undefined }),
    );
    fs.writeFileSync(
      path.join(dir, 'config.yaml'),
      fs.readFileSync(path.join(from, 'config.yaml'), 'utf8').replace(/lr: \S+/, `lr: ${0.001 * (1 + (i % 7))}`),
    );
  }
  const many = await serve(root),
    begin = Date.now(),
    list = await many.api('runs');
  within('1,000 runs: the list', Date.now() - begin, 1000, 'ms');
  assert.equal(list.runs.length, 1000);
  const p = await tab(context, many.base),
    t = Date.now();
  await p.open('#runs');
  await until(p, 'rows', () => document.querySelectorAll('#ru-table tbody tr').length === 1000);
  within('1,000 runs: the table is drawn', Date.now() - t, 2000, 'ms');
  assert.deepEqual(p.clean(), []);
  await p.close();
  await many.stop();
});

test('sizes of exported files', () => {
  for (const [name, budget] of [
    ['quadratic', 1000],
    ['general', 1000],
    ['content', 10000],
    ['resnet', 1000],
  ]) {
    const file = path.join(SCRATCH, `size-${name}.html`);
    program('serve', `${RUNS}/${name}`, '--export', file);
    within(`export of ${name}`, fs.statSync(file).size / 1000, budget, 'kB');
  }
});
