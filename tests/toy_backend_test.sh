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
grep -q '^  backwards ' "$work/list" || fail "list: $(cat "$work/list")"
"$program" run transpose by_columns --backend toy --param columns=3 --shape m=65,n=63 --json "$work/run.json" > "$work/run"
grep -q 'toy by_columns' "$work/run" || fail "run: $(cat "$work/run")"
if "$program" run copy --backend abacus > "$work/out" 2> "$work/err"; then fail "an unknown backend runs"; fi
grep -q "no backend 'abacus'" "$work/err" || fail "$(cat "$work/err")"
if "$program" compare transpose --smoke --device 1 > "$work/out" 2> "$work/err"; then fail "device 1 is there"; fi
grep -q 'there is one toy, number 0' "$work/err" || fail "$(cat "$work/err")"

"$program" compare transpose --smoke --json "$work/compare.json" > "$work/compare"
grep -q 'toy by_columns' "$work/compare" || fail "compare: $(cat "$work/compare")"
grep -q 'The toy is ahead of the CPU: kernel alone' "$work/compare" || fail "no cross-over of the toy"
python3 - "$work/compare.json" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
every = [r for r in document["measurements"] if r["backend"] == "toy"]
rows = [r for r in every if "conditions" not in r]
assert rows and all(r["variant"] == "by_columns" and r["status"] == "measured" for r in rows), rows
for row in rows:
    transfers = [q["value"] for q in row["quantities"] if q["name"].startswith("transfer")]
    assert transfers == [0.5, 0.5], transfers
graphs = [r for r in every if r.get("conditions") == {"launch": "graph"}]
assert len(rows) + len(graphs) == len(every), every
for graph in graphs:
    assert graph["status"] == "unsupported" and "its backend has none" in graph["reason"], graph
for row in rows:
    [time] = [q["value"] for q in row["quantities"] if q["name"] == "time" and "at" not in q]
    assert (time < 50e-6) == any(g["shape"] == row["shape"] for g in graphs), (time, graphs)
[state] = document["context"]["device_state"]
assert state["backend"] == "toy" and state["device"] == 0, state
assert state["before"]["sm_clock_mhz"] == 100 and state["before"]["throttle_reasons"] == ["gpu_idle"], state
assert state["after"]["power_throttled_s"] > state["before"]["power_throttled_s"], state
assert state["after"]["temperature_c"] == {"absent": "a toy has no thermometer"}, state
limits = [r for r in document["limits"] if r["backend"] == "toy" and r["operation"] == "memory_traffic"]
assert [q["value"] for q in limits[0]["quantities"] if q["name"] == "rate"] == [9], limits
assert [gpu["name"] for gpu in document["context"]["gpus"]] == ["Toy 1"], document["context"]["gpus"]
PYTHON
line='toy 0: SM clock 100 -> 100 MHz, memory clock 50 -> 50 MHz, power 2.5 -> 2.5 W, temperature unknown (a toy has no
thermometer), throttled (its power limit for 0.25 s)'
grep -qF "$(echo $line)" "$work/run" || fail "run: no state of the toy: $(cat "$work/run")"
grep -q '^toy 0: SM clock .*, throttled (its power limit for ' "$work/compare" || fail "compare: no state of the toy"
"$program" report "$work/compare.json" > "$work/report"
grep -q '^toy 0: .* throttled' "$work/report" || fail "report: no state of the toy: $(cat "$work/report")"
"$program" report "$work/compare.json" --html "$work/page.html"
for side in toy "toy's best, with transfers"; do
  grep -q ">$side<" "$work/page.html" || fail "the comparison on the page has no side '$side'"
done
"$program" run transpose by_columns --backend toy --launch graph > "$work/out" 2> "$work/err" && fail "a toy has graphs"
grep -q 'toy by_columns, graph' "$work/out" || fail "run --launch graph: $(cat "$work/out")"
grep -q 'by_columns: not started as a graph: its backend has none' "$work/err" || fail "$(cat "$work/err")"
"$program" run copy rows --shape m=4 --json "$work/run.json" > "$work/out"
! grep -q 'toy 0' "$work/out" || fail "the toy took no part"
"$program" machine --quick > "$work/machine"
grep -q '^toy 0: SM clock 100' "$work/machine" || fail "machine: no state of the toy"
grep -q 'Toy 1' "$work/machine" || fail "machine: $(cat "$work/machine")"
