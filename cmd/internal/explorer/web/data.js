// The data of the page: a run, read once, and what is added to it while the page is open.
import { api, exported, inside } from './api.js';
import { address } from './address.js';
import { glide } from './draw.js';
import { head } from './math.js';
import { network, runnable } from './network.js';

// nothing is the data of a page without a run. frames are Gaussian heads by epoch, means the mean attention of other
// heads; blocks are the numbers of the layers that attend, from 1, and counts their heads.
export const nothing = () => ({
  run: null,
  list: null, // of runs, if it was needed to find this one
  classes: [],
  curve: [],
  frames: [],
  means: [],
  kept: [],
  snapshots: [],
  images: [], // of the test set; they come later than the rest
  samples: [], // drawn ones, for views that need 32 × 32 pixels, if the run has no such images
  waiting: true, // for the images
  blocks: [],
  counts: [],
  untrained: null,
  ask: null, // asks for means, once a view needs them
  network: null, // see readNetwork
  failed: '',
});

// readRun reads what the page shows of a run.
export async function readRun(id) {
  const d = await api.run(id);
  return {
    run: d.run,
    classes: d.classes,
    curve: d.curve,
    kept: d.kept,
    snapshots: d.snapshots,
    images: [],
    waiting: true,
    frames: d.heads.map(f => ({ epoch: f.epoch, heads: f.layers.map(l => l.map(head)), grams: null, shares: null })),
    blocks: d.run.heads.flatMap((n, i) => (n ? [i + 1] : [])),
    counts: d.run.heads.filter(Boolean),
  };
}

// readNetwork reads the best weights of a run of Gaussian heads, once an epoch: its heads as a frame, and the network,
// null where the page cannot compute it.
export function readNetwork(data) {
  const { epoch } = data.frames.at(-1);
  if (data.network?.epoch !== epoch) {
    const weights = api.weights(data.run.id).then(({ order, flat, best }) => ({
      best,
      net: runnable(data.run, order) ? network(data.run, order, flat) : null,
    }));
    data.network = { epoch, weights };
  }
  return data.network.weights;
}

// load reads the run that the address names or, without one, the newest.
export async function load() {
  const [view, get] = address(),
    data = nothing();
  let id = get.run;
  if (exported) id = inside.includes(get.run) ? get.run : inside[0];
  if (!id && !exported) {
    const all = (await api.runs()).runs;
    data.list = all;
    if ((view !== 'runs' && view !== '') || all[0]?.foreign || (view === '' && all.length === 1)) id = all[0]?.id;
  }
  if (id) Object.assign(data, await readRun(id));
  return data;
}

const small = ({ run, images }) => !!run && images.length > 0 && run.image[0] === 32 && run.image[1] === 32;

// squares are images of 32 × 32 pixels: the run's, or drawn ones.
export const squares = data => (small(data) ? data.images : data.samples);

// readImages adds the images to the data of a run or, without any of 32 × 32 pixels, drawn ones.
export async function readImages(data) {
  try {
    if (data.run) {
      const { images, mean, std, note } = await api.images(data.run.id);
      data.images.push(...images);
      Object.assign(data.run, { mean, std, note: note || data.run.note });
    }
    if (data.samples && !small(data)) data.samples.push(...(await api.samples()));
  } finally {
    data.waiting = false;
  }
}

// absent says why a view has no images, or no attention on one, yet.
export function absent({ run, images, samples, waiting }, im) {
  if (waiting) return 'Reading the images …';
  if (im?.key === 'own') return 'The program cannot see an image that stays in this browser, so there is no attention on it.';
  if (images.length || samples?.length) return 'Asking for the attention on this image …';
  return run?.note || `The images of ${run?.data} are not on this machine.`;
}

// put puts what is known of an epoch into a list by epoch.
export function put(list, frame) {
  const i = list.findIndex(x => x.epoch === frame.epoch);
  if (i >= 0) list[i] = frame;
  else {
    list.push(frame);
    list.sort((a, b) => a.epoch - b.epoch);
  }
}

