#!/usr/bin/env bash
# tallcache misses from the outside, and what it says to bad input. Usage: cli_misses_test.sh PROGRAM
set -u
program=$1
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

run 0 misses --help; has out "Example"
run 0 misses matmul --shape m=40 --cache 4K:2 --cache 64K --source simulated --json m.json
has out "a library: not traced"; has out "sde:::tallcache"; has out "mnk)/L"
python3 - <<'P' || fail "m.json"
import json
d = json.load(open("m.json"))
(part,) = d["plan"]
assert d["kind"] == "misses" and part["source"] == "simulated" and d["context"]["cpu"]
assert [c["ways"] for c in part["caches"]] == [2, 1024]
def value(record, name, **at):
    (quantity,) = [q for q in record["quantities"] if q["name"] == name and q.get("at", {}) == at]
    return quantity["value"]
traced = {v["variant"]: v for v in d["measurements"] if v["status"] == "measured"}
assert {"naive", "tiled", "recursive"} <= set(traced) and len(traced) < len(d["measurements"])
assert all(v["reason"] for v in d["measurements"] if v["status"] != "measured")
for name, v in traced.items():
    for level in (1, 2):
        cold, capacity, conflict, misses = (
            value(v, kind, level=level) for kind in ("cold", "capacity", "conflict", "misses"))
        assert cold + capacity + conflict == misses > 0
        (counted,) = [q for q in v["quantities"] if q["name"] == "misses" and q.get("at") == {"level": level}]
        assert counted["detail"] == "sde:::tallcache::L%d_DCM" % level and counted["source"] == "model"
        assert level == 1 or conflict == 0  # fully associative
    # 40 x 40 doubles: 200 lines a matrix, each of them missed once
    assert value(v, "cold", level=1) >= 600 and value(v, "stores") >= 1600
    # A leaf of vectors tells its blocks, each element once; the others every access.
    assert value(v, "loads") >= (2 * 40**2 if name == "recursive_packed" else 2 * 40**3)
naive = traced["naive"]
assert value(naive, "loads") == 3 * 40**3 and value(naive, "work") == 2 * 40**3
assert value(naive, "misses", level=2) == 600 and abs(value(naive, "predicted misses", level=2) - 600) < 1e-9
assert value(traced["recursive"], "order of misses", level=2) > 0
P
cp out printed; run 0 report m.json; has out "^# .*, commit "; has out "^| L1 "; has out "mnk)/L"
has printed "openblas: unsupported: a library: not traced"
for problem in "transpose --shape m=64" "transpose_in_place --shape n=64" "copy --shape m=64"; do
  # shellcheck disable=SC2086  # words
  run 0 misses $problem --source simulated; has out "/ element"
done
run 0 misses counting_sort --element uint32_pair --shape n=5000 --cache 8K --input zipf_1.0; has out "/ key"
run 0 misses counting_sort classical --shape n=5000 --line 32 --cache 8K; has out "lines of 32 bytes"

run 0 misses matmul naive recursive --shape m=32 --source simulated --curve --json curve.json
python3 - <<'P' || fail "curve.json"
import json
records = json.load(open("curve.json"))["measurements"]
assert [r["variant"] for r in records] == ["naive", "recursive"]
for r in records:
    def curve(*names):
        (quantity,) = [q for q in r["quantities"] if q["name"] in names and "over" in q]
        return quantity["over"]["points"], quantity["values"]
    (lines,) = [q["value"] for q in r["quantities"] if q["name"] == "distinct lines"]
    points, misses = curve("misses")
    assert all(a >= b for a, b in zip(misses, misses[1:])) and misses[-1] == lines == 384
    assert points[:2] == [4 * 64, 6 * 64]
    predicted_at, predicted = curve("predicted misses", "order of misses")
    assert predicted_at == points and min(predicted) > 0
P
run 0 report curve.json; has out "^| 256 B "
run 0 misses matmul naive recursive --shape m=32 --source simulated --svg "a'b.svg"
python3 -c "import xml.dom.minidom, sys; xml.dom.minidom.parse(sys.argv[1])" "a'b.svg" || fail "the plot is no XML"
has "a'b.svg" recursive
run 0 report curve.json --svg drawn; has drawn-matmul.svg recursive
bad "misses --curve" report m.json --svg drawn

run 0 misses transpose naive recursive --shape m=256 --cache 8K --falls --json falls.json
cp out printed
python3 - <<'P' || fail "falls.json"
import json
d = json.load(open("falls.json"))
ladder = d["plan"][0]["falls"]["ladder"]
assert len(ladder) == 17 and ladder[-1] == d["plan"][0]["shape"]
for variant in ("naive", "recursive"):
    rungs = [r for r in d["measurements"] if r["variant"] == variant]
    assert len(rungs) == 17  # the last is also the one that is counted by level
    assert all(any(q["name"] == "time" and q["value"] > 0 for q in r["quantities"]) for r in rungs)
# 128 lines: naive needs a line of each row
lines = {line.split()[0]: line.split() for line in open("printed") if " L1 " in line and line.split()[0] != "L1"}
assert 64 < int(lines["naive"][2]) <= 192, lines
assert lines["recursive"][2:4] == [">", "256"], lines
P
run 0 report falls.json; has out "jump in time"

# 64 lines are too few for the ladder's first size already
run 0 misses transpose naive --shape m=1100 --cache 4K --falls; has out "< 69"

conforms m.json curve.json falls.json

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
run 0 misses; has out "^matmul double m=64,n=64,k=64, "; has out "^recursive base=1: "; has out "^The base is the least .*recursive 1 (else 64)"
run 0 misses matmul recursive --shape m=16 --param base=8; has out "^recursive base=8: "; lacks out "the least"
# PAPI has no component for the kernel's events where it does not know the processor.
run 0 misses matmul naive --shape m=16 --event perf::PAGE-FAULTS --json event.json
if grep -q "^perf::PAGE-FAULTS: .* is disabled: .*no default PMU found" out; then
  skip "an event of the kernel" "PAPI does not know this processor"
