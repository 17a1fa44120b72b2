#!/usr/bin/env bash
# The program from the outside: list, run and machine, and what each says to bad input. Usage: cli_test.sh PROGRAM BENCH
set -u
program=$1 bench=$2
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

run 0 --help; has out reproduce
for command in list run machine reproduce report compare; do run 0 "$command" --help; has out "Example"; done
bad "did you mean 'list'" lsit
bad "options come behind a command" --

run 0 list; has out "REC-MULT"
run 0 list --json list.json
python3 - list.json <<'P' || fail "list.json"
import json, sys
entries = json.load(open(sys.argv[1]))
keys = ["operation", "variant", "backend", "element", "idea", "source", "peer", "device_text", "available", "reason"]
assert len(entries) > 40 and all(k in e for e in entries for k in keys)
assert all(e["idea"] and e["source"] for e in entries)
assert all(e["available"] != bool(e["reason"]) for e in entries)
# A build without CUDA has no variant for a device alone.
on_gpu = {e["variant"]: e["device_text"] for e in entries if e["backend"] == "gpu" and not e["peer"]}
assert not any(e["device_text"] for e in entries if e["variant"] not in on_gpu)
assert not on_gpu or on_gpu["specialised_warps"] and not on_gpu["vector_loads"], on_gpu
assert {"matmul", "transpose", "transpose_in_place", "copy", "counting_sort"} <= {e["operation"] for e in entries}
assert len({(e["operation"], e["variant"], e["backend"], e["element"]) for e in entries}) == len(entries)
P
bad "did you mean 'transpose'" list transpos

# The rows of the texts, and what is cited.
run 0 list --topics; has out "^M7 .*REC-MULT"; has out "^    run      tallcache reproduce matmul-cpu"; has out "^    missing "
run 0 list --topics P4; has out "Hiding Memory Latency"; lacks out "^M"
run 0 list --topics --json topics.json
python3 - <<'P' || fail "topics.json"
import json
rows = {r["id"]: r for r in json.load(open("topics.json"))}
assert len(rows) == 32 and rows["M8"]["tables"]["reproduced"] == ["counting-sort-cpu"]
assert "counting_sort cpu bucketed" in rows["M8"]["variants"]
assert all(r["text"] and r["where"] and (r["command"] or r["missing"]) for r in rows.values())
P
run 0 list --sources; has out "Cache-Oblivious Algorithms"; has out "cited by .*matmul cpu recursive_packed"
run 0 list --sources --json sources.json; has sources.json '"author": "Volker Strassen"'
bad "unknown row 'M70'" list --topics M70
bad "excludes" list --topics --sources
bad "excludes" list matmul --sources

run 0 run matmul naive recursive --shape m=33,n=20,k=7,pad=3 --param base=4 --seconds 0.01 --json run.json
has out recursive
python3 - run.json <<'P' || fail "run.json"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["schema"] == "tallcache/2" and document["kind"] == "run" and document["context"]["seed"] == 1
records = document["measurements"]
assert [r["variant"] for r in records] == ["naive", "recursive"]
for r in records:
    time, work = ([q for q in r["quantities"] if q["name"] == name][0] for name in ("time", "work"))
    assert r["status"] == "measured" and time["value"] > 0 and len(time["samples"]) >= 5, r
    assert work["value"] == 2 * 33 * 20 * 7 and work["unit"] == "flop", work
    assert r["shape"] == {"m": 33, "n": 20, "k": 7, "pad": 3} and r["element"] == "double"
assert records[1]["params"] == {"base": 4}
P
run 0 report run.json; has out "matmul double m=33,n=20,k=7,pad=3"; has out "GFLOP/s"
# Against an older run: the same, one of its variants at half the speed, and what cannot be compared.
python3 - <<'P' || fail "no older and no slower document"
import json
document = json.load(open("run.json"))
for record in document["measurements"]:
    record["quantities"][0]["samples"] = 9 * [record["quantities"][0]["value"]]
