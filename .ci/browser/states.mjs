// States of the page on the example runs, for pictures.
import { frames, still, until, sleep } from './page.mjs';

// Each state is an address and what must have happened before it is shown.
export const states = {
  runs: ['#runs&ticked=quad,lrnd', () => document.querySelectorAll('#ru-legend span').length === 2],
  overview: ['#overview&run=quad&head=1,3', overview],
  tables: ['#overview&run=lrnd&head=2,5', overview],
  analysis: ['#analysis&run=quad', analysis],
  compare: ['#compare&run=quad&with=lrnd&head=1,6&whead=1&q=3,3&image=5', compare],
  attention: ['#attention&run=quad&head=1,1&q=3,3&image=5', () => explorer.views.attention.maps().some(v => v > 0)],
  scores: [
    '#attention&run=lrnd&head=1,6&q=4,2&image=6&shade=own',
    () => explorer.views.attention.maps().some(v => v > 0),
  ],
  theorem: ['#theorem&run=quad&alpha=5&kernel=edge&image=5', () => explorer.views.theorem.ready()],
  whatif: [
    '#whatif&run=quad&head=2,4&image=5',
    () =>
      document.querySelectorAll('#wi-bars .bar').length > 0 && !!document.querySelector('#wi-right').textContent,
  ],
};
function analysis() {
  if (document.querySelector('#an-found').hidden && document.querySelector('#an-stage').hidden) document.querySelector('#an-weights').click();
  document.querySelector('#an-place').textContent = 'Measured for this page.'; // without its time and folder
  explorer.data.run.path = 'runs/quad';
  explorer.changed({});
  return !document.querySelector('#an-found').hidden;
}
function compare() {
  return explorer.views.compare.sides.every(s => s.maps.some(v => v > 0));
}
function overview() {
  const { frames, means, kept, untrained } = explorer.data;
  return !!untrained && (means.length || frames.filter(f => f.grams).length) === kept.length + 1;
}

// The pictures of docs/explorer.md and README.md: a state, the height of the window, and what is done in it.
export const pictures = {
  overview: { state: ['#overview&run=quad&head=1,3', overview], height: 765 },
  tables: { state: ['#overview&run=lrnd&head=2,5', overview], height: 765 },
  analysis: { state: states.analysis, height: 800 },
  compare: { state: states.compare, height: 1030 },
  attention: {
    state: states.attention,
    height: 1010,
    act() {
      explorer.state.pins = [
        [1, 1],
        [5, 6],
      ];
    },
  },
  theorem: { state: states.theorem, height: 760 },
  whatif: {
    state: states.whatif,
    height: 760,
    act() {
      const head = explorer.views.whatif.heads[1][3]; // head 4 of layer 2, dragged to the other side
      [head[0], head[1]] = [1.4, 2.6];
      explorer.changed({ edited: true });
      explorer.views.whatif.predict();
    },
  },
  tour: {
    state: ['#tour&run=quad&step=4&image=5', () => explorer.views.tour.flow?.known?.im === explorer.data.images[5]],
    height: 800,
    act() {
      const canvas = [...document.querySelectorAll('#to-steps .out canvas')].at(-1),
        b = canvas.getBoundingClientRect(); // the token in row 3, column 4
      canvas.dispatchEvent(
        new PointerEvent('pointermove', { clientX: b.x + 0.56 * b.width, clientY: b.y + 0.44 * b.height }),
      );
    },
  },
};

// show opens a state at rest, in fonts that look the same on every machine.
export async function show(p, [address, ready], act) {
  await p.emulateMedia({ reducedMotion: 'reduce' });
  await p.open(address);
  await p.evaluate(async () => {
    document.documentElement.style.setProperty('--sans', 'Inter');
    document.documentElement.style.setProperty('--serif', "'Charis SIL'");
  });
  await p.mouse.move(0, 0);
  await still(p);
  await until(p, address, ready);
  if (act) await p.evaluate(act);
  await p.evaluate(() => explorer.changed({}));
  await sleep(400);
  await frames(p);
}

export async function setTheme(p, theme) {
  await p.evaluate(t => {
    document.documentElement.dataset.theme = t === 'dark' ? 'light' : 'dark';
    document.querySelector('#theme').click();
  }, theme);
  await frames(p);
  await sleep(200);
}
