// Keyboard, names, contrast, widths, themes.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { axe, serve, browser, tab, frames, still, until, sleep } from './page.mjs';
import { setTheme } from './states.mjs';

let server, context, p, ids;
const shots = process.env.BROWSER_SHOTS;
const views = [
  ['runs', 'quadratic'],
  ['overview', 'quadratic'],
  ['analysis', 'quadratic'],
  ['attention', 'quadratic'],
  ['compare', 'quadratic'],
  ['theorem', 'quadratic'],
  ['whatif', 'quadratic'],
  ['tour', 'quadratic'],
  ['overview', 'general'],
  ['overview', 'learned'],
  ['attention', 'content'],
];
before(async () => {
  server = await serve();
  context = await browser();
  p = await tab(context, server.base);
  ids = Object.fromEntries(
    await Promise.all(['quadratic', 'general', 'learned', 'content'].map(async n => [n, (await server.api(`runs/${n}`)).run.id])),
  );
  await (await fetch(`${server.base}api/v1/runs/quadratic/analysis`, { method: 'POST' })).text(); // is measured, for its view
});
after(async () => {
  await context?.close();
  await server?.stop();
});

// open shows a view at rest.
async function open(view, run) {
  await p.open(
    view === 'runs'
      ? `#runs&ticked=${ids.quadratic},${ids.general}`
      : `#${view}&run=${ids[run]}&head=2,1${view === 'theorem' ? '&alpha=5&kernel=edge' : ''}`,
  );
  await still(p);
  if (view === 'runs') await until(p, 'curves', () => document.querySelectorAll('#ru-legend span').length === 2);
  if (view === 'overview')
    await until(p, 'shares', () => [...document.querySelectorAll('.share b')].every(b => /\d/.test(b.textContent)));
  if (view === 'analysis') await until(p, 'layers', () => document.querySelectorAll('#an-layers .layer').length === 3);
  if (view === 'compare') await until(p, 'sides', () => explorer.views.compare.sides.every(s => s.maps.some(v => v > 0)));
  if (view === 'attention') await until(p, 'maps', () => explorer.views.attention.maps().some(v => v > 0));
  if (view === 'whatif')
    await until(
      p,
      'bars',
      () => document.querySelectorAll('#wi-bars .bar').length > 0 && document.querySelector('#wi-right').textContent,
    );
  await sleep(300);
  await frames(p);
}

for (const [view, run] of views)
  test(`${view} of ${run}: fits its width, without violations of axe, light and dark`, async () => {
    await open(view, run);
    const cdp = await context.newCDPSession(p);
    await cdp.send('Runtime.evaluate', { expression: axe });
    await cdp.detach(); // the policy refuses a script
    for (const width of [320, 375, 1280, 2560]) {
      await p.setViewportSize({ width, height: width < 400 ? 812 : width > 2000 ? 1440 : 800 });
      for (const theme of ['light', 'dark']) {
        await setTheme(p, theme);
        const over = await p.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(over <= 0, `${over} px wider than ${width}`);
        if (width === 320) continue;
        if (shots)
          await p.screenshot({ path: path.join(shots, `${view}-${run}-${width}-${theme}.png`), fullPage: true });
        const found = await p.evaluate(async () =>
          (await axe.run(document, { resultTypes: ['violations'] })).violations.map(
            v =>
              `${v.id}: ${v.nodes
                .slice(0, 3)
                .map(n => n.html.slice(0, 120))
                .join(' | ')}`,
          ),
        );
        assert.deepEqual(found, [], `${width}, ${theme}`);
      }
    }
    await p.setViewportSize({ width: 1280, height: 800 });
  });