json.dump(document, open("older.json", "w"))
time = document["measurements"][0]["quantities"][0]
time["value"] *= 2
time["samples"] = [2 * sample for sample in time["samples"]]
document["context"]["build"]["flags"] = "-O0"
json.dump(document, open("slower.json", "w"))
document["kind"] = "peers"
json.dump(document, open("kind.json", "w"))
P
run 0 report older.json --against older.json --fail-above 1.1
has out "Of 2 records that both runs timed, 0 are slower and 0 faster"
run 0 report slower.json --against older.json; has out "^Slower:"; has out "1 are slower"; has out "differs.* flags: -O0 here"
bad "1 of 2 records take more than 1.1 times as long" report slower.json --against older.json --fail-above 1.1
run 0 report older.json --against slower.json --fail-above 1.1; has out "^Faster:"
bad "peers is held against one of tallcache run" report kind.json --against older.json
bad "as many older documents as there are FILEs: 1 and 2" report older.json older.json --against older.json
bad "2 pairs of runs in turn are too few" report older.json older.json --against older.json older.json
bad "peers is held against one of tallcache run" report older.json kind.json --against older.json older.json
bad "requires" report older.json --fail-above 1.1
head -c 900 older.json >cut.json
bad "cut.json is corrupt or truncated" report older.json --against cut.json
bad "excludes" report older.json --against older.json --html page.html
run 0 run counting_sort --element uint32_pair --shape n=1000 --input zipf_1.0 --seconds 0.01; has out preprocessing
HWLOC_SYNTHETIC="NUMANode:1 core:4 PU:1" run 0 run transpose --shape m=8,n=8 --first-touch
has out "^B: rows 0 to 7, columns 0 to 7: node 0"
HWLOC_SYNTHETIC="NUMANode:2 core:4 PU:1" run 0 run transpose --shape m=8,n=8 --first-touch
has out "^B: rows 0 to 3, columns 0 to 7: node 0"; has out "^A: rows 0 to 7, columns 4 to 7: node 1"
run 0 run matmul naive --shape m=8 --cold --seconds 0.01 --json cold.json; has cold.json '"caches": "cold"'
run 0 run fft --shape n=64 --seconds 0.01; has out fft_six_step
run 0 run fft fft_recursive --shape n=60 --seconds 0.01; has out "does not support this shape"
printf '# a triangle and a tail\n0 1\n1 2\n\n2 0\n2 5\n' >graph.txt
run 0 run bfs --graph graph.txt --seconds 0.01 --json graph.json; has out "vertices=6,edges=4"; has graph.json '"file"'
printf '0 1\n2 1\n1 0\n' >unsorted.txt
run 0 run bfs bfs_queue --graph unsorted.txt --order bisection --seconds 0.01; has out "vertices=3,edges=3"
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 1\n' >graph.mtx
run 0 run bfs bfs_queue --graph graph.mtx --seconds 0.01; has out "vertices=4,edges=4"
run 0 misses bfs bfs_queue --shape vertices=500,edges=4000 --order degree --cache 1K --json ordered.json
has ordered.json '"random, by degree"'
bad "did you mean 'degree'" run bfs --order degre
bad "did you mean 'grid'" run bfs --order degree --input grit
bad "matmul does not work on a graph" run matmul --order degree
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

# Without options: a look at the product; with an operation alone, at that one; with a graph, at the search.
run 0 run; has out "^matmul double m=256,n=256,k=256:$"; has out "^  recursive  *[0-9]"
run 0 run increment loop --json -; has out '"n": 100000'; has out '"status": "measured"'
run 0 run --graph graph.txt --seconds 0.01; has out "^bfs .*vertices=6,edges=4"

# CPU against GPU: where there is no GPU its variants say why, and the CPU's results stand.
run 0 compare matmul transpose counting_sort --smoke --json compare.json; has out "ahead of the CPU: kernel alone"
python3 - compare.json <<'P' || fail "compare.json"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["schema"] == "tallcache/2" and document["kind"] == "compare"
assert [part["operation"] for part in document["plan"]] == ["matmul", "transpose", "counting_sort"]
for r in document["measurements"]:
    times = [q for q in r["quantities"] if q["name"] == "time"]
    transfers = [q for q in r["quantities"] if q["name"] == "transfer time"]
    assert r["status"] == "measured" and times[0]["value"] > 0 or r["reason"], r
    on_gpu = r["backend"] == "gpu" and "launch" not in r.get("conditions", {}) and r["status"] == "measured"
    assert len(transfers) == (2 if on_gpu else 0), r
    assert all(t["value"] and t["value"] > 0 or t["reason"] for t in transfers), transfers
