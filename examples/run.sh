#!/usr/bin/env bash
# Builds the programs here, tests them, and runs the whole command line of rotary, at a size at which it learns little: what
# is registered outside of attnconv works in every command. Under two minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")"
export CGO_ENABLED=0
go vet ./...
go test ./...

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/" ./...
go build -o "$scratch/attnconv" github.com/attnconv/attnconv/cmd/attnconv
cd "$scratch"
unset "${!ATTNCONV_@}"

# does COMMAND...: it succeeds; its output is shown if not.
does() {
	echo "  $*"
	"$@" >out 2>&1 || { cat out; exit 1; }
}
# says TEXT: the last output has it.
says() { grep -qF -- "$1" out || { cat out; echo "want \"$1\" in the output"; exit 1; }; }

small="--data shapes32 --preset smoke --encoding rotary --dim 16 --heads 4 --layers 1 --ffn 16 --train-size 200 --val-size 100 --epochs 1 --limit-val-batches 1"
does ./rotary train --help-all; says --rotary-base
does ./rotary config show $small --rotary-share 0.5; says "rotary_share: 0.5"
if ./rotary train $small --set model.rotary_shaer=0.5 >out 2>&1; then echo "a misspelled option was taken"; exit 1; fi
says 'did you mean "model.rotary_share"?'
if ./rotary train $small --rotary-base -1 >out 2>&1; then echo "a wrong option was taken"; exit 1; fi
says "--rotary-base -1: want 1 to 1e6"
does ./rotary train $small --rotary-base 10
first=$(readlink runs/latest)
first=runs/${first##*/}
does ./rotary train --resume "$first" --extend-epochs 1
does ./rotary eval "$first"
does ./rotary data show shapes32 -o sheet.png
does ./rotary plot-maps "$first" sheet.png -o maps.svg
does ./rotary plot-heads "$first" -o heads.svg
does ./rotary inspect "$first"; says rotary
does ./rotary train --from "$first" --epochs 1 --rotary-share 1
does ./rotary export "$first" -o weights.safetensors
does ./rotary import weights.safetensors -o back.ckpt
does ./rotary eval back.ckpt --data shapes32
does ./rotary sweep plan $small --rotary-share 0,0.5 --out shares
does ./rotary sweep run shares
does ./rotary sweep collect shares; says model.rotary_share
does ./rotary compare --no-train --allow-mixed runs/*-rotary-*
does ./rotary runs ls
does ./attnconv runs ls; says rotary
if ./attnconv eval "$first" >out 2>&1; then echo "a program without rotary evaluated it"; exit 1; fi
says 'model.encoding "rotary", a registered kind that this program does not have'
does ./powerlaw train ${small/rotary/powerlaw}
does ./powerlaw plot-heads latest -o power.svg
does ./owngraph; says "mean square error"
ls -s maps.svg heads.svg >/dev/null
echo "examples: all good"
