# What the tests of engines share: the program, a sweep of 12 short runs of which three take longer, and checks. The
# scripts need root and Debian's packages, which they install if they can; they leave no process and no file behind.
export CGO_ENABLED=0 LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
fail() { echo "FAILED: $*" >&2; exit 1; }
say() { printf '\n== %s\n' "$*"; }

needs() { # PROGRAM PACKAGE...: installs packages unless there is the program
	command -v "$1" >/dev/null && return
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "there is no $1: install ${*:2}"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${@:2}" >/dev/null
}

attnconv=$scratch/attnconv
build() { (cd "$root" && go build -o "$attnconv" ./cmd/attnconv); }

# plan makes the sweep $sweep in a folder with a hostile name. Runs 5, 6 and 7 take about $1 seconds; run 3 has settings that cannot
# be read.
plan() {
	work="$scratch/it's; a \$(touch no) %A 100% \"folder\""
	mkdir "$work" && cd "$work"
	"$attnconv" sweep plan --preset smoke --data shapes32 --epochs 2 --limit-train-batches 2 --limit-val-batches 1 --dim 16 \
		--layers 2 --seeds 0..11 --out mine -q
	sweep=$work/mine
	step=$(sed -n 's/.*"eta_s": \([0-9.e-]*\),/\1/p' mine/sweep.json | head -1) # of 4 steps and 2 evaluations
	epochs=$(awk -v s="$step" -v t="$1" 'BEGIN { print int(t / (s / 2 * 10)) + 2 }')
	for i in 005 006 007; do
		sed -i "s/^  epochs: 2$/  epochs: $epochs/; s/^  limit_train_batches: 2$/  limit_train_batches: 20/" mine/configs/$i.yaml
	done
	cp mine/configs/003.yaml "$scratch/003.yaml"
	echo "train: {epochs: many}" >mine/configs/003.yaml
}

state() { # N: the recorded state of a run's process
	sed -n 's/^  "state": "\(.*\)",$/\1/p' "$sweep"/trials/"$(printf %03d "$1")"-*/run.json 2>/dev/null || true
}
pid() { sed -n 's/^  "pid": \(.*\),$/\1/p' "$sweep"/trials/"$(printf %03d "$1")"-*/run.json; }
step() { sed -n 's/^  "step": \(.*\),$/\1/p' "$sweep"/trials/"$(printf %03d "$1")"-*/run.json; }

await() { # SECONDS WHAT COMMAND...: waits until the command succeeds
	local end=$((SECONDS + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || { [ -z "${sweep:-}" ] || "$attnconv" sweep status "$sweep"; fail "no sign in time: $what"; }
		sleep 1
	done
	echo "   $what ($SECONDS s)"
}
running() { [ "$(state "$1")" = running ] && [ "$(step "$1")" -gt 0 ]; }
resumed() { # N STEP PID: it has gone on after that step, in another process
	running "$1" && [ "$(step "$1")" -gt "$2" ] && [ "$(pid "$1")" != "$3" ]
}
slow() { # N: holds a run up until its task, whose limit is two minutes, should have saved, as a slower machine would
	for _ in $(seq 1000); do
		running "$1" && break
		sleep 0.5
	done
	local held=$(pid "$1")
	kill -STOP "$held"
	sleep $((104 - $(ps -o etimes= -p "$held")))
	kill -CONT "$held"
}
limited() { # LOG: the task of run 7 has ended before its limit, and run again
	grep -q 'has saved before its time limit' "$1" || fail "the task of run 7 never met its limit"
	[ "$(grep -c 'saves and ends in' "$1")" -gt 1 ] || fail "the task of run 7 was not run again"
}
counts() { "$attnconv" sweep status "$sweep" -q | grep -q "^$1 runs: $2\$"; } # RUNS STATES
collected() { # RUNS: the CSV of the job that collects has each of them as done
	[ "$(grep -c ',done,' "$sweep/collected.csv")" = "$1" ]
}