else
  has out "^.*PAGE-FAULTS.*: [0-9]"
fi
conforms event.json
bad "PAPI_BR_MSP" misses matmul naive --shape m=16 --event PAPI_BR_MSPX
run 0 misses copy rows --source simulated; has out "^copy float m=256,n=256, "

# P private caches, of the variants that fork.
run 0 misses matmul recursive --shape m=16 --caches 1,2,8 --scheduler work-stealing,heartbeat --cache 1K --cache 4K \
  --json caches.json --svg caches.svg
has out "^The base is the least"; has out "P private ideal caches in lines of 64 bytes"; has out "(Z/L) P T_inf"
conforms caches.json
grep -q "P = 8" caches.svg || fail "no line of P = 8"
run 0 report caches.json; has out "parallel\|Q_P - Q_1"
run 0 report caches.json --html caches.html; grep -q "Q_P - Q_1" caches.html || fail "no grid of private caches on the page"
# One cache has what the ideal cache has.
run 0 misses matmul recursive --shape m=16 --cache 1K --source simulated --json one.json
python3 - <<'P' || fail "caches.json"
import json
def values(file, name):
    return {json.dumps(q.get("at")): q["value"]
            for q in json.load(open(file))["measurements"][0]["quantities"] if q["name"] == name}
several, one = values("caches.json", "misses"), values("one.json", "misses")
assert len(several) == 3 * 2 * 2
alone = several[json.dumps({"caches": 1, "cache": 1024, "scheduler": "work-stealing"})]
assert alone == one[json.dumps({"level": 1})] == values("caches.json", "serial misses")[
    json.dumps({"caches": 1, "cache": 1024})]
P
run 0 misses transpose --shape m=32 --caches 2 --coherence --cache 1K:2; has out "false sharing"; lacks out "^naive"
run 0 misses fib fib --shape n=8 --param grain=0 --caches 2 --strands strands.txt; has strands.txt "^strands "
bad "8 processors are more than the 7 strands" misses fib fib --shape n=3 --param grain=0 --caches 8
bad "does not fork" misses transpose naive --shape m=8 --caches 2
bad "not in \|256" misses fib fib --shape n=8 --caches 257
bad "did you mean 'work-stealing'" misses fib fib --shape n=8 --caches 2 --scheduler work-stealin
bad "fully associative" misses fib fib --shape n=8 --caches 2 --cache 1K:2
bad "go together" misses fib fib --shape n=8 --caches 2 --coherence --miss-steps 3
bad "go with --caches" misses fib fib --shape n=8 --coherence
bad "not of private caches" misses fib fib --shape n=8 --caches 2 --curve
bad "one variant and one number" misses fib fib --shape n=8 --param grain=0 --caches 2,4 --strands strands.txt

# With no hardware counters, asking for them is an error with PAPI's reason; with them, they are named.
if "$program" misses matmul naive --shape m=64 --source hardware >out 2>err; then
  has out "hardware: PAPI counts"
else
  bad "no hardware counters here: PAPI_" misses matmul naive --shape m=64 --source hardware
  run 0 misses matmul naive --shape m=16; has out "simulated: no hardware counters here"
fi

# A GPU's variants: the model's column, and the counters' or why not.
if "$program" list | grep -q "^ GPU"; then
  run 0 misses transpose naive coalesced --backend gpu --shape m=64 --json gpu.json
  python3 - <<'P' || fail "gpu.json"
import json
d = json.load(open("gpu.json"))
naive, coalesced = d["measurements"]
def model(record, name):
    (quantity,) = [q for q in record["quantities"] if q["name"] == name and q["source"] == "model"]
    return quantity["value"]
assert model(naive, "global store sectors") == 32 * model(naive, "global store requests") == 32 * 128
assert model(coalesced, "shared load wavefronts") == 32 * 128
assert model(naive, "L2 hit rate") == 100 and model(naive, "DRAM bytes read") == 0, "it fits"
assert model(naive, "L2 sectors") == 36 * 128
for record in d["measurements"]:
    for q in record["quantities"]:
        assert q["value"] is not None or q["reason"], q
    (counted,) = [q for q in record["quantities"] if q["name"] == "global load sectors" and q["source"] == "event"]
    assert counted["detail"] == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    assert counted["value"] is None or counted["value"] == 4 * 128
P
  # A tile of 128 x 128 in 8 warps: 8 copies of A and 2 of B a thread for each of 4 arrivals; two more are of zeros.
  run 0 misses matmul asynchronous_copies any_shape --element float --backend gpu --shape m=64 --json products.json
  has out "^model: kernels for CUDA alone: not modelled"
  python3 - <<'P' || fail "products.json"
import json
copies, any_shape = ({q["name"]: q["value"] for q in record["quantities"] if q["source"] == "model"}
                     for record in json.load(open("products.json"))["measurements"])
assert copies["global copy requests"] == 8 * 4 * (8 + 2) and copies["shared copy requests"] == 8 * 6 * (8 + 2), copies
assert any_shape["global copy requests"] is None
P
  run 0 report gpu.json; has out "global store: sectors a request"
  conforms gpu.json
  bad "are of the CPU's variants" misses transpose naive --backend gpu --cache 4K
  bad "did you mean 'h200'" misses transpose naive --backend gpu --machine h20
  bad "did you mean 'naive'" misses transpose naiv --backend gpu
else
  bad "this build has no backend 'gpu'" misses transpose naive --backend gpu
fi

finish
