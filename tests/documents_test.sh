#!/usr/bin/env bash
# bench/documents: its list is what the folder of the H100 has, and it measures, resumes, ends and refuses.
#   tests/documents_test.sh PROGRAM
set -uo pipefail
program=$1
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
documents() { "$root/bench/documents" --program "$program" "$@"; }

there=$(cd "$root/results/h100" && printf '%s\n' *.json | sed 's/\.json$//' | sort)
listed=$(documents --list "$work" | sed -E 's/.*--json [^ ]*\/([^ ]*)\.json.*/\1/' | sort)
[[ $there == "$listed" ]] || fail "the list differs from results/h100: $(diff <(echo "$listed") <(echo "$there"))"

out=$(documents "$work" misses-transpose) || fail "misses-transpose: $out"
[[ $out == *"1 of 1 documents are whole" ]] || fail "not whole: $out"
"$program" report "$work/misses-transpose.json" >"$work/report" || fail "no report of what it measured"
[[ ! -e $work/misses-transpose.log ]] || fail "a log is left of a whole document"

# One that is ended keeps what it has, and the next call goes on with it.
out=$(documents --limit 3 "$work" peers-transpose) && fail "a document that was ended is whole: $out"
[[ $out == *"peers-transpose: ended early"* ]] || fail "it does not say that it ended: $out"
[[ -e $work/peers-transpose.log ]] || fail "no log of what was ended"
documents --resume --list "$work" peers-transpose | grep -q -- --resume || fail "it does not go on"

printf '#!/bin/sh\necho broken >&2\nexit 3\n' >"$work/broken" && chmod +x "$work/broken"
out=$("$root/bench/documents" --program "$work/broken" "$work" errors) && fail "a program that fails is whole"
[[ $out == *"errors: status 3"* ]] || fail "the status is not said: $out"
grep -qx broken "$work/errors.log" || fail "the log has not what the program said"
out=$(documents "$work" nothing-like-it 2>&1) && fail "an unknown document is measured"
[[ $out == "documents: no document is like 'nothing-like-it'; --list names them" ]] || fail "refused by: $out"
out=$(documents "$work/missing" errors 2>&1) && fail "a folder that is missing is measured into"
[[ $out == "documents: there is no folder $work/missing" ]] || fail "refused by: $out"
echo passed
