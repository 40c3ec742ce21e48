// What the page asks for: of the server, or of the data that an exported file has inside.
import { head } from './math.js';
import { decode } from './draw.js';

const inline = JSON.parse(document.getElementById('data')?.textContent ?? 'null');
export const exported = inline !== null;
// inside lists the runs that an exported file has, by id.
export const inside = inline?.order ?? [];
function of(id) {
  if (!inside.includes(id)) throw new Error(`this file has no run ${id}`);
  return inline.of[id];
}

async function ask(path, options) {
  const answer = await fetch('api/v1/' + path, options);
  if (!answer.ok)
    throw new Error((await answer.json().catch(() => ({}))).error ?? `${answer.status} ${answer.statusText}`);
  return answer;
}
const json = async path => (await ask(path)).json();

// mixed reads a line of JSON and the bytes behind it.
async function mixed(path, options) {
  const all = new Uint8Array(await (await ask(path, options)).arrayBuffer()),
    end = all.indexOf(10);
  return [JSON.parse(new TextDecoder().decode(all.subarray(0, end))), all.slice(end + 1)];
}

// inFile returns the attention on an image in an exported file. Attention that does not depend on images is there once.
const inFile = (id, key, part) => of(id).attention?.[`${key}|${part}`] ?? of(id).attention?.[`*|${part}`];

// compared is how runs of an exported file compare. It has rows of all its runs, by baseline.
function compared(ids) {
  const d = inline.compared?.[ids[0]];
  if (!d) return null;
  const some = runs => runs.filter(id => ids.includes(id)),
    differ = d.mixed
      .map(m => ({ ...m, values: m.values.map(v => ({ ...v, runs: some(v.runs) })).filter(v => v.runs.length) }))
      .filter(m => m.values.length > 1);
  const rows = d.rows.filter(r => r.name === d.baseline || some(r.runs).length);
  return { ...d, mixed: differ, rows: differ.length ? [] : rows };
}

// unzipped returns the bytes of a gzip file.
async function unzipped(bytes) {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

// hasAnalysis reports whether the page may show how convolutional a run's layers are.
export const hasAnalysis = id => !exported || !!of(id).analysis;

export const PARTS = ['weights', 'scores', 'content', 'position'];
export const api = {
  runs: async () => (exported ? inline.runs : json('runs')),
  run: async id => (exported ? of(id).run : json(`runs/${encodeURIComponent(id)}`)),
  epoch: async (id, n) => frame(exported ? of(id).epochs[n] : await json(`runs/${encodeURIComponent(id)}/epochs/${n}`)),
  means: async (id, n) => means(exported ? of(id).means[n] : await json(`runs/${encodeURIComponent(id)}/means/${n}`)),
  untrained: async id => (exported ? of(id).untrained : json(`runs/${encodeURIComponent(id)}/untrained`)),
  async images(id) {
    const d = exported ? of(id).images : await json(`runs/${encodeURIComponent(id)}/images`);
    return { ...d, images: d.images.map(image) };
  },
  samples: async () => (exported ? inline.samples : await json('samples')).images.map(image),
  async weights(id) {
    if (exported && !of(id).weights) throw new Error('they are not in this file');
    const [d, bytes] = exported
      ? [of(id).weights.head, decode(of(id).weights.bytes)]
      : await mixed(`runs/${encodeURIComponent(id)}/weights`);
    return { order: d.order, flat: new Float32Array(bytes.buffer, 0, bytes.length / 4), best: frame(d.operators) };
  },
  // parts lists the parts of attention on an image that an exported file has; null: the server has all.
  parts: (id, key) => (exported ? PARTS.filter(part => inFile(id, key, part)) : null),
  async attention(id, key, epoch, part, signal) {
    if (exported) {
      const d = inFile(id, key, part);
      if (!d) throw new Error('it is not in this file');
      return [d.head, await unzipped(decode(d.bytes))];
    }
    return mixed(
      `runs/${encodeURIComponent(id)}/attention/${encodeURIComponent(key)}?part=${part}` +
        (epoch === null ? '' : `&epoch=${epoch}`),
      { signal },
    );
  },
  // analysis is what has been measured of a run, in which analysis may be null; an exported file may have none.
  analysis: async id => (exported ? (of(id).analysis ?? null) : json(`runs/${encodeURIComponent(id)}/analysis`)),
  // measure has a run measured, and calls hear with each stage. The server stops when signal aborts.
  async measure(id, extent, signal, hear) {
    const answer = await ask(`runs/${encodeURIComponent(id)}/analysis?of=${extent}`, { method: 'POST', signal }),
      reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the server has ended');
      const lines = (text + value).split('\n');
      text = lines.pop();
      for (const line of lines.map(l => JSON.parse(l))) {
        if (line.error) throw new Error(line.error);
        if (line.result) return line.result;
        hear(line);
      }
    }
  },
  async upload(id, file) {
    const d = await (await ask(`runs/${encodeURIComponent(id)}/images`, { method: 'POST', body: file })).json();
    return { ...image(d.image), key: d.key, label: file.name, own: true, classes: d.classes };
  },
  compare: async ids => (exported ? compared(ids) : json(`compare?runs=${ids.map(encodeURIComponent)}`)),
  events: (id, since) => new EventSource(`api/v1/runs/${encodeURIComponent(id)}/events?since=${since}`),
};

// image turns an image of the server into one of the page. Raw bytes need no img-src, and are exact.
const image = im => ({ ...im, key: String(im.index), bytes: decode(im.rgb) });

// frame turns an epoch of the server into one of the page.
const frame = d => ({
  epoch: d.epoch,
  heads: d.heads.layers.map(l => l.map(head)),
  grams: d.grams ?? null,
  shares: d.shares ?? null,
});

// means turns the mean attention of an epoch into a frame of the page. near has p̄(δ) of the shifts from (−5, −5) on.
const means = d => ({
  epoch: d.epoch,
  images: d.images,
  shares: d.layers.map(l => l.within3),
  heads: d.layers.map(l =>
    l.heads.map(h => ({
      center: h.center,
      half: h.half,
      tap: { shift: h.tap, weight: h.weight },
      near: Float32Array.from(decode(h.near), b => h.most * (b / 255) ** 2),
    })),
  ),
});
