#!/usr/bin/env bash
# report.sh FILE [PATTERN]   runs the commands of FILE's console blocks again and writes what they print there.
#
# With PATTERN, only blocks whose command holds it. A command that fails leaves its block as it was. The program is built
# from this checkout; let the machine do nothing else meanwhile.
set -euo pipefail
file=$(realpath "$1") pattern=${2:-}
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CGO_ENABLED=0 ATTNCONV=$scratch/attnconv PATH=$scratch:$PATH
go build -trimpath -o "$ATTNCONV" ./cmd/attnconv

new='' # inside a block whose output is replaced
while IFS= read -r line <&3; do
	case $line in
	'```') new='' ;;
	'$ '*"$pattern"*)
		echo "$line"
		echo "$line" >&4
		if bash -c "${line#\$ }" </dev/null >"$scratch/out"; then
			cat "$scratch/out" >&4
			new=yes
		else
			echo "report.sh: that failed; its old output stays" >&2
		fi
		continue
		;;
	'$ '*) new='' ;;
	esac
	[ -n "$new" ] || printf '%s\n' "$line" >&4
done 3<"$file" 4>"$scratch/new"
cat "$scratch/new" >"$file"
