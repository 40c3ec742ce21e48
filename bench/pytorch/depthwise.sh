#!/usr/bin/env bash
# depthwise.sh [PAIRS]   times depth-wise convolution in attnconv and in PyTorch alternately, PAIRS times each (default 5).
#
# For each shape it prints the medians, the fastest of all repetitions, and the ratios of the pairs' medians. A step is
# the forward pass and all gradients. PyTorch runs in the layout that is faster.
#
#   SHAPES    as BenchmarkDepthwise names them (default: three of 256 channels)
#   THREADS   of both (default 1)
#   REPEAT    repetitions of each in a pair (default 20)
#
# For BLAS and PAGES see point.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
pairs=${1:-5}
export THREADS=${THREADS:-1} SCRIPT=depthwise.py
repeat=${REPEAT:-20}
shapes=${SHAPES:-32x16x16x256,_5x5 128x16x16x256,_5x5 32x32x32x256,_5x5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$here/../.." && CGO_ENABLED=0 go test -c -o "$scratch/kernels" ./internal/kernel/depthwise)

echo "depth-wise convolution, float32, $THREADS threads, PyTorch in the faster layout: ms"
for shape in $shapes; do
	IFS='x,_' read -r batch side _ channels _ size _ <<<"$shape"
	: >"$scratch/pairs"
	for ((i = 1; i <= pairs; i++)); do
		"$scratch/kernels" -test.run '^$' -test.bench "^BenchmarkDepthwise\$/^$shape\$/^(forward|step)\$" -test.benchtime "${repeat}x" \
			-test.cpu "$THREADS" >"$scratch/ours"
		"$here/point.sh" --batch "$batch" --side "$side" --channels "$channels" --size "$size" --repeat "$repeat" >"$scratch/theirs"
		cat "$scratch/ours" "$scratch/theirs" >>"$scratch/pairs"
	done
	/usr/bin/python3 - "$shape" "$scratch/pairs" <<'P'
import json, re, statistics, sys
ours, theirs = {"forward": [], "step": []}, []
for line in open(sys.argv[2]):
    if line.startswith("{"):
        theirs.append(json.loads(line))
    elif line.startswith("BenchmarkDepthwise"):
        what = re.search(r"/(forward|step)", line)[1]
        ours[what].append({unit: float(re.search(rf"([0-9.]+) {unit}\b", line)[1]) for unit in ("ms", "median-ms")})
for what, a in ours.items():
    b = [r[what] for r in theirs]
    ratios = sorted(y["median"] / x["median-ms"] for x, y in zip(a, b))
    print(f"{sys.argv[1].replace('_', ' '):22} {what:8}"
          f" attnconv {statistics.median(x['median-ms'] for x in a):8.2f} (fastest {min(x['ms'] for x in a):.2f})"
          f"  PyTorch {statistics.median(y['median'] for y in b):8.2f} (fastest {min(y['min'] for y in b):.2f},"
          f" default layout {min(r['contiguous'][what]['min'] for r in theirs):.2f})"
          f"  ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}), n = {len(ratios)}")
P
done
