#!/usr/bin/env bash
# Builds the programs here, tests them, and runs the whole command line of gpsa, at a size at which it learns little: what
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

small="--data shapes32 --preset smoke --encoding gpsa --dim 16 --heads 4 --layers 1 --ffn 16 --train-size 200 --val-size 100 --epochs 1 --limit-val-batches 1"
does ./gpsa train --help-all; says --gpsa-locality
does ./gpsa config show $small --gpsa-gate 2; says "gpsa_gate: 2"
if ./gpsa train $small --set model.gpsa_gaet=2 >out 2>&1; then echo "a misspelled option was taken"; exit 1; fi
says 'did you mean "model.gpsa_gate"?'
if ./gpsa train $small --gpsa-locality -1 >out 2>&1; then echo "a wrong option was taken"; exit 1; fi
says "--gpsa-locality -1: want 0 to 100"
does ./gpsa train $small --gpsa-locality 2
first=$(readlink runs/latest)
first=runs/${first##*/}
does ./gpsa train --resume "$first" --extend-epochs 1
does ./gpsa eval "$first"
does ./gpsa data show shapes32 -o sheet.png
does ./gpsa plot-maps "$first" sheet.png -o maps.svg
does ./gpsa plot-heads "$first" -o heads.svg
does ./gpsa inspect "$first"; says gpsa
does ./gpsa train --from "$first" --epochs 1 --gpsa-gate 1
does ./gpsa export "$first" -o weights.safetensors
does ./gpsa import weights.safetensors -o back.ckpt
does ./gpsa eval back.ckpt --data shapes32
does ./gpsa sweep plan $small --gpsa-gate 0,2 --out gates
does ./gpsa sweep run gates
does ./gpsa sweep collect gates; says model.gpsa_gate
does ./gpsa compare --no-train --allow-mixed runs/*-gpsa-*
does ./gpsa runs ls
does ./attnconv runs ls; says gpsa
if ./attnconv eval "$first" >out 2>&1; then echo "a program without gpsa evaluated it"; exit 1; fi
says 'model.encoding "gpsa", a registered kind that this program does not have'
does ./owngraph; says "mean square error"
ls -s maps.svg heads.svg >/dev/null
echo "examples: all good"
