// The looks of the page: every view at three widths and in two themes, compared with golden images. They show the
// example runs, whose weights are part of the program, in fonts that every machine can install.
// GOLDEN=write .ci/browser/run golden renews the images, and the pictures of the documentation; look at each before you
// commit it.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { SCRATCH, program, serve, browser, tab } from './page.mjs';
import { compare } from './golden.mjs';
import { pictures, show, states, setTheme } from './states.mjs';

const fonts = ['Inter', 'Charis SIL'];
const missing = fonts.filter(f => !fontNames().includes(f));
function fontNames() {
  try {
    return execFileSync('fc-list', [':', 'family'], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

let server, context, p, blank;
before(async () => {
  const runs = path.join(SCRATCH, 'examples');
  program('runs', 'examples', '--runs', runs, '-q');
  server = await serve(runs);
  context = await browser();
  blank = await context.newPage(); // before the page, which stays in front: behind another one it is drawn slowly
  p = await tab(context, server.base);
});
after(async () => {
  await context?.close();
  await server?.stop();
});

const skip = missing.length ? `the fonts ${missing.join(' and ')} are not installed` : false;
for (const [name, state] of Object.entries(states))
  test(`${name} looks as it did`, { skip }, async () => {
    const wrong = [];
    for (const [width, height, scale] of [
      [375, 812, 1],
      [1280, 800, 0.75],
      [3840, 2160, 0.25],
    ]) {
      await p.setViewportSize({ width, height });
      await show(p, state);
      if (width === 375) {
        // the slider sticks to the bottom of the window, and may not cover anything in a picture of the whole page
        const whole = await p.evaluate(() => document.documentElement.scrollHeight);
        await p.setViewportSize({ width, height: Math.max(height, whole) });
      }
      for (const theme of ['light', 'dark']) {
        await setTheme(p, theme);
        const png = await p.screenshot({ fullPage: true, animations: 'disabled' });
        wrong.push(await compare(blank, path.join(import.meta.dirname, 'golden', `${name}-${width}-${theme}.webp`), png, scale));
      }
    }
    assert.deepEqual(wrong.filter(Boolean), []);
  });

for (const [name, { state, height, act }] of Object.entries(pictures))
  test(`the picture ${name} of the documentation is up to date`, { skip }, async () => {
    const wrong = [];
    await p.setViewportSize({ width: 1240, height });
    await show(p, state, act);
    for (const theme of ['light', 'dark']) {
      await setTheme(p, theme);
      const file = path.join(import.meta.dirname, '../../docs/images', `explorer-${name}-${theme}.webp`);
      wrong.push(await compare(blank, file, await p.screenshot({ animations: 'disabled' }), 0.85));
    }
    assert.deepEqual(wrong.filter(Boolean), []);
  });

test('no message, no error, no other address', () => assert.deepEqual(p.clean(), []));
