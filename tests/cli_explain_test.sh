#!/usr/bin/env bash
# tallcache explain from the outside, and what it says to bad input. Usage: cli_explain_test.sh PROGRAM
set -u
program=$1
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

run 0 explain --help; has out "Example"
run 0 explain transpose naive --backend gpu --shape m=64 --json naive.json
has out "store of line [0-9]* touches 32 sectors for 128 bytes, where 4 would do: neighbouring lanes write 256 bytes apart"
has out "load of line [0-9]* touches 4 sectors for 128 bytes, the least: neighbouring lanes read neighbouring elements"
# Another stride, another sentence.
run 0 explain transpose naive --backend gpu --shape m=4,n=64
has out "neighbouring lanes write 16 bytes apart"
lacks out "256 bytes apart"
python3 - <<'P' || fail "naive.json"
import json
d = json.load(open("naive.json"))
assert d["kind"] == "explain" and d["plan"][0]["machine"] == "h200"
(record,) = d["measurements"]
assert record["backend"] == "gpu" and record["status"] == "measured"
sites = {}
for q in record["quantities"]:
    at = q["at"]
    assert q["source"] == "model" and q["detail"] == "h200" and at["file"] == "gpu/transpose/tile_moves.hpp", q
    sites.setdefault((at["access"], at["space"]), {})[q["name"]] = q["value"]
warps = 64 * 64 / 32
assert sites["store", "global"]["sectors"] == 32 * warps and sites["store", "global"]["lane distance"] == 256
assert sites["load", "global"]["sectors"] == sites["load", "global"]["ideal sectors"] == 4 * warps
P
cp out printed; run 0 report naive.json; has out "^# .*, commit "; has out "touches 32 sectors"

run 0 explain matmul_bt corner_turning --element float --param tile=16 --shape m=64 --machine k40; has out "machine k40"
run 0 explain bank_conflict_free --element float --shape m=64; has out "which begin in 32 of the 32 banks"

# A CPU's text: 64 x 64 floats are 16 KiB, four lines of 64 bytes a row.
run 0 explain transpose naive --shape m=64 --element float --cache 4K --line 64 --json cpu.json
has out "store of line [0-9]* misses L1 in 100 % of 4096 accesses: nearly every access is to another line"
has out "load of line [0-9]* misses L1 in 6.25 % of 4096 accesses: it takes the 16 elements of a line one after another"
run 0 explain transpose recursive --shape m=64 --element float --cache 8K
python3 - <<'P' || fail "cpu.json"
import json
d = json.load(open("cpu.json"))
(record,) = d["measurements"]
def sum_of(name): return sum(q["value"] for q in record["quantities"] if q["name"] == name)
assert d["plan"][0]["caches"] == [{"bytes": 4096, "ways": 64, "line": 64}]
assert sum_of("accesses") == 2 * 64 * 64 and sum_of("misses") == 64 * 64 + 64 * 64 / 16
assert sum_of("misses") == sum_of("cold") + sum_of("capacity") + sum_of("conflict")
assert {q["at"]["file"] for q in record["quantities"]} == {"cpu/transpose/naive.hpp"}
P
conforms naive.json cpu.json

bad "did you mean 'naive'" explain transpose naiv
bad "did you mean 'transpose'" explain transpos naive
bad "did you mean 'recursive_packed'" explain recursive_packd
bad "name one, as in 'explain matmul naive'" explain naive
bad "VARIANT is required" explain
bad "did you mean 'h200'" explain transpose naive --backend gpu --machine h20
bad "unknown backend 'gpx'" explain transpose naive --backend gpx
bad "did you mean 'tile'" explain matmul shared_memory_tiled --param tiel=16
bad "is none of 16, 32" explain matmul shared_memory_tiled --param tile=17
bad "not modelled: it is a library" explain matmul openblas
bad "are of a CPU's variant" explain transpose coalesced --cache 4K
bad "takes about .* hours" explain transpose coalesced --shape m=1000000
bad "cannot write" explain transpose naive --json nowhere/x.json
"$program" list >list
if grep -q "any_shape" list; then bad "not modelled: its kernels are texts for CUDA alone" explain matmul any_shape; fi

finish
