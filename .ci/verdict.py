#!/usr/bin/env python3
"""Computes every number of docs/data/verdict.json again from studies/*/*.json, with nothing but Python's standard
library, and compares. It shares no code with studies/gen. docs/statistics.md has the formulas."""
import base64, functools, glob, json, math, multiprocessing, os, re, sys
from statistics import NormalDist, mean, variance

os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
STUDIES = ("search", "control", "encodings", "data", "half", "relations")
everything = [json.load(open(f)) for s in STUDIES for f in sorted(glob.glob(f"studies/{s}/*.json"))]
runs = everything  # those of the number that is computed
# Study half has the trials of the other studies, of hybrids, and of a search of its own.
KINDS = {"content": "encodings", "quadratic-general": "encodings", "content-only": "encodings", "relative": "encodings",
         "conv-first": "hybrids", "attention-first": "hybrids",
         "general-kept": "pruning", "general-pruned": "pruning", "general-random": "pruning"}


def place(trial):
    if "-lr0." in trial:
        return "search"
    model, number = trial.rsplit("-seed", 1)
    if int(number) >= 5:
        return "replication"
    if "-tuned" in model:
        return "retuned"
    return "data" if "-n1000-" in trial or "-n5000-" in trial else KINDS.get(model, "control")


halves = [{**r, "study": place(r["trial"])} for r in everything if r["study"] == "half"]


def best(study):
    """by model: the learning rate with the best accuracy on validation images, of three"""
    found = {}
    for r in everything:
        if r["study"] == study and "-lr0." in r["trial"]:
            model, rate = r["trial"].rsplit("-lr", 1)
            found.setdefault(model, {})[float(rate)] = -1 if r["diverged"] else r["epochs"][-1]["val_acc"]
    return {model: max(of, key=of.get) for model, of in found.items() if len(of) == 3}


def at_own_rate():
    """runs of study half at the rate of its own search, without "-tuned" in their names"""
    at_full, at_half, kept = best("search"), best("half"), []
    again = {r["trial"].split("-tuned")[0] for r in halves if r["study"] == "retuned"}
    for r in halves:
        model = re.sub(r"(-n\d+)?-seed\d+$", "", r["trial"])
        name = model.removesuffix("-tuned")
        if r["study"] == "search" or name not in at_half or (name in again) != ("-tuned" in r["trial"]):
            continue
        if name in again or name in KINDS or at_full.get(name) == at_half[name]:
            trial = r["trial"].replace("-tuned", "")
            kept.append({**r, "trial": trial, "study": place(trial)})
    return kept


owns = at_own_rate()

# The second plan: of each study the planned arms, with their first seed and their number of seeds.
WEIGHTS, POSITIONS = ("0.003", "0.01", "0.03"), ("0.003", "0.01", "0.03", "0.1", "0.3")
MARKS = ("attention", "convnet", "resnet10", "conv-twin", "conv-far")
ZOO = ("vit", "mixer", "convit", "swin", "nat", "quadratic", "coatnet", "cct", "convnext", "convmixer", "resnet18")
SIZED = ("quadratic", "quadratic-grid", "conv-twin", "conv-twin-e24")  # arms of control-full whose number of runs is computed
RESNET = ("0.03", "0.06", "0.12")
PLAN = {
    "rates": {**{f"quadratic-w{w}-p{p}": (200, 2) for w in WEIGHTS for p in POSITIONS},
              **{f"{arm}-lr{w}": (200, 2) for arm in ("conv-twin", "quadratic-grid", "quadratic-frozen") for w in WEIGHTS},
              **{f"resnet18-lr{r}": (200, 2) for r in ("0.03", "0.06", "0.12", "0.24")}},
    "compute": {**{arm: (20, 8) for arm in ("quadratic", "conv-twin-e4", "conv-twin-e7", "conv-twin-e10")},
                **{f"resnet18-e{e}": (20, 5) for e in (4, 5, 12)}},
    "outward": {**{arm: (30, 5) for arm in (
        "quadratic-l12", "table", "table-l12", "quadratic-general", "quadratic-shapes32", "table-shapes32",
        "quadratic-frozen", "quadratic-frozen-l12", "quadratic-grid")}, "quadratic-pool2": (30, 2)},
    "places": {"learned": (40, 16), **{f"search-transplanted-lr{w}": (214, 2) for w in WEIGHTS}, "transplanted": (100, 16),
               **{arm: (100, 8) for arm in ("frozen", "widths", "centers", "rotated", "reversed", "grid")}},
    "dilated": {**{f"twin-{d}": (60, 10) for d in (111111, 112233, 332211, 222222)},
                **{f"search-dcls-w{w}-p{p}": (200, 2) for w in WEIGHTS for p in POSITIONS[2:]}, "dcls": (60, 10)},
    "marks": {**{f"search-{arm}-lr{r}": (200, 2) for arm in MARKS for r in ("0.0003", "0.001", "0.003", "0.01")},
              **{arm: (20, 5) for arm in MARKS}},
    "control-full": {**{f"search-quadratic-w{w}-p{p}": (200, 2) for w in WEIGHTS for p in POSITIONS},
                     **{f"search-{arm}-lr{w}": (200, 2) for arm in ("conv-twin", "quadratic-grid", "quadratic-frozen") for w in WEIGHTS},
                     **{f"search-resnet18-lr{r}": (200, 2) for r in RESNET}, **{arm: (20, 8) for arm in SIZED},
                     **{arm: (20, 3) for arm in ("quadratic-frozen", "resnet18", "resnet18-e26")}},
    "zoo": {**{f"search-{arm}-lr{r}": (400, 1) for arm in ZOO for r in (RESNET if arm == "resnet18" else WEIGHTS)},
            **{arm: (410, 3) for arm in ZOO}},
}
NEEDS = {"outward": ["compute"], "dilated": ["compute"], "control-full": ["places"]}  # whose runs they compare with
newer = {s: {r["trial"]: r for r in map(json.load, map(open, glob.glob(f"studies/{s}/*-seed*.json")))} for s in PLAN}