for (const [view, run] of views)
  test(`${view} of ${run}: every control is reached with Tab, shows its focus and has a name`, async () => {
    await open(view, run);
    await p.evaluate(() => document.activeElement.blur());
    const stops = new Set(),
      blind = new Set();
    for (let i = 0; i < 120; i++) {
      await p.keyboard.press('Tab');
      const s = await p.evaluate(() => {
        const e = document.activeElement;
        if (!e || e === document.body) return null;
        e.dataset.stop = 1;
        const shown = n => {
          const c = getComputedStyle(n);
          return parseFloat(c.outlineWidth) > 0 && c.outlineStyle !== 'none';
        };
        return [
          e.id || e.className || e.getAttribute('aria-label') || e.textContent || e.tagName,
          shown(e) || shown(e.closest('.rail, .file') ?? e),
        ];
      });
      if (!s) break;
      stops.add(s[0]);
      if (!s[1]) blind.add(s[0]);
    }
    assert.deepEqual([...blind], []);
    assert.ok(stops.size > 4, [...stops].join());
    const missed = await p.evaluate(() =>
      [...document.querySelectorAll('button, a[href], input, summary, [tabindex="0"]')]
        .filter(
          e =>
            e.checkVisibility({ contentVisibilityAuto: true }) &&
            e.tabIndex >= 0 &&
            !e.disabled &&
            !e.dataset.stop &&
            !e.closest('dialog'),
        )
        .map(e => e.id || e.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(missed, []);
    const { nodes } = await (await context.newCDPSession(p)).send('Accessibility.getFullAXTree');
    const unnamed = nodes
      .filter(
        n =>
          !n.ignored &&
          [
            'button',
            'link',
            'radio',
            'slider',
            'tab',
            'textbox',
            'checkbox',
            'application',
            'image',
            'searchbox',
            'columnheader',
          ].includes(n.role?.value) &&
          !n.name?.value?.trim(),
      )
      .map(n => n.role.value);
    assert.deepEqual(unnamed, []);
  });

test('a tour with the keyboard only', async () => {
  await p.open(`#overview&run=${ids.quadratic}`);
  await still(p);
  const state = () => p.evaluate(() => JSON.parse(JSON.stringify(explorer.state)));
  await p.focus('#ov-layers');
  await p.keyboard.press('ArrowRight');
  await p.keyboard.press('ArrowDown');
  assert.deepEqual((await state()).head, [1, 1]);
  await p.keyboard.press('Enter');
  await frames(p);
  assert.equal((await state()).view, 'attention');
  await p.keyboard.press('6');
  await frames(p);
  assert.equal((await state()).view, 'theorem');
  await still(p);
  const alpha = (await state()).theorem.alpha;
  await p.keyboard.press(']');
  assert.ok((await state()).theorem.alpha > alpha);
  await p.focus('#th-photo .frame');
  await p.keyboard.press('ArrowLeft');
  await frames(p);
  assert.match(await p.textContent('#th-words'), /At row 16, column 15/);
  await p.focus('#th-kernel input');
  await p.keyboard.type('1/16');
  await frames(p);
  assert.equal((await state()).theorem.kernel[0], 1 / 16);
  await p.evaluate(() => document.activeElement.blur());
  await p.keyboard.press('7');
  await frames(p);
  await until(p, 'the weights', () => /%/.test(document.querySelector('#wi-finding').textContent));
  await p.focus('#wi-frame');
  const at = await p.evaluate(() => [...explorer.views.whatif.heads[explorer.state.head[0]][explorer.state.head[1]]]);
  await p.keyboard.press('ArrowRight');
  await p.keyboard.press('Shift+ArrowDown');
  await p.keyboard.press('+');
  await frames(p);
  const now = await p.evaluate(() => [...explorer.views.whatif.heads[explorer.state.head[0]][explorer.state.head[1]]]);
  assert.ok(
    Math.abs(now[0] - at[0] - 1) < 1e-9 && Math.abs(now[1] - at[1] - 0.1) < 1e-9 && now[2] > at[2],
    `${at} became ${now}`,
  );
  await p.keyboard.press('?');
  await frames(p);
  assert.equal(await p.isVisible('#help'), true);
  await p.keyboard.press('Escape');
  assert.equal(await p.isVisible('#help'), false);
  const theme = await p.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await p.keyboard.press('t');
  await frames(p);
  assert.notEqual(await p.evaluate(() => getComputedStyle(document.body).backgroundColor), theme);
  await p.focus('#tab-whatif');
  await p.keyboard.press('ArrowLeft');
  await frames(p);
  assert.equal((await state()).view, 'theorem');
});

test('maps have a summary in words', async () => {
  await open('attention', 'quadratic');
  assert.match(
    await p.textContent('#at-summary'),
    /Layer 2, head 1, from token \(\d, \d\): most on .*entropy [\d.]+ of 6 bits/,
  );
  assert.match(await p.getAttribute('#at-frame', 'aria-label'), /query at row \d, column \d of 8 by 8 tokens/);
});

test('text of colors has contrast in both themes', async () => {
  for (const theme of ['light', 'dark']) {
    const low = await p.evaluate(t => {
      document.documentElement.dataset.theme = t;
      const i = document.createElement('i');
      document.body.append(i);
      const L = n => {
        i.style.color = `var(--${n})`;
        const [r, g, b] = getComputedStyle(i)
          .color.match(/[\d.]+/g)
          .slice(0, 3)
          .map(v => {
            v /= 255;
            return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
          });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const k = (a, b) => {
        const [x, y] = [L(a), L(b)].sort((a, b) => b - a);
        return (x + 0.05) / (y + 0.05);
      };
      const low = ['ink', 'soft', 'sharp', 'wide'].flatMap(n =>
        ['paper', 'well'].filter(on => k(n, on) < 4.5).map(on => `${n} on ${on}`),
      );
      i.remove();
      return low;
    }, theme);
    assert.deepEqual(low, [], theme);
  }
});

test('no message, no error, no other address', () => assert.deepEqual(p.clean(), []));
