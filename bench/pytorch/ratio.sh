#!/usr/bin/env bash
# ratio.sh NAME [PAIRS]   runs attnconv and PyTorch alternately, PAIRS times each (default 3); prints medians and ratio.
#
#   NAME      paper      paper/quadratic as it is
#             learned, content, resnet18   paper/learned, paper/content, paper/resnet18 as they are
#             tiny       paper with 128 channels, 256 in the feed-forward part
#             factorized the preset small: 96 channels, 8 × 8 tokens, no dropout; PyTorch in its factorized form,
#                        with one process a core
#             small-learned, small-content, small-resnet18   small/learned, small/content, small/resnet18
#             vit, convmixer, convnext   zoo/small-vit, zoo/small-convmixer, zoo/small-convnext
#   MODE      train (default) or infer, which has no dropout: PyTorch in its factorized form
#   BATCH     images per step (default: 32, factorized 64, content 16, resnet18 100)
#   THREADS   of both (default: all cores)
#   PRECISION of products: float32 (default) or bfloat16
#   LAYOUT    of PyTorch's convolutions: contiguous (default) or channels-last
#   ATTNCONV  the program (default: built from this checkout)
#
# For BLAS and PAGES see point.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=${1:-paper} pairs=${2:-3} mode=${MODE:-train}
precision=${PRECISION:-float32}
export THREADS=${THREADS:-$(nproc)}
cores=$THREADS
form=direct
adamw="--dropout 0 --attention-dropout 0 --optimizer adamw --clip 1"
small="--pool 4 --dim 96 --ffn 192 $adamw"
steps=5 # to time; of small networks more, lest they last but a second
[ "$mode" = train ] || form=factorized
case $name in
paper) batch=32 ours="--preset paper/quadratic" theirs="--form $form" ;;
learned) batch=32 ours="--preset paper/learned" theirs="--form $form --model learned" ;;
content) batch=16 ours="--preset paper/content" theirs="--model content" ;;
resnet18)
	batch=100 ours="--preset paper/resnet18" theirs="--model resnet18"
	;;
small-learned | small-content)
	batch=64 steps=20 ours="--preset ${name/-//}" theirs="--model ${name#small-} $small"
	;;
small-resnet18)
	batch=64 steps=20 ours="--preset small/resnet18" theirs="--model resnet18 --width 16"
	;;
vit)
	batch=64 steps=20 ours="--preset zoo/small-vit" theirs="--model vit --pool 4 --dim 96 --ffn 384 --heads 3 $adamw"
	;;
convmixer)
	batch=64 steps=20 ours="--preset zoo/small-convmixer"
	theirs="--model convmixer --pool 2 --dim 128 --layers 8 $adamw"
	;;
convnext)
	batch=64 steps=20 ours="--preset zoo/small-convnext"
	theirs="--model convnext --pool 2 --dim 64 --layers 6 $adamw"
	;;
tiny) batch=32 ours="--preset paper/quadratic --dim 128 --ffn 256" theirs="--form $form --dim 128 --ffn 256" ;;
factorized)
	batch=64 steps=50 ours="--preset small/quadratic"
	theirs="--form factorized $small"
	if [ "$mode" = train ]; then
		theirs+=" --workers $cores"
		THREADS=1
	fi
	;;
*)
	echo "ratio.sh: no \"$name\": see the names at the top of this file" >&2
	exit 2
	;;
esac
case $name in
*resnet18 | convmixer | convnext) [ "${LAYOUT:-contiguous}" = contiguous ] || theirs+=" --$LAYOUT" ;;
esac
batch=${BATCH:-$batch}
if [ -z "${ATTNCONV:-}" ]; then
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	ATTNCONV=$scratch/attnconv
	(cd "$here/../.." && CGO_ENABLED=0 go build -trimpath -o "$ATTNCONV" ./cmd/attnconv)
fi

# number KEY   of the JSON on standard input
number() {
	/usr/bin/python3 -c 'import json, sys; r = json.load(sys.stdin); print(r.get("rows", [r])[0][sys.argv[1]])' "$1"
}

sets=$(grep -m1 -ow 'amx_bf16' /proc/cpuinfo || grep -m1 -ow 'avx512_bf16' /proc/cpuinfo || grep -m1 -ow 'avx512f' /proc/cpuinfo || echo avx2)
echo "$name, $precision, $mode, batch $batch, $cores threads, ${BLAS:-blis-openmp}, up to $sets: images/s, peak memory in MB"
a=() b=()
for ((i = 1; i <= pairs; i++)); do
	# shellcheck disable=SC2086 # the flags are words
	one=$("$ATTNCONV" bench $ours --set "train.precision=$precision" --mode "$mode" --batch "$batch" --threads "$cores" --steps $steps --json)
	# shellcheck disable=SC2086
	two=$("$here/point.sh" $theirs --precision "$precision" --mode "$mode" --batch "$batch" --steps $steps)
	a+=("$(number img_s <<<"$one")") b+=("$(number img_s <<<"$two")")
	printf '%3d  attnconv %8.2f %6.0f    PyTorch %8.2f %6.0f    others kept %.1f cores busy\n' "$i" \
		"${a[-1]}" "$(number peak_rss <<<"$one")e-6" "${b[-1]}" "$(number peak_rss <<<"$two")e-6" \
		"$(number other_cores <<<"$two")"
done
/usr/bin/python3 - "${a[*]}" "${b[*]}" <<'P'
import statistics, sys
a, b = ([float(x) for x in s.split()] for s in sys.argv[1:])
pairs = sorted(x / y for x, y in zip(a, b))
print(f"median  attnconv {statistics.median(a):.2f}  PyTorch {statistics.median(b):.2f}  ratio of the pairs:",
      f"{statistics.median(pairs):.2f} ({pairs[0]:.2f} to {pairs[-1]:.2f})")
P