def done_of(study, arm=None):
    return sum(f"{a}-seed{first + i}" in newer[study] for a, (first, n) in PLAN[study].items() if arm in (None, a) for i in range(n))


def complete(study):
    return done_of(study) == sum(n for _, n in PLAN[study].values()) and all(map(complete, NEEDS.get(study, [])))


def planned(name, study=None):
    """runs of an arm that did not diverge, by STUDY/ARM or by its name in a study"""
    study, arm = name.split("/") if "/" in name else (study, name)
    first, n = PLAN[study][arm]
    return [r for i in range(n) if not (r := newer[study][f"{arm}-seed{first + i}"])["diverged"]]
times = json.load(open("studies/steptime.json"))


# Quantiles of Student's t: bisection of its distribution function, an integral by Simpson's rule.

def t_upper(t, nu):
    """P(T > t) for t > 0, after the substitution t = tan(a)·√nu, which makes the integrand a power of a cosine."""
    lo, hi, n = math.atan(t / math.sqrt(nu)), math.pi / 2, 500
    h = (hi - lo) / n
    f = [math.cos(lo + i * h) ** (nu - 1) if i < n else (1.0 if nu == 1 else 0.0) for i in range(n + 1)]
    integral = h / 3 * (f[0] + f[-1] + 4 * sum(f[1:-1:2]) + 2 * sum(f[2:-1:2]))
    return integral * math.exp(math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2)) / math.sqrt(math.pi)


memo = {}
count = 0  # runs of the number that was computed last


def quantile(level, nu):
    """of Student's t with nu degrees of freedom; None: of the normal distribution"""
    tail = (1 - level) / 2
    if nu is None:
        return -NormalDist().inv_cdf(tail)
    if (level, nu) not in memo:
        lo, hi = 0.0, 1e6
        for _ in range(80):
            middle = (lo + hi) / 2
            lo, hi = (middle, hi) if t_upper(middle, nu) > tail else (lo, middle)
        memo[level, nu] = lo
    return memo[level, nu]


# Accuracies of runs on the same images: crossed random factors.

