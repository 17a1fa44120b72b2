#!/usr/bin/env bash
# tallcache misses from the outside, and what it says to bad input. Usage: cli_misses_test.sh PROGRAM
set -u
program=$1
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh"

run 0 misses --help; has out "Example"
run 0 misses matmul --shape m=40 --cache 4K:2 --cache 64K --source simulated --json m.json
has out "a library: not traced"; has out "sde:::tallcache"; has out "mnk)/L"
python3 - <<'P' || fail "m.json"
import json
d = json.load(open("m.json"))
assert d["source"] == "simulated" and d["context"]["cpu"]
assert [c["ways"] for c in d["caches"]] == [2, 1024]
traced = [v for v in d["variants"] if "levels" in v]
assert {"naive", "tiled", "recursive"} <= {v["variant"] for v in traced} and len(traced) < len(d["variants"])
for v in traced:
    for level in v["levels"]:
        assert level["cold"] + level["capacity"] + level["conflict"] == level["misses"] > 0
        assert level["event"] == "sde:::tallcache::L%d_DCM" % level["level"]
        assert level["level"] == 1 or level["conflict"] == 0  # fully associative
    # 40 x 40 doubles: 200 lines a matrix, each of them missed once
    assert v["levels"][0]["cold"] >= 600 and v["stores"] >= 1600
    # A leaf of vectors tells its blocks, each element once; the others every access.
    assert v["loads"] >= (2 * 40**2 if v["variant"] == "recursive_packed" else 2 * 40**3)
naive = next(v for v in traced if v["variant"] == "naive")
assert naive["loads"] == 3 * 40**3 and naive["levels"][1]["misses"] == 600 and abs(naive["levels"][1]["ratio"] - 1) < 1e-9
assert naive["levels"][1]["misses_per_flop"] == 600 / (2 * 40**3)
P
for problem in "transpose --shape m=64" "transpose_in_place --shape n=64" "copy --shape m=64"; do
  # shellcheck disable=SC2086  # words
  run 0 misses $problem --source simulated --json -; has out '"misses_per_element"'
done
run 0 misses counting_sort --element uint32_pair --shape n=5000 --cache 8K --input zipf_1.0 --json -; has out misses_per_key
run 0 misses counting_sort classical --shape n=5000 --line 32 --cache 8K; has out "lines of 32 bytes"

run 0 misses matmul naive recursive --shape m=32 --source simulated --curve --json curve.json
python3 - <<'P' || fail "curve.json"
import json
curves = json.load(open("curve.json"))["curves"]
assert [c["variant"] for c in curves] == ["naive", "recursive"]
for c in curves:
    misses = [p["misses"] for p in c["points"]]
    assert all(a >= b for a, b in zip(misses, misses[1:])) and misses[-1] == c["distinct_lines"] == 384
    assert c["points"][0]["lines"] == 4 and c["points"][1]["lines"] == 6
    assert all(p["bytes"] == 64 * p["lines"] and p["predicted"] > 0 for p in c["points"])
P
if gnuplot --version >/dev/null 2>&1; then
  run 0 misses matmul naive recursive --shape m=32 --source simulated --svg "a'b.svg"
  python3 -c "import xml.dom.minidom, sys; xml.dom.minidom.parse(sys.argv[1])" "a'b.svg" || fail "the plot is no XML"
  has "a'b.svg" recursive
else
  skip "plot of the misses" "gnuplot is not installed"
fi
PATH=/nowhere "$program" misses matmul naive --shape m=16 --source simulated --svg x.svg >out 2>err && fail "no gnuplot"
has err "needs gnuplot"

run 0 misses transpose naive recursive --shape m=256 --cache 8K --falls --json falls.json
python3 - <<'P' || fail "falls.json"
import json
falls = json.load(open("falls.json"))["falls"]
naive, recursive = falls["variants"]
assert len(falls["ladder"]) == len(naive["seconds_per_element"]) == 17
# 128 lines: naive needs a line of each row
fall = naive["falls"][0]
assert 64 < falls["ladder"][fall["rung"]]["m"] <= 192 and fall["misses_after"] >= 2 * fall["misses_before"]
assert recursive["falls"][0]["outside"] == "beyond the ladder"
P

# 64 lines are too few for the ladder's first size already
run 0 misses transpose naive --shape m=1100 --cache 4K --falls; has out "< 69"

bad "must be a multiple of the line" misses matmul naive --shape m=8 --cache 1000
bad "no multiple of 7" misses matmul naive --shape m=8 --cache 32K:7
bad "at least 4 lines" misses matmul naive --shape m=8 --cache 128
bad "must be a power of two" misses matmul naive --shape m=8 --cache 32K --line 48
bad "must be a power of two" misses matmul naive --shape m=8 --line 0
bad "no size in bytes" misses matmul naive --shape m=8 --cache big
bad "no whole number" misses matmul naive --shape m=8 --cache 32K:x
bad "must have 1 to 3" misses matmul naive --shape m=8 --cache 1K --cache 2K --cache 4K --cache 8K
bad "did you mean 'simulated'" misses matmul naive --shape m=8 --source simulatd
bad "without --cache\|no hardware counters" misses matmul naive --shape m=8 --source hardware --cache 32K
bad "hours.* can be done" misses matmul naive --shape m=8000 --source simulated
bad "available; .* can be done" misses copy --shape m=1000000 --source simulated
bad "overflows" misses matmul --shape m=9999999999,n=9999999999
bad "did you mean 'naive'" misses matmul naiv --shape m=8
bad "did you mean 'matmul'" misses matmull --shape m=8
bad "did you mean 'base'" misses matmul recursive --shape m=8 --param bsae=3
bad "nothing to count" misses matmul --shape m=0
bad "can be traced" misses matmul openblas --shape m=8 --curve
bad "did you mean 'sorted'" misses counting_sort --shape n=8 --input sortde
bad "larger sizes" misses matmul naive --shape m=2 --falls
bad "cannot write" misses matmul naive --shape m=8 --json nowhere/x.json
bad "cannot write" misses matmul naive --shape m=8 --svg nowhere/x.svg

# Without options: a product of the suite's own size; with an operation alone, its own size.
run 0 misses; has out "^matmul double m=64,n=64,k=64, "; has out "^recursive base=64: "
run 0 misses copy rows --source simulated; has out "^copy float m=256,n=256, "

# With no hardware counters, asking for them is an error with PAPI's reason; with them, they are named.
if "$program" misses matmul naive --shape m=64 --source hardware >out 2>err; then
  has out "hardware: PAPI counts"
else
  bad "no hardware counters here: PAPI_" misses matmul naive --shape m=64 --source hardware
  run 0 misses matmul naive --shape m=16; has out "simulated: no hardware counters here"
fi

finish