assert sum(r["backend"] == "cpu" and r["status"] == "measured" for r in document["measurements"]) > 20
assert {"multiply_add", "memory_traffic"} <= {limit["operation"] for limit in document["limits"]}
P
# Printed again from the file, and put into a README.
run 0 report compare.json; has out "matmul float"; has out "The GPU is ahead of the CPU: kernel alone"
printf 'before\n<!-- compare:begin -->\n<!-- compare:end -->\nafter\n' >readme.md
bad "differs" report compare.json --readme readme.md --check
run 0 report compare.json --readme readme.md
grep -q "^| n = 500 .*bucketed\|^| n = 500 .*classical" readme.md || fail "no summary of the sort in the README"
run 0 report compare.json --readme readme.md --check
[ "$(head -1 readme.md)$(tail -1 readme.md)" = beforeafter ] || fail "the README around the table changed"
run 0 report compare.json --svg plot
for operation in matmul transpose counting_sort; do has "plot-$operation.svg" "</svg>"; done
# Where the time goes: every step measured and right, and put into a folder's README.
if [ "$(nproc)" -ge 2 ]; then
  run 0 forks fib --smoke --seconds 0.001 --threads 2 --json forks.json; has out "of [0-9]* keep up"; has out "heartbeat"
  run 0 report forks.json; has out "of [0-9]* keep up"
  run 0 forks stencil --smoke --seconds 0.001 --threads 2; has out "trapezoids"
fi
bad "not a whole number from 2" forks fib --threads 1
bad "operation that forks" forks fibb
run 0 steps --smoke --json steps.json; has out "over the step before"; has out "bytes moved for each key, counted"
python3 - steps.json <<'P' || fail "steps.json"
import json, sys
document = json.load(open(sys.argv[1]))
assert [part["operation"] for part in document["plan"]] == [
    "matmul", "transpose", "counting_sort", "lu_pivot", "cholesky", "qr", "solve", "fft", "shortest_paths", "stencil",
    "bfs"]
for part in document["plan"]:
    for step in part["steps"]:
        found = [r for r in document["measurements"]
                 if all(r[k] == part[k] for k in ("operation", "element", "backend", "shape"))
                 and all(r[k] == step[k] for k in ("variant", "params", "threads"))]
        assert len(found) == 1, (step, found)
        times = [q["value"] for q in found[0]["quantities"] if q["name"] == "time"]
        assert found[0]["status"] == "measured" and times[0] > 0 or step["peer"] or step["threads"] > 1, step
P
run 0 report steps.json
python3 - out <<'P' || fail "the shares of the limits that report steps.json prints"
import sys
rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in open(sys.argv[1]) if line[0] == "|"]
steps = [row for row in rows if len(row) > 5 and row[5].endswith("x")]
# No limit is measured of complex numbers.
unlimited = [row for row in steps if row[4] == "-"]
assert len(steps) - len(unlimited) >= 8 and len(unlimited) <= 3, rows
assert all(float(row[1].split()[0]) > 0 and (row in unlimited or row[4].endswith("%")) for row in steps), rows
P
printf '<!-- steps:begin -->\n<!-- steps:end -->\n' >steps.md
run 0 report steps.json --readme steps.md; has steps.md "REC-TRANSPOSE"
run 0 report steps.json --readme steps.md --check
# What steps found, a sentence each, beside the tables of another kind.
printf '<!-- found:begin -->\n<!-- found:end -->\n<!-- compare:begin -->\n<!-- compare:end -->\n' >found.md
run 0 report steps.json compare.json --readme found.md
has found.md "^- .*counting_sort.* times as fast as the textbook's .classical. and .* as the fastest library of the same run of"
lacks found.md "over the step before"; has found.md "ahead of the CPU: kernel alone"
run 0 report steps.json compare.json --readme found.md --check
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
document = json.load(open(sys.argv[1]))
plan, records = document["plan"], document["measurements"]
assert [p["operation"] for p in plan] == (["matmul"] * 4 + ["matmul_bt"] * 2 + ["transpose"] * 2 + ["counting_sort"] * 2 +
                                        ["counting_sort_in_place"] + ["sort"] * 6 + ["lu_pivot"] * 2 + ["cholesky"] * 2 +
                                        ["qr"] * 2 + ["solve"] + ["fft"] * 2 + ["fft_real"] * 2 + ["fft_batched"] * 2 + ["fft_2d"] * 2 + ["shortest_paths"] * 2 +
                                        ["transitive_closure"] + ["stencil"] * 2 + ["bfs", "levenshtein", "levenshtein_batched", "alignment",
                                                               "integer_product"])