def bits(r):
    raw, n = base64.b64decode(r["test"]["right"]), r["test"]["n"]
    return [raw[i // 8] >> (i % 8) & 1 for i in range(n)]


class Sum:
    """the mean over runs of tables (run, image) of numbers, with the variances of runs and of images"""

    def __init__(self, tables, whole_runs):
        n, images = len(tables), len(tables[0])
        self.mean = mean(whole_runs)
        self.by_image = [sum(column) / n for column in zip(*tables)]
        self.seeds, self.nu, both = 0.0, None, 0.0
        if n > 1:
            self.seeds, self.nu = variance(whole_runs) / n, n - 1
            squares = sum((v - run - image + self.mean) ** 2 for row, run in zip(tables, whole_runs)
                          for v, image in zip(row, self.by_image))
            both = min(self.seeds, squares / ((n - 1) * (images - 1)) / (n * images))
        self.images = max(0.0, variance(self.by_image) / images - both)


class Accuracy(Sum):
    def __init__(self, rs):
        self.tables = [bits(r) for r in rs]
        self.runs = [r["test"]["acc"] for r in rs]
        self.n_images = len(self.tables[0])
        super().__init__(self.tables, self.runs)
        if len(rs) == 1:
            self.images = self.mean * (1 - self.mean) / self.n_images

    def wilson(self, t):
        p, v = self.mean, self.seeds + self.images
        size = p * (1 - p) / v if v > 0 else self.n_images
        if size == 0:
            return p, p
        center = (p + t * t / (2 * size)) / (1 + t * t / size)
        half = t / (1 + t * t / size) * math.sqrt((p * (1 - p) + t * t / (4 * size)) / size)
        return max(0.0, center - half), min(1.0, center + half)


def mixed(level, seeds, nu, images):
    if seeds + images == 0:
        return quantile(level, None)
    return ((quantile(level, nu) * seeds if seeds else 0) + quantile(level, None) * images) / (seeds + images)


def accuracy(rs):
    global count
    a, count = Accuracy(rs), len(rs)
    return a.mean, a.wilson(mixed(0.95, a.seeds, a.nu, a.images)), None


def difference(xs, bases):
    pairs = [(x, b) for x in xs for b in bases if seed(x) == seed(b)]
    global count
    count, xs, bases = len(pairs), [x for x, _ in pairs], [b for _, b in pairs]
    x, b = Accuracy(xs), Accuracy(bases)
    d = Sum([[p - q for p, q in zip(*tables)] for tables in zip(x.tables, b.tables)],
            [p - q for p, q in zip(x.runs, b.runs)])
    vx, vb, v = x.seeds + x.images, b.seeds + b.images, d.seeds + d.images
    rho = min(1.0, max(-1.0, (vx + vb - v) / (2 * math.sqrt(vx * vb)))) if vx * vb > 0 else 0.0

    def interval(level):
        t = mixed(level, d.seeds, d.nu, d.images)
        (xl, xu), (bl, bu) = x.wilson(t), b.wilson(t)
        side = lambda p, q: math.sqrt(max(0.0, p * p - 2 * rho * p * q + q * q))
        diff = x.mean - b.mean
        return diff - side(x.mean - xl, bu - b.mean), diff + side(xu - x.mean, b.mean - bl)

    p = None
    if len(pairs) > 1:
        holds = lambda logp: (lambda i: i[0] <= 0 <= i[1])(interval(1 - math.exp(logp)))
        lo, hi = math.log(1e-12), 0.0
        for _ in range(40):
            middle = (lo + hi) / 2
            lo, hi = (middle, hi) if holds(middle) else (lo, middle)
        p = math.exp(lo)
    return x.mean - b.mean, interval(0.95), p


def over_seeds(values, limits=(-math.inf, math.inf)):
    """limits: the interval ends there at the latest"""
    global count
    count = len(values)
    if min(values) == max(values):
        return values[0], None, None
    half = quantile(0.95, len(values) - 1) * math.sqrt(variance(values) / len(values))
    low, high = mean(values) - half, mean(values) + half
    return mean(values), (max(limits[0], low), min(limits[1], high)), None


FRACTIONS = ("share", "canonical", "overlap", "val", "area", "train")


# Runs by name.

def seed(r):
    return int(r["trial"].rsplit("-seed", 1)[1])


def those(study, trial):
    found = [r for r in runs if r["study"] == study and r["trial"].rsplit("-seed", 1)[0] == trial and not r["diverged"]]
    return sorted(found, key=seed)


def searched(what, arm, rate=None):
    found = {r["trial"].rsplit("-lr", 1)[1]: r["epochs"][-1]["val_acc"] for r in runs
             if r["study"] == "search" and r["trial"].startswith(arm + "-lr") and not r["diverged"]}
    return float(max(found, key=found.get)) if what == "rate" else found[rate]


def group(study, name):
    """the runs of one side of a contrast, in this study or in another"""
    for where in (study, "control", "data", "encodings", "hybrids", "retuned", "pruning"):
        if found := those(where, name):
            return found
    return []


# Values of one run.

def area(r):
    points = [(0.0, 0.1)] + [(e["step"], e["val_acc"]) for e in r["epochs"]]
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:])) / points[-1][0]


def steps(r, target):
    return next(e["step"] for e in r["epochs"] if e["val_acc"] >= target)


def share(r, layer):
    s = r["analyse"]["layers"][layer]["shares"]
    return s["k1"] + s["k3"]


def cost(r, layer, by):
    return r["analyse"]["unchanged"]["acc"] - r["analyse"]["layers"][layer]["function"][by]["acc"]


def left(r, by):
    return (r["analyse"]["function_all"][by]["acc"] - 0.1) / (r["analyse"]["unchanged"]["acc"] - 0.1)


SIDE = 8


def heads_of(r, layer, epoch=None):
    at = r["heads"]["%03d" % (len(r["epochs"]) if epoch is None else epoch)]["layers"][layer]
    return tuple(zip(map(tuple, at["centers"]), at["alpha"]))


def canonical(r, layer):
    """k1 + k3 from sums over pairs of tokens"""
    gram, heads = r["operator"]["canonical_gram"][layer], heads_of(r, layer)
    tokens = [(i, j) for i in range(SIDE) for j in range(SIDE)]
    maps = []
    for (row, column), alpha in heads:
        rows = []
        for q in tokens:
            score = [-alpha * ((k[0] - q[0] - row) ** 2 + (k[1] - q[1] - column) ** 2) for k in tokens]
            top = max(score)
            e = [math.exp(s - top) for s in score]
            total = sum(e)
            rows.append([v / total for v in e])
        maps.append(rows)
    flat = [[v for row in m for v in row] for m in maps]
    all_heads = range(len(heads))
    whole = sum(gram[h][g] * sum(map(float.__mul__, flat[h], flat[g])) for h in all_heads for g in all_heads)
    near = 0.0
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            pairs = [(a, tokens.index((q[0] + dr, q[1] + dc))) for a, q in enumerate(tokens)
                     if 0 <= q[0] + dr < SIDE and 0 <= q[1] + dc < SIDE]
            at = [sum(m[a][b] for a, b in pairs) / len(pairs) for m in maps]
            near += len(pairs) * sum(gram[h][g] * at[h] * at[g] for h in all_heads for g in all_heads)
    return near / whole


