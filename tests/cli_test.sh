#!/usr/bin/env bash
# The program from the outside: list, run and machine, and what each says to bad input. Usage: cli_test.sh PROGRAM BENCH
set -u
program=$1 bench=$2
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh"

run 0 --help; has out reproduce
for command in list run machine reproduce report compare; do run 0 "$command" --help; has out "Example"; done
bad "did you mean 'list'" lsit
bad "subcommand is required"

run 0 list; has out "REC-MULT"
run 0 list --json list.json
python3 - list.json <<'P' || fail "list.json"
import json, sys
entries = json.load(open(sys.argv[1]))
keys = ["operation", "variant", "backend", "element", "idea", "source", "peer", "available", "reason"]
assert len(entries) > 40 and all(k in e for e in entries for k in keys)
assert all(e["idea"] and e["source"] for e in entries)
assert all(e["available"] != bool(e["reason"]) for e in entries)
assert {"matmul", "transpose", "transpose_in_place", "copy", "counting_sort"} <= {e["operation"] for e in entries}
assert len({(e["operation"], e["variant"], e["backend"], e["element"]) for e in entries}) == len(entries)
P
bad "did you mean 'transpose'" list transpos

run 0 run matmul naive recursive --shape m=33,n=20,k=7,pad=3 --param base=4 --seconds 0.01 --json run.json
has out recursive
python3 - run.json <<'P' || fail "run.json"
import json, sys
records = json.load(open(sys.argv[1]))["measurements"]
assert [r["variant"] for r in records] == ["naive", "recursive"]
for r in records:
    assert r["verified"] and r["median_s"] > 0 and r["repetitions"] >= 5 and r["gflop_per_s"] > 0, r
    assert r["shape"] == {"m": 33, "n": 20, "k": 7, "pad": 3} and r["element"] == "double"
assert records[1]["params"] == {"base": 4}
P
run 0 run counting_sort --element uint32_pair --shape n=1000 --input zipf_1.0 --seconds 0.01; has out preprocessing
run 0 run matmul naive --shape m=8 --cold --seconds 0.01
run 0 run fft --shape n=64 --seconds 0.01; has out fft_six_step
run 0 run fft fft_recursive --shape n=60 --seconds 0.01; has out "does not support this shape"
printf '# a triangle and a tail\n0 1\n1 2\n\n2 0\n2 5\n' >graph.txt
run 0 run bfs --graph graph.txt --seconds 0.01 --json graph.json; has out "vertices=6,edges=4"; has graph.json '"file"'
printf '0 1\n2 1\n1 0\n' >unsorted.txt
bad "unsorted.txt:3: not sorted: an edge from vertex 1 behind one from vertex 2" run bfs --graph unsorted.txt
printf '0 1\n0 x\n' >malformed.txt
bad "malformed.txt:2: 'x' where the number of a vertex should be" run bfs --graph malformed.txt
bad "cannot read nowhere.txt" run bfs --graph nowhere.txt
bad "does not work on a graph" run matmul --graph graph.txt
bad "excludes" run bfs --graph graph.txt --shape vertices=8
bad "did you mean 'matmul'" run matmull --shape m=8
bad "did you mean 'tiled'" run matmul tield --shape m=8
bad "did you mean 'double'" run matmul --element duoble --shape m=8
bad "tile_m=0 is less than 1" run matmul tiled --shape m=8 --param tile_m=0
bad "base=-3 is less than 1" run matmul recursive --shape m=8 --param base=-3
bad "did you mean 'base'" run matmul recursive --shape m=8 --param bsae=3
bad "not a whole number" run matmul --shape m=8x
bad "too large" run matmul --shape m=99999999999999999999
bad "a size is not negative" run matmul --shape m=-1
bad "leading dimension is smaller" run matmul --shape m=8,pad=-1
bad "overflows" run matmul --shape m=9999999999,n=9999999999
bad "available" run transpose --shape m=2000000
bad "unknown size 'x'" run matmul --shape x=8
bad "missing" run matmul --shape n=8
bad "at most 4294967295" run counting_sort --shape n=8,range=4294967296
bad "did you mean 'sorted'" run counting_sort --shape n=8 --input sortde
bad "cannot write" run matmul naive --shape m=8 --json nowhere/x.json
bad "required" run matmul

# CPU against GPU: where there is no GPU its variants say why, and the CPU's results stand.
run 0 compare matmul transpose counting_sort --smoke --json compare.json; has out "ahead of the CPU from"
python3 - compare.json <<'P' || fail "compare.json"
import json, sys
document = json.load(open(sys.argv[1]))
assert {c["operation"] for c in document["comparisons"]} == {"matmul", "transpose", "counting_sort"}
for r in document["measurements"]:
    assert r["verified"] and r["median_s"] > 0 or r["problem"], r
    assert r["backend"] == "gpu" or "with_transfers" not in r
assert sum(r["backend"] == "cpu" and r["verified"] for r in document["measurements"]) > 20
P
# Printed again from the file, and put into a README.
run 0 report compare.json; has out "matmul float"; has out "The GPU is ahead of the CPU from"
printf 'before\n<!-- comparison:begin -->\n<!-- comparison:end -->\nafter\n' >readme.md
bad "differs" report compare.json --readme readme.md --check
run 0 report compare.json --readme readme.md
grep -q "^| n = 500 .*bucketed\|^| n = 500 .*classical" readme.md || fail "no summary of the sort in the README"
run 0 report compare.json --readme readme.md --check
[ "$(head -1 readme.md)$(tail -1 readme.md)" = beforeafter ] || fail "the README around the table changed"
if command -v gnuplot >/dev/null; then
  run 0 report compare.json --svg plot
  for operation in matmul transpose counting_sort; do has "plot-$operation.svg" "</svg>"; done