// recorded turns the heads of a line of metrics.jsonl into a frame.
const recorded = d => ({
  epoch: d.epoch,
  grams: null,
  shares: null,
  heads: d.layers
    .filter(l => l.centers.length)
    .map(l =>
      l.centers.map((c, i) => {
        if (l.alpha) return head([...c, 2 * l.alpha[i], 0, 2 * l.alpha[i]]);
        const [[a, b], [, d]] = l.precision[i];
        return head([...c, a, b, d]);
      }),
    ),
});

// follow keeps the data up to date: the images, what the weights of each epoch say, and what a training run writes.
export function follow(data, state, changed, images) {
  if (!data.run) return images();
  const { id } = data.run,
    gaussian = data.frames.length > 0;

  // measure asks for what the weights after an epoch say. They may be gone, or not written yet.
  async function measure(n) {
    try {
      if (gaussian) put(data.frames, await api.epoch(id, n));
      else put(data.means, await api.means(id, n));
      data.failed = '';
    } catch (e) {
      data.failed = e.message;
    }
    changed({});
  }
  // The epochs before and after training come first, since colors compare with the start, then the newest.
  // The images, which the overview does not show, are read before the others.
  async function measureAll() {
    const order = [...new Set([data.kept.at(-1) ?? 0, 0, ...data.kept.toReversed()])],
      ends = order.splice(0, 2).reduce((before, n) => before.then(() => measure(n)), Promise.resolve());
    if (state.view === 'overview') await Promise.race([ends, new Promise(ok => setTimeout(ok, 500))]);
    await Promise.all([images(), ends]);
    api
      .untrained(id)
      .then(d => {
        data.untrained = d;
        changed({});
      })
      .catch(() => {}); // a network of unknown kind has no untrained ones to compare with
    for (const n of order) await measure(n);
  }
  if (data.run.foreign) { // the picture of the view comes first
    data.ask = () => {
      data.ask = null;
      measure(0);
    };
    return images();
  }
  if (!exported) listen(data, changed, n => setTimeout(epochEnded, 1500, n));
  data.counts.length ? measureAll() : images();

  // epochEnded takes up the weights that the run has written after an epoch.
  async function epochEnded(n) {
    if (data.run.attends && !data.run.layers) return location.reload(); // the first weights: there are more views now
    await measure(n);
    const last = (data.frames.at(-1) ?? data.means.at(-1))?.epoch;
    if (state.live && last > state.epoch) go(last);
  }
  // go moves the heads from the epoch that is shown to a newer one.
  let goal = 0;
  function go(to) {
    const from = state.epoch;
    goal = to;
    glide(1200, u => {
      if (!state.live || goal !== to) return false;
      changed({ epoch: u < 1 ? from + (to - from) * u : to });
    });
  }
}

// listen hears what a run writes. ended is called with the number of an epoch.
function listen(data, changed, ended) {
  const source = api.events(data.run.id, data.run.offset);
  source.addEventListener('state', e => {
    const d = JSON.parse(e.data);
    data.run.state = d.state;
    data.run.epoch = d.epoch;
    changed({});
  });
  source.addEventListener('reset', () => location.reload());
  source.addEventListener('record', e => {
    const d = JSON.parse(e.data),
      last = data.curve.at(-1)?.epoch ?? 0;
    if (d.ev === 'epoch' && d.epoch > last) {
      data.curve.push(d);
      data.run.epoch = d.epoch;
      ended(d.epoch);
    }
    if (d.ev === 'heads' && data.frames.length && !data.frames.some(f => f.epoch === d.epoch)) put(data.frames, recorded(d));
    if (d.ev === 'start') data.run.steps = d.steps;
    if (d.ev === 'step') data.run.step = d;
    changed({});
  });
}