def taps(heads):
    return sum(max(p.values()) > 0.5 for p in attention(heads))


def profiles(r, layer):
    """groups of heads no two of which have distributions, around their own centers, that differ by more than 0.05"""
    shapes = []
    for _, alpha in heads_of(r, layer):
        w = [math.exp(-alpha * (i * i + j * j)) for i in range(1 - SIDE, SIDE) for j in range(1 - SIDE, SIDE)]
        shapes.append([v / sum(w) for v in w])
    return grouped(len(shapes), lambda i, j: sum(abs(p - q) for p, q in zip(shapes[i], shapes[j])) / 2)


def grouped(heads, distance):
    """groups by complete linkage, up to 0.05"""
    far = lambda a, b: max(distance(i, j) for i in a for j in b)
    groups = [[h] for h in range(heads)]
    while len(groups) > 1:
        d, i, j = min((far(a, b), i, j) for i, a in enumerate(groups) for j, b in enumerate(groups) if i < j)
        if d > 0.05:
            break
        groups[i] += groups.pop(j)
    return len(groups)


def learned_shapes(r, layer):
    """softmax over all shifts of what each head with learned positions gives to a row and to a column"""
    small, at = r["operator"]["small"], f"encoder.layer.{layer}.attention.self."
    heads, shifts = len(r["operator"]["canonical_gram"][layer]), 2 * SIDE - 1

    def along(name):  # the reference's "row" varies along the columns
        keys, table = small[f"{at}head_keys_{name}.weight"], small[f"{at}{name}_embeddings.weight"]
        size = len(keys) // heads
        most = (len(table) // size - 1) // 2
        scores = [[sum(keys[h * size + d] * table[(most + s) * size + d] for d in range(size)) for s in range(1 - SIDE, SIDE)]
                  for h in range(heads)]
        e = [[math.exp(v - max(row)) for v in row] for row in scores]
        return [[v / sum(row) for v in row] for row in e]
    return list(zip(along("col"), along("row")))


def learned_profiles(r, layer):
    """profiles(), of heads whose distributions compare at the shift at which they differ least"""
    shapes, shifts = learned_shapes(r, layer), range(2 - 2 * SIDE, 2 * SIDE - 1)
    pairs = lambda n, s: [(i, i - s) for i in range(n) if 0 <= i - s < n]

    def apart(a, b):
        best = 0.0
        near = [[s for s in shifts if sum(min(a[axis][i], b[axis][j]) for i, j in pairs(len(a[axis]), s)) >= 0.9]
                for axis in (0, 1)]  # what two products have in common is at most that of each factor
        for s in near[0]:
            for t in near[1]:
                best = max(best, sum(min(a[0][i] * a[1][k], b[0][j] * b[1][m]) for i, j in pairs(len(a[0]), s)
                                     for k, m in pairs(len(a[1]), t)))
        return 1 - best
    distance = [[apart(a, b) for b in shapes] for a in shapes]
    return grouped(len(shapes), lambda i, j: distance[i][j])


@functools.cache
def attention(heads):
    """what each head gives to each shift"""
    parts = []
    for center, alpha in heads:
        p = {(r, c): -alpha * ((r - center[0]) ** 2 + (c - center[1]) ** 2) for r in range(1 - SIDE, SIDE)
             for c in range(1 - SIDE, SIDE)}
        top = max(p.values())
        total = sum(math.exp(v - top) for v in p.values())
        parts.append({at: math.exp(v - top) / total for at, v in p.items()})
    return parts


def overlap(heads):
    parts = attention(heads)
    return mean(sum(min(parts[i][at], parts[j][at]) for at in parts[i]) for i in range(len(parts)) for j in range(i))


def widths(heads):
    found = []
    for p in attention(heads):
        r, c = (sum(v * at[axis] for at, v in p.items()) for axis in (0, 1))
        found.append(math.sqrt(sum(v * ((at[0] - r) ** 2 + (at[1] - c) ** 2) for at, v in p.items())))
    return found


def spread(heads):
    w = widths(heads)
    return math.sqrt(variance(w)) / mean(w)


def shift(heads):
    """length of the mean over queries of key - query, mean over heads; the axes of a Gaussian separate"""
    def along(center, alpha):
        total = 0.0
        for q in range(SIDE):
            e = [math.exp(-alpha * ((k - q - center) ** 2 - min((j - q - center) ** 2 for j in range(SIDE)))) for k in range(SIDE)]
            total += sum(w * (k - q) for k, w in enumerate(e)) / sum(e)
        return total / SIDE
    return mean(math.hypot(along(r, alpha), along(c, alpha)) for (r, c), alpha in heads)


def order(values):
    """Kendall's τ with the depth"""
    pairs = [(values[j] > values[i]) - (values[j] < values[i]) for j in range(len(values)) for i in range(j)]
    return sum(pairs) / len(pairs)


def trend(r, what):
    layers = range(len(r["heads"]["000"]["layers"] if "heads" in r else r["analyse"]["layers"]))
    one = {"share": share, "cost-k3": lambda r, i: cost(r, i, "k3"), "profiles": profiles,
           "width": lambda r, i: mean(widths(heads_of(r, i))), "width-spread": lambda r, i: spread(heads_of(r, i)),
           "shift": lambda r, i: shift(heads_of(r, i))}[what]
    return order([one(r, i) for i in layers])


ROBUST = {
    "shifted": lambda r: r["shifted"]["acc"] - r["shifted"]["shift"]["acc_unshifted"],
    "same": lambda r: r["shifted"]["shift"]["same"],
    "permuted": lambda r: r["permuted"]["acc"],
    "ece": lambda r: r["calibration"]["calibration"]["before"]["ece"],
    "ece-gain": lambda r: (lambda c: c["before"]["ece"] - c["after"]["ece"])(r["calibration"]["calibration"]),
    "nll-gain": lambda r: (lambda c: c["before"]["nll"] - c["after"]["nll"])(r["calibration"]["calibration"]),
    "ece-after": lambda r: r["calibration"]["calibration"]["after"]["ece"],
}


HEADS = {"taps": taps, "overlap": overlap, "width": lambda heads: mean(widths(heads)), "width-spread": spread, "shift": shift}


def welch(a, b, margin=None):
    """difference of two means, its interval, and p; margin: one-sided, of a difference of -margin or less"""
    d, va, vb = mean(a) - mean(b), variance(a) / len(a), variance(b) / len(b)
    if va + vb == 0:
        return d, None, None
    nu, side = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1)), math.sqrt(va + vb)
    half = quantile(0.95, nu) * side
    if margin is None:
        p = 2 * t_upper(abs(d) / side, nu) if d else 1.0
    else:
        t = (d + margin) / side
        p = t_upper(t, nu) if t > 0 else 1 - t_upper(-t, nu) if t < 0 else 0.5
    return d, (d - half, d + half), p