rows = [case["row"] for part in plan for case in part["cases"]]
assert len(set(rows)) == len(rows) and {r["row"] for r in records} == set(rows), rows
for part in plan:
    for case in part["cases"]:
        held = [r for r in records if r["row"] == case["row"]]
        own = [r for r in held if r["variant"] == part["variant"]]
        assert len(own) == 1, case
        if part["variant"] == "amx_tiles" and own[0]["status"] == "unavailable":
            assert own[0]["reason"], case
            continue
        assert own[0]["status"] == "measured" and own[0]["quantities"][0]["value"] > 0, case
        others = {r["status"] for r in held if r["variant"] != part["variant"]}
        assert "measured" in others or (part["element"] == "bfloat16" and others == {"unavailable"}), case
        assert any(r["operation"] == "copy" for r in held) == (part["operation"] == "transpose"), case
P
# The comparisons of one element type or of one variant.
run 0 peers matmul --smoke --element bfloat16 --json one.json
python3 - one.json <<'P' || fail "peers of one element type"
import json, sys
document = json.load(open(sys.argv[1]))
assert {p["element"] for p in document["plan"]} == {"bfloat16"}
assert {r["element"] for r in document["measurements"]} == {"bfloat16"}
P
bad "unknown variant with peers 'naive'; there are: " peers matmul --smoke --variant naive
# Cut off in a later case: the document is whole, and keeps the cases before.
: >cut.err
"$program" peers counting_sort --smoke --json cut.json >out 2>cut.err &
pid=$!
while [ "$(grep -c '\.\.\.$' cut.err)" -lt 2 ] && kill -0 "$pid" 2>/dev/null; do :; done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
[ "$(grep -c '\.\.\.$' cut.err)" -ge 2 ] || fail "peers names no cases"
python3 - cut.json <<'P' || fail "cut.json"
import json, sys
document = json.load(open(sys.argv[1]))
cases = [case["row"] for part in document["plan"] for case in part["cases"]]
assert cases, document["plan"]
for row in cases:
    assert any(r["row"] == row and r["status"] == "measured" for r in document["measurements"]), row
P
conforms cut.json
run 0 report cut.json; has out "counting_sort uint32"
printf '<!-- peers:begin -->\n<!-- peers:end -->\n' >peers.md
run 0 report peers.json --readme peers.md; has peers.md "zipf_1.0"
run 0 report peers.json --readme peers.md --check
bad "has no lines" report peers.json --readme found.md
bad "did you mean 'matmul'" peers matmull
run 0 peers matmul --smoke --element bfloat16; has out "matmul bfloat16: amx_tiles"; lacks out "matmul float"
bad "element type with peers 'bfloat17'; did you mean 'bfloat16'" peers matmul --element bfloat17
# Rounding errors: every run of every shape and input right, with errors below their bound; times on one shape.
run 0 errors --smoke --json errors.json; has out "grows as k^"; has out "^  strassen "
python3 - errors.json <<'P' || fail "errors.json"
import json, math, sys
document = json.load(open(sys.argv[1]))
records = document["measurements"]
assert [p["element"] for p in document["plan"]] == ["double", "float", "bfloat16", "double", "complex_double",
                                                           "complex_float"]
