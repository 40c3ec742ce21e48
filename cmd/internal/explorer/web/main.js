// The page: loads a run, keeps the state, and draws one view at most once a frame.
import { $, readColors, clamp, still, say, capital } from './draw.js';
import { exported, hasAnalysis, inside } from './api.js';
import { nothing, load, follow, readImages } from './data.js';
import { VIEWS, address, hasReport, pick, read, write } from './address.js';
import { commands } from './commands.js';
import { runs } from './runs.js';
import { overview } from './overview.js';
import { analysis } from './analysis.js';
import { attention } from './attention.js';
import { compare } from './compare.js';
import { theorem } from './theorem.js';
import { whatif } from './whatif.js';
import { tour } from './tour.js';
import { embed } from './embed.js';
import { drawTraining } from './training.js';
import { svgOf, pngOf, csvOf, save } from './picture.js';

function nameOf(run) {
  if (!run) return '';
  if (run.foreign) return `${run.name} · ${run.model}`;
  return `${run.name && run.name !== run.id ? run.name + ' · ' : ''}${run.model} · ${run.data} · seed ${run.seed}${run.note ? ' · other images here' : ''}`;
}

// showName names the run in the header, and says below the images how they differ from the run's.
function showName(run) {
  if (run?.note && !run.foreign)
    for (const b of document.querySelectorAll('.thumbs')) b.dataset.note = capital(run.note);
  $('#run-name').textContent = nameOf(run);
  $('#run-name').title = [nameOf(run), run?.note].filter(Boolean).join(': ');
}