def side_of(r):
    return 16 if r["trial"].startswith("quadratic-pool2-") else 8


def maps_of(r, layer):
    """attention of each head of a layer at the best epoch: rows of queries"""
    side = side_of(r)
    tokens = [(i, j) for i in range(side) for j in range(side)]
    table = r["operator"]["small"].get(f"encoder.layer.{layer}.attention.self.relative_position_bias_table")
    if table:
        heads = len(r["operator"]["canonical_gram"][layer])
        wide = math.isqrt(len(table) // heads)
        at = lambda h: lambda y, x: table[h * wide * wide + (y + wide // 2) * wide + x + wide // 2]
        scores = [at(h) for h in range(heads)]
    else:
        of = r["heads"]["%03d" % int(r["summary"]["best_epoch"])]["layers"][layer]
        shapes = of.get("precision") or [[[2 * a, 0], [0, 2 * a]] for a in of["alpha"]]

        def gaussian(center, s):
            return lambda y, x: -0.5 * (s[0][0] * (y - center[0]) ** 2 + s[1][1] * (x - center[1]) ** 2 +
                                        (s[0][1] + s[1][0]) * (y - center[0]) * (x - center[1]))
        scores = [gaussian(c, s) for c, s in zip(of["centers"], shapes)]
    heads = []
    for score in scores:
        by = {(y, x): score(y, x) for y in range(1 - side, side) for x in range(1 - side, side)}
        rows = []
        for q in tokens:
            row = [by[k[0] - q[0], k[1] - q[1]] for k in tokens]
            top = max(row)
            e = [math.exp(v - top) for v in row]
            total = sum(e)
            rows.append([v / total for v in e])
        heads.append(rows)
    return heads


@functools.cache
def shifts_of(study, trial):
    """of each layer: the mean over heads of the length of the mean over queries of key - query"""
    r = newer[study][trial]
    side, found = side_of(r), []
    for layer in range(len(r["operator"]["canonical_gram"])):
        lengths = []
        for rows in maps_of(r, layer):
            y = sum(p * (k // side - q // side) for q, row in enumerate(rows) for k, p in enumerate(row))
            x = sum(p * (k % side - q % side) for q, row in enumerate(rows) for k, p in enumerate(row))
            lengths.append(math.hypot(y, x) / side ** 2)
        found.append(mean(lengths))
    return found


def trends_of(name):
    study, _ = name.split("/")
    return [order(shifts_of(study, r["trial"])) for r in planned(name)]


def basis(repeated):
    """orthonormal matrices (query, key) along an axis that span the shifts: with zeros outside, or the edge repeated"""
    found = []
    for s in range(1 - SIDE, SIDE):
        m = [[0.0] * SIDE for _ in range(SIDE)]
        for q in range(SIDE):
            k = min(max(q + s, 0), SIDE - 1) if repeated else q + s
            if 0 <= k < SIDE:
                m[q][k] = 1.0
        v = [x for row in m for x in row]
        for b in found * 2:  # twice, for the rounding
            inner = sum(map(float.__mul__, v, b))
            v = [x - inner * y for x, y in zip(v, b)]
        length = math.sqrt(sum(x * x for x in v))
        found.append([x / length for x in v])
    return found


BASES = basis(False), basis(True)


def border_shares(r, layer):
    """shares of one convolution of any size: with zeros around the grid, with its edge repeated"""
    gram, maps = r["operator"]["canonical_gram"][layer], maps_of(r, layer)
    flat = [[v for row in m for v in row] for m in maps]
    heads, n = range(len(maps)), SIDE * SIDE
    whole = sum(gram[h][g] * sum(map(float.__mul__, flat[h], flat[g])) for h in heads for g in heads)
    shares = []
    for axis in BASES:
        coefficients = []
        for m in maps:
            # along the columns first: m[(qy, qx)][(ky, kx)] for each pair (qy, ky)
            part = [[sum(b[qx * SIDE + kx] * m[qy * SIDE + qx][ky * SIDE + kx] for qx in range(SIDE) for kx in range(SIDE))
                     for qy in range(SIDE) for ky in range(SIDE)] for b in axis]
            coefficients.append([sum(map(float.__mul__, a, p)) for p in part for a in axis])
        shares.append(sum(gram[h][g] * sum(map(float.__mul__, coefficients[h], coefficients[g])) for h in heads for g in heads) / whole)
    return shares


def least_shares(r):
    by_layer = [border_shares(r, i) for i in range(len(r["operator"]["canonical_gram"]))]
    return min(max(s) for s in by_layer), min(s[1] for s in by_layer)


CELLS = {"compute/quadratic": "quadratic-frozen", "outward/quadratic-l12": "quadratic-frozen-l12",
         "outward/table": "quadratic-frozen", "outward/table-l12": "quadratic-frozen-l12",
         "outward/quadratic-general": "quadratic-frozen", "outward/quadratic-shapes32": "quadratic-frozen",
         "outward/table-shapes32": "quadratic-frozen"}


def tap_count(weight, position):
    """heads of all layers with more than half of their attention at one shift, after the last epoch, mean over seeds"""
    return mean(sum(taps(heads_of(r, i)) for i in range(6)) for r in planned(f"rates/quadratic-w{weight}-p{position}"))


def validation(name):
    study, arm = name.split("/")
    first, n = PLAN[study][arm]
    found = [newer[study][f"{arm}-seed{first + i}"] for i in range(n)]
    return mean(0 if r["diverged"] else r["epochs"][-1]["val_acc"] for r in found)


def size():
    """runs of an arm of SIZED, of 3 to 8, and their power: for 1.5 points at a third of 5 %, with the spread of study places"""
    x, y = ([r["test"]["acc"] for r in planned(f"places/{arm}")] for arm in ("learned", "grid"))
    var = [sum((v - mean(of)) ** 2 for v in of) / (len(of) - 1) for of in (x, y)]
    for n in range(3, 9):
        nu = (n - 1) * sum(var) ** 2 / sum(v * v for v in var)
        shifted = 0.015 / math.sqrt(sum(var) / n) - quantile(1 - 0.05 / 3, nu)
        power = 1 - t_upper(shifted, nu) if shifted > 0 else t_upper(-shifted, nu)
        if power >= 0.8:
            break
    return n, power


SIZE = size() if complete("places") else (8, None)
PLAN["control-full"].update({arm: (20, SIZE[0]) for arm in SIZED})


def of_second_plan(study, what, name):
    global count
    accuracies = lambda arm: [r["test"]["acc"] for r in planned(arm, study)]
    if not complete(study):
        raise KeyError(f"{study}/{what}/{name} before the stopping rule")
    if what == "val":
        count = PLAN[study][name][1]
        return validation(f"{study}/{name}"), None, None
    if study == "rates":
        count = 2
        along = lambda rates, of: [of(r) for r in rates]
        value = {
            "taps": lambda: tap_count(*re.fullmatch(r"quadratic-w([\d.]+)-p([\d.]+)", name).groups()),
            "position": lambda: float(max(POSITIONS, key=lambda p: validation(f"rates/quadratic-w{name}-p{p}"))),
            "taps-fewest": lambda: max(min(tap_count(w, p) for p in POSITIONS) for w in WEIGHTS),
            "taps-most": lambda: min(max(tap_count(w, p) for p in POSITIONS) for w in WEIGHTS),
            "taps-change": lambda: max(max(of) - min(of) for of in ([tap_count(w, p) for w in WEIGHTS] for p in POSITIONS)),
        }[what]()
        return value, None, None
    if what == "accuracy":
        return over_seeds(accuracies(name), (0.0, 1.0))
    if what == "power":
        count, power = SIZE
        return power, None, None
    if study == "zoo" and what in ("rate", "params", "ms"):
        count = 1
        rates = RESNET if name == "resnet18" else WEIGHTS
        return {"rate": lambda: float(max(rates, key=lambda r: validation(f"zoo/search-{name}-lr{r}"))),
                "params": lambda: planned(name, study)[0]["summary"]["params"], "ms": lambda: times["zoo"][name]}[what](), None, None
    if what in ("difference", "not-inferior"):
        a, b = name.split("-minus-")
        a, b = accuracies(a), accuracies("compute/quadratic" if (study, b) == ("dilated", "quadratic") else b)
        count = min(len(a), len(b))
        estimate = name in ("centers-minus-frozen", "learned-minus-grid", "twin-332211-minus-twin-112233", "dcls-minus-quadratic",
                            "quadratic-minus-quadratic-frozen", "resnet18-minus-quadratic", "resnet18-e26-minus-quadratic") or study == "zoo"
        d, interval, p = welch(a, b, 0.01 if what == "not-inferior" else None)
        return d, interval, None if estimate else p
    arm = next((cell for cell in CELLS if cell.endswith("/" + name)), f"outward/{name}")
    if what == "trend-shift":
        return over_seeds(trends_of(arm), (-1.0, 1.0))
    if what == "trend-difference":
        a, b = trends_of(arm), trends_of("outward/" + CELLS[arm])
        count = min(len(a), len(b))
        return welch(a, b)
    if what.startswith("share-"):
        return over_seeds([least_shares(r)[what == "share-repeated"] for r in planned(arm)], (0.0, 1.0))
    if what == "zeros-cost":
        of = [r["analyse"]["layers"][int(name) - 1]["function"] for r in planned("places/learned") if r.get("analyse")]
        return over_seeds([f["taps"]["acc"] - f["taps_zeros"]["acc"] for f in of if f])
    means = [mean(trends_of(cell)) for cell in CELLS]
    count = len(means)
    return {"cells-above": sum(m > 0.5 for m in means), "trend-least": min(means)}[what], None, None


def again(number):
    """value, interval, p and baseline of a number, by its id"""
    global runs
    if number.split("/")[0] in PLAN:
        return *of_second_plan(*(number.split("/") + [""])[:3]), None
    at_half = number.startswith(("half/", "own/"))
    runs = halves if number.startswith("half/") else owns if at_half else everything
    study, what, *rest = number.removeprefix("half/").removeprefix("own/").split("/")
    if what == "accuracy":
        name = rest[0] + (f"-n{rest[1]}" if len(rest) > 1 else "")
        return *accuracy(those(study, name)), None
    if what in ("first", "added"):
        x, base = ([r for r in those("control", n) if (seed(r) < 3) == (what == "first")]
                   for n in rest[0].split("-minus-"))
        return *difference(x, base), None
    if what == "both":  # seeds of the control, and of its replication
        x, base = (those("control", n) + those("replication", n) for n in rest[0].split("-minus-"))
        return *difference(x, base), None
    if what == "difference":
        a, b = rest[0].split("-minus-")
        if len(rest) > 1:
            a, b = f"{a}-n{rest[1]}", f"{b}-n{rest[1]}"
        return *difference(group(study, a), group(study, b)), None
    global count
    if study == "search":
        count = 1
        return searched(what, *rest), None, None, None
    if what == "gain":
        a, b = rest[0].split("-minus-")
        at = lambda s, name: {seed(r): r["test"]["acc"] for r in those(s, name)}
        fa, fb = (at("data", f"{arm}-n{rest[1]}") for arm in (a, b))
        ca, cb = at("control", a), at("control", b)
        return *over_seeds([fa[s] - fb[s] - ca[s] + cb[s] for s in fa if s in fb and s in ca and s in cb]), None
    if what == "area-difference":
        a, b = (those("control", n) for n in rest[0].split("-minus-"))
        return *over_seeds([area(x) - area(y) for x in a for y in b if seed(x) == seed(y)]), None
    kind = "relations" if study == "relations" else KINDS.get(rest[0], "control")
    rs, base = those(kind, rest[0]), None
    layer = int(rest[1]) - 1 if study == "layers" and rest[-1].isdigit() else 0
    if study == "cost":
        step = times["half" if at_half else "full"]
        values = [{"params": r["summary"]["params"], "gflop": r["summary"]["gflop_step"], "ms": step[rest[0]]}[what] for r in rs]
    elif study == "relations":
        values = [r["epochs"][-1]["train_acc"] for r in rs]
    elif study == "robust":
        values = [ROBUST[what](r) for r in rs if what != "permuted" or "permuted" in r]
    elif what == "area":
        values = [area(r) for r in rs]
    elif what == "val":
        values = [e["val_acc"] for r in rs for e in r["epochs"] if e["step"] == int(rest[1])]
    elif what in ("steps", "tflop", "seconds"):
        step = {"steps": lambda r: 1, "tflop": lambda r: r["summary"]["gflop_step"] / 1000,
                "seconds": lambda r: times["half" if at_half else "full"][rest[0]] / 1000}[what]
        values = [steps(r, float(rest[1])) * step(r) for r in rs]
    elif what == "left":
        values = [left(r, rest[1]) for r in rs if rest[1] in r["analyse"]["function_all"]]
    elif what.startswith("trend-"):
        values = [trend(r, what[6:]) for r in rs]
    elif what.startswith("cost-"):
        values = [cost(r, layer, what[5:]) for r in rs]
    elif what == "share":
        values = [share(r, layer) for r in rs]
        base = mean(r["analyse"]["layers"][layer]["null"]["within3"]["mean"] for r in rs)
    elif what == "content-least":
        least = [[min(h["content_bits"] for h in r[key]["layers"][layer]["heads"]) for r in rs]
                 for key in ("analyse", "untrained")]
        values, base = least[0], mean(least[1])
    elif what == "canonical":
        values = [canonical(r, layer) for r in rs]
    elif what == "profiles":
        values = [(learned_profiles if rest[0] == "learned" else profiles)(r, layer) for r in rs]
    elif what == "taps" and len(rest) == 1:
        layers = range(len(rs[0]["heads"]["000"]["layers"]))
        values = [sum(taps(heads_of(r, i)) for i in layers) for r in rs]
        base = mean(sum(taps(heads_of(r, i, 0)) for i in layers) for r in rs)
    elif what in HEADS:
        of = HEADS[what]
        values, base = [of(heads_of(r, layer)) for r in rs], mean(of(heads_of(r, layer, 0)) for r in rs)
    else:
        raise KeyError(number)
    limits = (0.0, 1.0) if what in FRACTIONS else (-1.0, 1.0) if what.startswith("trend-") else (-math.inf, math.inf)
    return *over_seeds(values, limits), base


def computed(number):
    found = again(number)
    return count, *found


def near(a, b, tolerance):
    if a is None or b is None:
        return a is None and b is None
    return abs(a - b) <= tolerance * max(1.0, abs(b))


wrong = 0
verdict = json.load(open("docs/data/verdict.json"))
for c in verdict["runs"]:
    done = done_of(c["study"]) if c["study"] in PLAN else sum(r["study"] == c["study"] for r in everything)
    for arm in c.get("arms", []):
        if (arm["done"], arm["planned"]) != (done_of(c["study"], arm["arm"]), PLAN[c["study"]][arm["arm"]][1]):
            wrong += 1
            print(f"{c['study']}, {arm['arm']}: {arm['done']} of {arm['planned']} runs")
    if done != c["done"]:
        wrong += 1
        print(f"{c['study']}: {c['done']} runs, but {done} files")
with multiprocessing.get_context("fork").Pool() as pool:
    all_computed = pool.map(computed, [n["id"] for n in verdict["numbers"]], chunksize=8)
for n, (count, value, interval, p, base) in zip(verdict["numbers"], all_computed):
    ci = n["ci"] or [None, None]
    low, high = interval or (None, None)
    # the canonical maps were rounded to float32
    ok = n["n"] == count and near(n["value"], value, 1e-6) and near(ci[0], low, 1e-6) and near(ci[1], high, 1e-6) and \
        near(n["p"], p, 1e-4) and near(n.get("baseline"), base, 1e-6)
    if not ok:
        wrong += 1
        print(f"{n['id']}: n {n['n']}, {n['value']} {n['ci']} {n['p']} {n.get('baseline')}, "
              f"here n {count}, {value} {interval} {p} {base}")
# Holm: the smallest p times the number of differences, the next times one less, and so on, never falling.
for prefix in ("control/difference/", "half/control/difference/", "own/control/difference/", "own/replication/difference/",
               "compute/difference/", "outward/trend-difference/", "places/difference/", "dilated/difference/", "marks/difference/",
               "control-full/difference/"):
    family = [n for n in verdict["numbers"] if n["id"].startswith(prefix) and n["p"] is not None]
    last = 0.0
    for rank, n in enumerate(sorted(family, key=lambda n: n["p"])):
        last = max(last, min(1.0, (len(family) - rank) * n["p"]))
        if not near(n["p_holm"], last, 1e-9):
            wrong += 1
            print(f"{n['id']}: p_holm {n['p_holm']}, here {last}")
print(f"{len(verdict['numbers'])} numbers of {len(everything) + sum(map(len, newer.values()))} runs, {wrong} differ")
sys.exit(wrong > 0)
