#!/usr/bin/env bash
# Families of keys from the outside: as inputs, and drawn by tallcache peers. Usage: cli_draws_test.sh PROGRAM
set -u
program=$1
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

# The grammar is listed, and a document has the text.
run 0 run counting_sort std_sort --shape n=999 --input 'mixture:q=0.3(zipf:s=1.3)(runs:r=4)' --seconds 0.01 --json family.json
has family.json '"input": "mixture:q=0.3(zipf:s=1.3)(runs:r=4)"'; conforms family.json
run 0 list sort; has out "zipf:s=1.3,scattered"; has out "direction= .*up, down, alternating"; run 0 list matmul; lacks out zipf
bad "did you mean 'zipf'" run sort --shape n=8 --input zpf:s=1
bad "'s=nan' is not a number from 0 to 8" run sort --shape n=8 --input zipf:s=nan
bad "unknown input 'zipf:s=1'" run matmul --shape m=8 --input zipf:s=1

# Draws from the families of keys: all of them below a bar that none can pass, and so measured again; what is left of
# them is measured when the run is resumed, and nothing else.
draws=(peers counting_sort --element uint32 --smoke --draws 3 --draw-seed 5 --draw-max 600 --seconds 0.001 --bar 1000)
run 0 "${draws[@]}" --json draws.json; has out "draws: geometric mean of 3"; has out "their fifth percentile"
has out "the least of them, draw [012]: .*n = "; conforms draws.json
python3 - draws.json <<'P' || fail "draws.json"
import json, sys
document = json.load(open(sys.argv[1]))
part, = document["plan"]
assert part["draws"] == {"seed": 5, "count": 3, "max_n": 600, "bar": 1000}, part["draws"]
assert [case["again"] for case in part["cases"]] == [10] * 3
# Each drawn problem once, with a time for each variant.
rows = {r["row"] for r in document["measurements"]}
assert len(rows) == len(document["measurements"]), "a problem is stored twice"
for r in document["measurements"]:
    times = {t["variant"]: t["time"] for t in r["times"]}
    assert times["bucketed_streaming"] > 0 and len(times) == len(r["times"]) > 1, times
assert rows == {case["row"] + alone for case in part["cases"] for alone in [""] + [f", alone {k}" for k in range(1, 11)]}
assert all(256 <= r["shape"]["n"] <= 600 for r in document["measurements"])
cut = part["cases"][2]["row"]
document["measurements"] = [r for r in document["measurements"] if not r["row"].startswith(cut)]
document["plan"][0]["cases"].pop()
json.dump(document, open("resumed.json", "w"))
P
run 0 "${draws[@]}" --resume --json resumed.json; [ "$(grep -c '\.\.\.$' err)" = 11 ] || fail "not only what is left was measured"
grep -c '"again": 10' resumed.json | grep -qx 3 || fail "resumed.json"
conforms resumed.json
bad "resumed.json: seed is 1 there and 2 here" "${draws[@]}" --resume --json resumed.json --seed 2
# The cases of a suite are resumed likewise.
run 0 peers transpose --element float --smoke --seconds 0.001 --json cases.json
python3 - cases.json <<'P' || fail "cases.json"
import json, sys
document = json.load(open(sys.argv[1]))
cut = document["plan"][0]["cases"].pop()["row"]
document["measurements"] = [r for r in document["measurements"] if r["row"] != cut]
json.dump(document, open(sys.argv[1], "w"))
P
cp cases.json cut.json
run 0 peers transpose --element float --smoke --seconds 0.001 --resume --json cases.json
[ "$(grep -c '\.\.\.$' err)" = 1 ] || fail "not only the case that is left was measured"
python3 - cut.json cases.json <<'P' || fail "the limits were measured again"
import json, sys
before, after = (json.load(open(file))["limits"] for file in sys.argv[1:])
assert before and before == after
P
conforms cases.json
bad "requires" peers counting_sort --smoke --draw-seed 5
bad "a whole number from 1 to" peers counting_sort --smoke --draws 0
# A sort without a range in its shape gets that of the draw with its keys; on all cores the title says how many.
run 0 peers sort --element uint32 --smoke --draws 6 --draw-seed 5 --draw-max 600 --seconds 0.001 --all-cores --json cores.json
has out "draws: geometric mean of 6"; conforms cores.json; grep -q '"input": "[^"]*range=' cores.json || fail "no range"
bad "requires" peers sort --smoke --all-cores
# Sizes from one on.
run 0 peers sort --element uint32 --smoke --draws 4 --draw-seed 5 --draw-min 500 --draw-max 600 --seconds 0.001 --json large.json
has out "of 500 to 600 keys"; conforms large.json
python3 - large.json <<'P' || fail "large.json"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["plan"][0]["draws"]["min_n"] == 500
assert all(500 <= r["shape"]["n"] <= 600 for r in document["measurements"])
P
bad "--draw-min 700 is above --draw-max 600" peers sort --smoke --draws 2 --draw-min 700 --draw-max 600
bad "no peers on the CPU" peers transpose --smoke --draws 2

# Searches from several vertices: the mean is of the speeds, and each search of the same edges.
run 0 peers bfs --smoke --roots 3 --seconds 0.001 --json roots.json
has out "random, vertices = 65, edges = 1000: harmonic mean of 3 roots"
python3 - roots.json out <<'P' || fail "roots.json"
import json, re, sys
document = json.load(open(sys.argv[1]))
part = document["plan"][0]
cases = part["cases"][:3]
assert part["roots"] == 3 and [c["label"] for c in cases] == ["root 1", "root 2", "root 3"], part
assert all(c["group"] == "random, vertices = 65, edges = 1000" for c in cases) and len({c["row"] for c in part["cases"]}) == len(part["cases"])
rows = [c["row"] for c in cases]
own = [r for r in document["measurements"] if r["variant"] == part["variant"] and r["row"] in rows]
assert len(own) == 3 and all(r["input"] == "random, by root" for r in own), own
quantity = lambda r, name: [q["value"] for q in r["quantities"] if q["name"] == name][0]
mean = 3 / sum(quantity(r, "time") / quantity(r, "work") for r in own)
row = [l for l in open(sys.argv[2]) if "harmonic mean of 3 roots" in l][0].split()
assert any(abs(float(cell) * 1e6 / mean - 1) < 0.01 for cell in row if re.fullmatch(r"[0-9.]+", cell)), (mean, row)
P
conforms roots.json
bad "excludes" peers bfs --smoke --roots 2 --draws 2
bad "transpose does not work on a graph" peers transpose --smoke --roots 2

finish
