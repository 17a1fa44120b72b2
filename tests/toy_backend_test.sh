#!/usr/bin/env bash
# toy_backend_test.sh CONFORMANCE PROGRAM: a third backend, made of a folder and a line of CMake, passes conformance and
# shows in list, run, compare and machine, though no other source knows of it.
set -euo pipefail
conformance=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

"$conformance" --gtest_filter='*toy_*' > "$work/conformance" || fail "conformance: $(tail -20 "$work/conformance")"
passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$work/conformance")
[ "${passed:-0}" -ge 3 ] || fail "$passed tests of the toy's three variants passed"
grep -q 'conformance on the toy: 3 variants ran' "$work/conformance" || fail "its summary"

"$program" list > "$work/list"
grep -Eq '^ +backwards +toy' "$work/list" || fail "list: $(cat "$work/list")"
"$program" run transpose by_columns --backend toy --param columns=3 --shape m=65,n=63 --json "$work/run.json" > "$work/run"
grep -q 'toy by_columns' "$work/run" || fail "run: $(cat "$work/run")"
if "$program" run copy --backend abacus > "$work/out" 2> "$work/err"; then fail "an unknown backend runs"; fi
grep -q "no backend 'abacus'" "$work/err" || fail "$(cat "$work/err")"
if "$program" compare transpose --smoke --device 1 > "$work/out" 2> "$work/err"; then fail "device 1 is there"; fi
grep -q 'there is one toy, number 0' "$work/err" || fail "$(cat "$work/err")"

"$program" compare transpose --smoke --json "$work/compare.json" > "$work/compare"
grep -q 'toy by_columns' "$work/compare" || fail "compare: $(cat "$work/compare")"
grep -q 'The toy is ahead of the CPU from: kernel alone' "$work/compare" || fail "no cross-over of the toy"
python3 - "$work/compare.json" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
rows = [r for r in document["measurements"] if r["backend"] == "toy"]
assert rows and all(r["variant"] == "by_columns" and r["status"] == "measured" for r in rows), rows
for row in rows:
    transfers = [q["value"] for q in row["quantities"] if q["name"].startswith("transfer")]
    assert transfers == [0.5, 0.5], transfers
limits = [r for r in document["limits"] if r["backend"] == "toy" and r["operation"] == "memory_traffic"]
assert [q["value"] for q in limits[0]["quantities"] if q["name"] == "rate"] == [9], limits
assert [gpu["name"] for gpu in document["context"]["gpus"]] == ["Toy 1"], document["context"]["gpus"]
PYTHON
"$program" machine --quick > "$work/machine"
grep -q 'Toy 1' "$work/machine" || fail "machine: $(cat "$work/machine")"