async function start() {
  embed();
  readColors();
  let data;
  try {
    data = await load();
  } catch (e) {
    say(`The run cannot be read: ${e.message}`);
    data = nothing();
  }
  $('#reading').hidden = true;
  const state = read(data),
    page = { data, state, frame: null }; // frame: milliseconds that the last drawing took, which may be 0
  let queued = false,
    saving = 0,
    drawn = '';
  const changed = patch => {
    const view = state.view;
    Object.assign(state, patch);
    if (state.view !== view) {
      views[view]?.scrub?.pause();
      show(true);
    }
    if (!queued) {
      queued = true;
      requestAnimationFrame(() => {
        queued = false;
        draw();
      });
    }
  };
  const { run } = data,
    gaussian = data.frames.length > 0,
    views = {};
  // offer has a view built once it is needed: what is shown first does not wait for the others.
  const offer = (name, build) =>
    Object.defineProperty(views, name, {
      enumerable: true,
      configurable: true,
      get() {
        const view = build(data, state, changed);
        Object.defineProperty(views, name, { value: view });
        return view;
      },
    });
  if (!run?.foreign) offer('runs', runs);
  offer('theorem', (...of) => {
    const view = theorem(...of);
    view.write();
    return view;
  });
  offer('tour', tour);
  if (hasReport()) offer('report', () => ({ draw() {} }));
  if (data.counts.length) offer('overview', overview);
  if (run && hasAnalysis(run.id)) offer('analysis', analysis);
  if (gaussian) offer('whatif', whatif);
  if (run?.layers) {
    offer('attention', attention);
    if (!run.foreign) offer('compare', compare);
  }
  showName(run);
  if (run?.foreign) say(run.note);
  // doubt says what the address asks for in vain.
  const doubt = ({ unknown }) => {
    const [view] = address(),
      all = view && !(view in views) ? [view, ...unknown] : unknown;
    if (all.length) say(`The address asks for what is not here: ${all.join(', ')}`);
  };
  if ($('#said').hidden) doubt(state);
  if (!(state.view in views)) state.view = run ? ['attention', run.foreign && 'analysis', 'theorem'].find(v => v in views) : 'runs';
  function draw() {
    const t = performance.now();
    views[state.view].draw();
    page.frame = performance.now() - t;
    const command = views[state.view].command?.() ?? commands[state.view](data, state, views);
    if ($('#command code').textContent !== command) $('#command code').textContent = command;
    $('#command').hidden = !command;
    $('#saves').hidden = !views[state.view].rows;
    drawTraining(run);
    clearTimeout(saving);
    saving = setTimeout(() => history.replaceState(null, '', write(state, data)), 300);
  }
  const tabs = VIEWS.map(v => $('#tab-' + v)),
    open = () => VIEWS.filter(v => v in views);
  function show(push) {
    VIEWS.forEach((v, i) => {
      $('#' + v).hidden = v !== state.view;
      tabs[i].hidden = !(v in views) || (v === 'runs' && exported && inside.length < 2);
      tabs[i].setAttribute('aria-selected', v === state.view);
      tabs[i].tabIndex = v === state.view ? 0 : -1;
    });
    document.title = `${tabs[VIEWS.indexOf(state.view)].textContent} – attnconv explorer`;
    if (push) history.pushState(null, '', write(state, data));
    if (state.view === 'theorem') {
      views.theorem.wires();
      if (!state.given && !still.matches && !drawn.includes('theorem')) {
        state.theorem.alpha = 1;
        setTimeout(() => state.view === 'theorem' && views.theorem.scrub.play(), 900);
      }
    }
    drawn += state.view;
  }
  tabs.forEach((b, i) => {
    b.onclick = () => changed({ view: VIEWS[i] });
  });
  $('.tabs').onkeydown = e => {
    const d = { ArrowRight: 1, ArrowLeft: -1 }[e.key],
      all = open();
    if (d) {
      const v = all[(all.indexOf(state.view) + d + all.length) % all.length];
      changed({ view: v });
      $('#tab-' + v).focus();
    }
  };
  addEventListener('hashchange', () => {
    const [, get] = address();
    if ((!exported || inside.includes(get.run)) && get.run && get.run !== run?.id) return location.reload(); // another run: the page begins anew
    const next = read(data);
    doubt(next);
    if (!(next.view in views)) next.view = state.view;
    Object.assign(state, next, { theorem: Object.assign(state.theorem, next.theorem), axes: Object.assign(state.axes, next.axes) });
    views.theorem.write();
    show(false);
    changed({});
  });
  $('#copy').onclick = async () => {
    try {
      await navigator.clipboard.writeText($('#command code').textContent);
      $('#copy').textContent = 'copied';
    } catch {
      getSelection().selectAllChildren($('#command code'));
      $('#copy').textContent = 'selected';
    }
    setTimeout(() => {
      $('#copy').textContent = 'copy';
    }, 1500);
  };

  // a picture, or the numbers, of the view that is shown
  async function saved(kind) {
    const { view } = state,
      name = `attnconv-${view}${run ? '-' + run.id : ''}.${kind}`;
    if (kind === 'csv') return [name, 'text/csv', csvOf(views[view].rows())];
    const svg = svgOf($('#' + view), () => views[view].draw(), document.title);
    return kind === 'svg' ? [name, 'image/svg+xml', svg] : [name, 'image/png', await pngOf(svg)];
  }
  for (const b of $('#saves').querySelectorAll('button'))
    b.onclick = async () => {
      try {
        save(...(await saved(b.dataset.kind)));
      } catch (e) {
        say(`The view cannot be saved: ${e.message}`);
      }
    };

  const dark = matchMedia('(prefers-color-scheme: dark)'),
    root = document.documentElement;
  const recolor = () => {
    readColors();
    changed({});
  };
  $('#theme').onclick = () => {
    const now = root.dataset.theme ?? (dark.matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
    recolor();
  };
  dark.addEventListener('change', recolor);
  addEventListener('themed', recolor);
  const help = $('#help');
  $('#help-open').onclick = () => help.showModal();
  addEventListener('keydown', e => {
    if (
      e.target.closest('input:not([type=range], [type=checkbox]), dialog, select, textarea') ||
      e.ctrlKey ||
      e.metaKey ||
      e.altKey
    )
      return;
    const v = VIEWS['012345678'.indexOf(e.key)],
      scrub = views[state.view].scrub,
      button = e.target.closest('button, summary, a, input');
    if (e.key >= '0' && e.key <= '8' && v in views) changed({ view: v });
    else if (e.key === 't') $('#theme').click();
    else if (e.key === '?') help.showModal();
    else if (e.key === ' ' && scrub && !button) {
      e.preventDefault();
      scrub.toggle();
    } else if (e.key === '[' || e.key === ']') {
      const d = e.key === ']' ? 1 : -1,
        t = state.theorem;
      scrub?.pause();
      if (state.view === 'theorem') t.alpha = clamp(t.alpha * 1.1 ** d, 1, 104);
      else if (state.view === 'tour') views.tour.go(d);
      else if (views.overview?.scrub) {
        state.epoch = views.overview.step(d);
        state.live = false;
      }
      changed({});
    }
  });
  addEventListener('beforeprint', () => {
    for (const d of document.querySelectorAll('#report details')) d.open = true;
  });
  new ResizeObserver(() => {
    if (state.view === 'theorem') views.theorem.wires();
    changed({});
  }).observe($('#main'));
  Object.assign(page, { views, changed, draw, saved });
  globalThis.explorer = page; // for tests
  show(false);
  changed({});
  follow(data, state, changed, async () => {
    await readImages(data).catch(e => say(`The images cannot be read: ${e.message}`));
    showName(run);
    changed({ image: pick(data, state.image) });
  });
}
start();
