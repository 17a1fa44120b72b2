#!/usr/bin/env bash
# bench/documents: its list is what the folders of the GPUs have, and it measures, resumes, ends and refuses.
#   tests/documents_test.sh PROGRAM
set -uo pipefail
program=$1
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
documents() { "$root/bench/documents" --program "$program" "$@"; }

names() { (cd "$root/results" && printf '%s\n' "$@" | sed 's/.*\///; s/\.json$//' | sort -u); }
listed=$(documents --list "$work" | sed -E 's/.*--json [^ ]*\/([^ ]*)\.json.*/\1/' | sort)
other=$(comm -13 <(echo "$listed") <(names "$root"/results/h100/*.json))
[[ -z $other ]] || fail "results/h100 has what the list has not: $other"
missing=$(comm -23 <(echo "$listed") <(names "$root"/results/h100/*.json "$root"/results/h200/*.json))
[[ -z $missing ]] || fail "neither results/h100 nor results/h200 has: $missing"

out=$(documents "$work" misses-transpose) || fail "misses-transpose: $out"
[[ $out == *"1 of 1 documents are whole" ]] || fail "not whole: $out"
"$program" report "$work/misses-transpose.json" >"$work/report" || fail "no report of what it measured"
[[ ! -e $work/misses-transpose.log ]] || fail "a log is left of a whole document"

# One that is ended keeps what it has, and the next call goes on with it.
out=$(documents --limit 3 "$work" peers-transpose) && fail "a document that was ended is whole: $out"
[[ $out == *"peers-transpose: ended early"* ]] || fail "it does not say that it ended: $out"
[[ -e $work/peers-transpose.log ]] || fail "no log of what was ended"
documents --resume --list "$work" peers-transpose | grep -q -- --resume || fail "it does not go on"

# What is stale is measured again; of what the program cannot tell, that is said. It is asked once.
edit() { # NAME SCRIPT: the document changed
  python3 - "$work/$1.json" "$2" <<'P'
import json, sys
document = json.load(open(sys.argv[1]))
exec(sys.argv[2], {"document": document, "context": document["context"]})
json.dump(document, open(sys.argv[1], "w"))
P
}
cat >"$work/asks" <<P && chmod +x "$work/asks"
#!/bin/sh
echo "\$1" >>"$work/asked"
exec "$program" "\$@"
P
ask() { "$root/bench/documents" --program "$work/asks" --stale "$@" 2>"$work/said"; }
unknown="document['schema'] = 'tallcache/1'; del context['sources']; context['build']['commit'] = 'a' * 12"
out=$(ask "$work" misses-transpose peers-transpose) || fail "fresh documents: $out $(cat "$work/said")"
[[ $out == "0 of 0 documents are whole" && $(cat "$work/asked") == report ]] || fail "fresh documents: $out"
cp "$work/peers-transpose.json" "$work/kept"
edit peers-transpose "$unknown" && cp "$work/peers-transpose.json" "$work/older"
out=$(GIT_DIR=/nonexistent ask --list "$work" misses-transpose peers-transpose errors) && fail "nothing is unknown: $out"
[[ $out == *" errors --json "* && $(wc -l <<<"$out") == 1 ]] || fail "the list of stale ones is: $out"
grep -qx 'peers-transpose: cannot tell: .*there is no history here' "$work/said" || fail "$(cat "$work/said")"
edit misses-transpose "context['sources']['common/view.hpp'] = 'a' * 40"
: >"$work/asked"
out=$(ask "$work" misses-transpose peers-transpose) && fail "one is unknown, and the status is 0: $out"
[[ $out == *"misses-transpose: whole"*"1 of 1 documents are whole; of 1 it cannot tell whether they are stale" ]] ||
  fail "of a stale and an unknown one: $out"
grep -q '^peers-transpose: cannot tell: .*\(not in the history\|no history\) here$' "$work/said" || fail "$(cat "$work/said")"
[[ $(cat "$work/asked") == $'report\nmisses' ]] || fail "the program was called for $(cat "$work/asked")"
cmp -s "$work/older" "$work/peers-transpose.json" || fail "a document of which it cannot tell was measured"
ask --list "$work" misses-transpose | grep . && fail "a document that was measured again is stale"
echo no document >"$work/peers-transpose.json"
out=$(ask "$work" peers-transpose) && fail "an unreadable document is fresh"
grep -q 'peers-transpose.json' "$work/said" || fail "an unreadable document is refused by: $(cat "$work/said")"
cp "$work/kept" "$work/peers-transpose.json"

# Of a program that was built from a tree with changes, that is said.
for commit in aaaa aaaa-dirty; do
  printf '#!/bin/sh\necho "{\\"context\\": {\\"build\\": {\\"commit\\": \\"%s\\"}}}" >"$3"\n' $commit >"$work/changed"
  chmod +x "$work/changed"
  out=$("$root/bench/documents" --program "$work/changed" "$work" errors) || fail "a program of $commit: $out"
  [[ $commit == *-dirty && $out == *", of a tree with changes"* || $commit == aaaa && $out != *changes* ]] ||
    fail "of a program of $commit it says: $out"
done

printf '#!/bin/sh\necho broken >&2\nexit 3\n' >"$work/broken" && chmod +x "$work/broken"
out=$("$root/bench/documents" --program "$work/broken" "$work" errors) && fail "a program that fails is whole"
[[ $out == *"errors: status 3"* && $out != *changes* ]] || fail "of a program that wrote nothing it says: $out"
grep -qx broken "$work/errors.log" || fail "the log has not what the program said"
out=$(documents "$work" nothing-like-it 2>&1) && fail "an unknown document is measured"
[[ $out == "documents: no document is like 'nothing-like-it'; --list names them" ]] || fail "refused by: $out"
out=$(documents "$work/missing" errors 2>&1) && fail "a folder that is missing is measured into"
[[ $out == "documents: there is no folder $work/missing" ]] || fail "refused by: $out"
echo passed