for part in document["plan"]:
    for run in part["runs"]:
        own = [r for r in records if r["operation"] == part["operation"] and r["element"] == part["element"] and
               r["variant"] == run["variant"] and r["params"] == run["params"]]
        if own[0]["status"] == "unavailable":
            assert (own[0]["peer"] or run["variant"] == "amx_tiles") and own[0]["reason"]
            continue
        shapes = 1 if run["normwise"] else 1 + len(part["ladder"])
        assert len(own) == shapes * len(part["inputs"]) and all(r["status"] == "measured" for r in own), own
        for r in own:
            errors = {q["name"]: q["value"] for q in r["quantities"] if q["source"] == "reference"}
            assert 0 <= errors["mean error"] <= errors["max error"], r
            most = r["shape"]["k"] + 2 if "k" in r["shape"] else 4 * math.log2(r["shape"]["n"])
            assert errors["max error"] <= most or run["normwise"], r
            timed = r["shape"] == part["timed"] and r["input"] == part["inputs"][0]
            assert timed == any(q["name"] == "time" for q in r["quantities"]), r
P
printf '<!-- errors:begin -->\n<!-- errors:end -->\n' >errors.md
run 0 report errors.json --readme errors.md; has errors.md "^| recursive_temporary"; has errors.md "Higham"
bad "did you mean 'matmul'" errors matmull
bad "backend" errors matmul --backend gpuu
sed 's/"operation"/"operatio"/' compare.json >broken.json
bad "a measurement is no record" report broken.json
bad "did you mean 'matmul'" compare matmull
run 1 compare transpose --smoke --device 99 --json compare99.json; has err "the GPU cannot be used: "
python3 - compare99.json <<'P' || fail "compare99.json: the CPU's results are kept"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["context"]["gpu"] == "none"
assert sum(r["backend"] == "cpu" and r["status"] == "measured" for r in document["measurements"]) > 5
P
# Too short a time for any second run at a larger size.
run 0 compare transpose --smoke --seconds 1e-9 --json short.json; has err "transpose float m = 64"
python3 - short.json <<'P' || fail "short.json"
import json, sys
document = json.load(open(sys.argv[1]))
small, large = document["plan"][0]["sizes"]
for r in document["measurements"]:
    if r["backend"] == "cpu" and r["status"] != "unavailable":
        assert r["status"] == ("measured" if r["shape"]["m"] == small else "left_out"), r
P
bad "--seconds" compare transpose --smoke --seconds 0
bad "cannot write" compare matmul --smoke --json nowhere/x.json
bad "eagerly" run matmul --threads 1 --fork eagerly
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
  run 0 run matmul recursive --shape m=100 --param base=1 --seconds 0.01 --threads 2 --fork heartbeat --json fork.json
  has fork.json '"fork": *"heartbeat"'; conforms fork.json
  run 0 report compare.json
  python3 - compare.json out <<'P' || fail "compare.json: threads"
import json, sys
lines = [m for m in json.load(open(sys.argv[1]))["measurements"] if m["variant"] == "recursive"]
assert {m["threads"] for m in lines} > {1}
assert all(m["status"] == "measured" or m["reason"] for m in lines), lines
rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in open(sys.argv[2]) if line[0] == "|"]
several = [row for row in rows if row[1].endswith("threads") and row[1].startswith("cpu recursive,")]
# Without a device there are no columns of transfers.
over = next(row for row in rows if "over one thread" in row).index("over one thread")
assert any(row[over].endswith("x") for row in several), rows
P
else
  skip "run and compare on 2 threads" "there is one processor"
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
built_with_cuda = context["gpus_absent"] != "built without CUDA"
assert any(p["backend"] == "gpu" for p in limits) == built_with_cuda
for event in context["counters"]["events"]:
    assert isinstance(event["absent"], str)
assert context["peers"]
P
run 0 report machine.json; has out "^# .*, commit "; has out "^Balance: "
has out "^GPU, best round\|^GPU  *none: built without CUDA"
bad "nothing to plot" report machine.json --svg x
bad "no table for a README" report machine.json --readme readme.md
bad "cannot write" machine --json nowhere/x.json
conforms run.json cold.json compare.json compare99.json steps.json peers.json errors.json machine.json

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
