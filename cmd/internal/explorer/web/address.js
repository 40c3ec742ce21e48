// The state of the page and its address, in which a link keeps it.
import { $, clamp } from './draw.js';
import { exported, inside } from './api.js';
import { PRESETS } from './exact.js';

export const VIEWS = ['report', 'runs', 'overview', 'analysis', 'attention', 'compare', 'theorem', 'whatif', 'tour'];

// hasReport reports whether the page has a report: a file that the command report writes.
export const hasReport = () => $('#report').childElementCount > 0;

// Axes of the curves of runs.
export const UP = ['val_acc', 'train_loss', 'val_loss'];
export const ALONG = ['epoch', 'step', 'time'];

// address returns the view and the other words of the address: #theorem&alpha=46&kernel=edge&image=2
export function address() {
  const [view, ...rest] = location.hash.slice(1).split('&');
  const text = s => {
    try {
      return decodeURIComponent(s);
    } catch {
      return s;
    }
  };
  return [
    view,
    Object.fromEntries(
      rest.map(s => {
        const i = s.indexOf('=');
        return [s.slice(0, i), text(s.slice(i + 1))];
      }),
    ),
  ];
}

// pick is the index of an image: the one asked for or, if none is (-1), the star, on which attention is easy to see.
export function pick({ images, samples }, i) {
  const list = images.length ? images : samples;
  if (!list.length) return i;
  return i < 0 ? Math.max(0, list.findIndex(im => im.label === 'star')) : Math.min(i, list.length - 1);
}

// read returns the state that the address says, within what the run has; unknown has what the address says in vain.
export function read(data) {
  const [view, get] = address(),
    { run, counts } = data,
    unknown = [];
  const doubt = (k, known) => {
    if (k in get && !known) unknown.push(`${k}=${get[k]}`);
  };
  const num = (k, a, b, otherwise) => {
    const v = parseFloat(get[k]);
    doubt(k, v >= a && v <= b);
    return Number.isFinite(v) ? clamp(v, a, b) : otherwise;
  };
  const word = (k, names, otherwise = names[0]) => {
    doubt(k, names.includes(get[k]));
    return names.includes(get[k]) ? get[k] : otherwise;
  };
  const list = s => (s ? s.split(',').map(Number) : []),
    grid = run?.grid ?? [8, 8],
    last = data.frames.at(-1)?.epoch ?? data.kept.at(-1) ?? run?.epoch ?? 0;
  const q = list(get.q),
    h = list(get.head),
    kernel = word('kernel', Object.keys(PRESETS), 'emboss'),
    own = list(get.own),
    isOwn = own.length === 9 && own.every(Number.isFinite);
  const layer = clamp(Math.round(h[0] || 1), 1, counts.length || 1) - 1,
    head = clamp(Math.round(h[1] || 1), 1, counts[layer] || 1) - 1;
  if (counts.length) doubt('head', get.head === `${layer + 1},${head + 1}`);
  return {
    unknown,
    view: VIEWS.includes(view) ? view : hasReport() ? 'report' : run ? (run.foreign ? 'attention' : 'overview') : 'runs',
    ticked: (get.ticked ?? '').split(',').filter(Boolean),
    axes: {
      up: word('up', UP),
      along: word('along', ALONG),
      scale: word('scale', ['linear', 'log']),
      from: num('from', 0, 1e12, 0),
      to: num('to', 0, 1e12, 0),
    },
    filter: get.filter ?? '',
    sort: get.sort ?? '-started',
    epoch: num('epoch', 0, last, last),
    live: !('epoch' in get),
    step: Math.round(num('step', 1, 10, 1)) - 1,
    image: pick(data, Math.round(num('image', 0, 1e6, -1))),
    scale: word('shade', ['shared', 'own']),
    part: word('part', ['weights', 'content', 'position', 'scores']),
    pins: [],
    with: get.with ?? '',
    right: { head: Math.round(num('whead', 1, 1e4, 1)) - 1, epoch: num('wepoch', 0, 1e9, 0), live: !('wepoch' in get) },
    pixel: list(get.at).length === 2 && list(get.at).every(Number.isFinite) ? list(get.at) : null,
    query: [0, 1].map(i => (Number.isFinite(q[i]) ? clamp(Math.round(q[i]), 0, grid[i] - 1) : (grid[i] / 2) | 0)),
    head: [layer, head],
    theorem: {
      preset: isOwn ? '' : kernel,
      kernel: isOwn ? own : [...PRESETS[kernel]],
      border: word('border', ['zero', 'replicate', 'circular'], 'replicate'),
      alpha: num('alpha', 1, 104, 1),
      pixel: null,
      head: -1,
      error: 0,
    },
    given: 'alpha' in get,
  };
}

// write returns the address of a state.
export function write(s, data) {
  const t = s.theorem,
    of = data.run && (!exported || inside.length > 1) ? [`run=${encodeURIComponent(data.run.id)}`] : [],
    at = `head=${s.head[0] + 1},${s.head[1] + 1}`,
    epoch = s.live ? [] : [`epoch=${Math.round(s.epoch)}`],
    pic = s.image < 0 ? [] : [`image=${s.image}`];
  const { up, along, scale, from, to } = s.axes,
    short = v => +v.toPrecision(6);
  const own = {
    report: [],
    runs: [
      s.ticked.length && `ticked=${s.ticked}`,
      s.filter && `filter=${encodeURIComponent(s.filter)}`,
      s.sort !== '-started' && `sort=${encodeURIComponent(s.sort)}`,
      up !== UP[0] && `up=${up}`,
      along !== ALONG[0] && `along=${along}`,
      scale === 'log' && 'scale=log',
      from > 0 && `from=${short(from)}`,
      to > 0 && `to=${short(to)}`,
    ].filter(Boolean),
    overview: [...epoch, at],
    analysis: [],
    attention: [
      ...epoch,
      at,
      `q=${s.query}`,
      `shade=${s.scale}`,
      ...(s.part === 'weights' ? [] : [`part=${s.part}`]),
      ...pic,
    ],
    compare: [
      ...epoch,
      at,
      `q=${s.query}`,
      ...(s.pixel ? [`at=${s.pixel}`] : []),
      ...pic,
      ...(s.with ? [`with=${encodeURIComponent(s.with)}`] : []),
      `whead=${s.right.head + 1}`,
      ...(s.right.live ? [] : [`wepoch=${Math.round(s.right.epoch)}`]),
    ],
    theorem: [
      `alpha=${+t.alpha.toFixed(2)}`,
      t.preset ? `kernel=${t.preset}` : `own=${t.kernel}`,
      `border=${t.border}`,
      ...pic,
    ],
    whatif: [at, ...pic],
    tour: [`step=${s.step + 1}`, ...pic],
  }[s.view];
  return '#' + [s.view, ...of, ...own].join('&');
}