fi
# Where the time goes: every step measured and right, and put into a folder's README.
run 0 steps --smoke --json steps.json; has out "over the step before"; has out "bytes moved for each key, counted"
python3 - steps.json <<'P' || fail "steps.json"
import json, sys
steps = json.load(open(sys.argv[1]))["steps"]
assert [s["operation"] for s in steps] == ["matmul", "transpose", "counting_sort"]
for line in (line for s in steps for line in s["lines"]):
    assert line["verified"] and line["median_s"] > 0 and line["share_of_limit"] > 0 or line["peer"] or line["threads"] > 1, line
P
printf '<!-- steps:begin -->\n<!-- steps:end -->\n' >steps.md
run 0 report steps.json --readme steps.md; has steps.md "REC-TRANSPOSE"
run 0 report steps.json --readme steps.md --check
bad "did you mean 'matmul'" steps matmull
# All arrays on pages of 2 MiB, where the system has them.
if grep -q '\[\(always\|madvise\)\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; then
  run 0 run transpose tiled --shape m=1031 --seconds 0.01 --huge-pages --json huge.json; has huge.json '"pages": "2 MiB"'
else
  run 1 run transpose tiled --shape m=64 --huge-pages; has err "the system gives none"
fi
# The fastest variants beside the libraries: the variant itself measured and right in each case.
run 0 peers --smoke --json peers.json; has out "geometric mean of"; has out "of memcpy's speed"
python3 - peers.json <<'P' || fail "peers.json"
import json, sys
peers = json.load(open(sys.argv[1]))["peers"]
assert [p["operation"] for p in peers] == [o for o in ("matmul", "transpose", "counting_sort") for _ in range(2)]
for case in (case for p in peers for case in p["cases"]):
    own = case["records"][0]
    assert own["verified"] and own["median_s"] > 0, case
P
printf '<!-- peers:begin -->\n<!-- peers:end -->\n' >peers.md
run 0 report peers.json --readme peers.md; has peers.md "zipf_1.0"
run 0 report peers.json --readme peers.md --check
bad "did you mean 'matmul'" peers matmull
sed 's/"operation"/"operatio"/' compare.json >broken.json
bad "is no results file" report broken.json
bad "did you mean 'matmul'" compare matmull
run 1 compare transpose --smoke --device 99 --json compare99.json; has err "the GPU cannot be used: "
python3 - compare99.json <<'P' || fail "compare99.json: the CPU's results are kept"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["context"]["gpu"] == "none"
assert sum(r["backend"] == "cpu" and r["verified"] for r in document["measurements"]) > 5
P
bad "cannot write" compare matmul --smoke --json nowhere/x.json
# Threads are the CPU's: an unnamed list keeps its parallel variants, and the GPU's on one.
if [ "$(nproc)" -ge 2 ]; then
  run 0 run matmul --shape m=32 --seconds 0.01 --threads 2 --json threads.json; has out " on 2 threads"
  python3 - threads.json <<'P' || fail "threads.json"
import json, sys
measurements = json.load(open(sys.argv[1]))["measurements"]
assert {"recursive"} < {m["variant"] for m in measurements if m["backend"] == "cpu"}
for m in measurements:
    assert m["threads"] == (2 if m["backend"] == "cpu" else 1), m
    assert m["variant"] != "loops_ikj", "it runs on one thread only"
P
  python3 - compare.json <<'P' || fail "compare.json: threads"
import json, sys
lines = [m for m in json.load(open(sys.argv[1]))["measurements"] if m["variant"] == "recursive"]
assert {m["threads"] for m in lines} > {1}
assert all("speed_up" in m or m["problem"] for m in lines if m["threads"] > 1), lines
assert any("speed_up" in m for m in lines), lines
P
fi
bad 'gpu\|driver\|device 99' run matmul --backend gpu --device 99 --shape m=8

run 0 machine --quick --json machine.json
has out GFLOP
python3 - machine.json <<'P' || fail "machine.json"
import json, sys
document = json.load(open(sys.argv[1]))
context, limits = document["context"], document["limits"]
assert document["kind"] == "machine" and document["plan"] == document["measurements"] == []
assert context["cpu"] and context["build"]["commit"] and context["build"]["compiler"] and context["date"]
assert {p["element"] for p in limits if p["operation"] == "multiply_add"} >= {"float", "double"}
assert any(p["backend"] == "gpu" for p in limits)
for event in context["counters"]["events"]:
    assert isinstance(event["absent"], str)
assert context["peers"]
P
run 0 report machine.json; has out "^# .*, commit "; has out "^Balance: "; has out "^GPU, best round"
bad "nothing to plot" report machine.json --svg x
bad "no table for a README" report machine.json --readme README.md
bad "cannot write" machine --json nowhere/x.json

# Google Benchmark: names, its own flags, counters, the machine in the context.
"$bench" --benchmark_list_tests >out 2>err || fail "bench: list"
has out "^matmul/cpu/naive/double/m=64,n=64,k=64"
"$bench" --benchmark_filter='^(copy/cpu/rows/float/m=256|counting_sort/cpu/bucketed/uint32/n=100000)' --benchmark_min_time=0.001 \
  --benchmark_repetitions=2 --benchmark_out=bench.json --benchmark_out_format=json >out 2>err || fail "bench: run"
python3 - bench.json <<'P' || fail "bench.json"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["context"]["cpu"] and "build" in document["context"]
rows = document["benchmarks"]
assert all(not r.get("error_occurred") for r in rows)
assert any(r.get("GB/s", 0) > 0 for r in rows)
assert any(r.get("Mkeys/s", 0) > 0 and r.get("preprocessing_s", 0) > 0 for r in rows)
P

finish
