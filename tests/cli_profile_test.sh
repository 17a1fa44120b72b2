#!/usr/bin/env bash
# tallcache profile from the outside, and bad input. Usage: cli_profile_test.sh PROGRAM
set -u
program=$1
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

run 0 profile --help; has out "Example"

# Every parallel variant, counted: the same twice.
run 0 profile matmul --shape m=20 --param base=4 --unit-cost --json m.json
for word in recursive_temporary "burdened parallelism" "strands along the span" "burden of a steal (Cilkview's) *15000" "0\.[0-9]* - "; do
  has out "$word"
done
lacks out loops_ikj; lacks out openblas
run 0 profile matmul --shape m=20 --param base=4 --unit-cost --json again.json
python3 - <<'P' || fail "unit cost differs from run to run"
import json
first, again = json.load(open("m.json")), json.load(open("again.json"))
assert first["measurements"] == again["measurements"]
P
python3 - <<'P' || fail "m.json"
import json
d = json.load(open("m.json"))
assert d["kind"] == "profile" and d["plan"][0]["unit"] == "access" and d["context"]["cpu"]
def values(record):
    return {q["name"]: q["value"] for q in record["quantities"]}
profiles = {r["variant"]: values(r) for r in d["measurements"]}
assert {"naive", "tiled", "recursive", "recursive_temporary"} <= set(profiles)
for v in profiles.values():
    assert v["burden"] == 15000
    assert v["work"] >= v["span"] > 0 and v["burdened span"] >= v["span"] and "time" not in v
    assert v["strands"] == 3 * v["spawns"] + 1 and v["strands along the span"] <= v["strands"]
# naive, row by row: 20 of them, 19 forks; 20 + 20 * 20 * 4 accesses and a strand each
naive = profiles["naive"]
assert naive["spawns"] == 19 and naive["work"] == 20 * (20 + 20 * 20 * 4) + 3 * 19 + 1
assert naive["span"] == 20 + 20 * 20 * 4 + 2 * 5 + 1 and naive["strands along the span"] == 11
P
# The report computes what follows from them, as the command prints it.
python3 - <<'P' >wanted || fail "m.json"
import json
for r in json.load(open("m.json"))["measurements"]:
    v = {q["name"]: q["value"] for q in r["quantities"]}
    if r["variant"] != "naive":
        continue
    print("parallelism *| *%.2f" % (v["work"] / v["span"]))
    for p in (2, 128):
        slowest = v["work"] / p + 1.7 * (1 - 1 / p) * v["burdened span"]
        print("%.2f - %.2f" % (v["work"] / slowest, min(p, v["work"] / v["span"])))
P
run 0 report m.json; has out "^# .*, commit "
while read -r line; do has out "$line"; done <wanted
run 0 profile matmul naive --shape m=20 --unit-cost --grain 5 --burden 7 --json -
python3 - <<'P' || fail "grain and burden"
import json
(r,) = json.load(open("out"))["measurements"]
v = {q["name"]: q for q in r["quantities"]}
assert v["spawns"]["value"] == 3 and v["burden"]["value"] == 7 and v["burden"]["detail"] == "given"
assert v["burdened span"]["value"] == v["span"]["value"] + 2 * 7
P
# A serial variant has no parallelism; blocks make one.
run 0 profile matmul loops_ikj --shape m=8 --unit-cost; has out "parallelism *1.00"
run 0 profile counting_sort classical --shape n=1000 --unit-cost --width 1; has out "parallelism *1.00"
run 0 profile counting_sort --element uint32_pair --input zipf_1.0 --shape n=100000,range=64 --unit-cost --width 8 --json -
python3 - <<'P' || fail "width"
import json
for r in json.load(open("out"))["measurements"]:
    v = {q["name"]: q["value"] for q in r["quantities"]}
    assert v["work"] > 2 * v["span"], r["variant"]
P
for problem in "transpose --shape m=50,n=70" "transpose_in_place --shape n=64"; do
  # shellcheck disable=SC2086  # words
  run 0 profile $problem --seed 3; has out "measured here"; has out "average of a strand"
done

# Cilkscale's columns.
run 0 profile matmul recursive tiled --shape m=64 --csv c.csv --seconds 0.01
python3 - <<'P' || fail "c.csv"
import csv
rows = list(csv.reader(open("c.csv")))
assert rows[0] == ["tag", "work (seconds)", "span (seconds)", "parallelism", "burdened_span (seconds)",
                   "burdened_parallelism"]
assert [r[0] for r in rows[1:]] == ["recursive", "tiled"]
for r in rows[1:]:
    work, span, parallelism, burdened_span, burdened = map(float, r[1:])
    assert 0 < span <= work < 10 and abs(parallelism - work / span) < 1e-3 * parallelism
    assert abs(burdened - work / burdened_span) < 1e-3 * burdened
P
run 0 profile matmul recursive --shape m=64 --csv - --measure --seconds 0.01
python3 - <<'P' || fail "--csv - --measure"
import csv
header, row = csv.reader(open("out"))
times = header[6:]
assert times[0] == "1c time (seconds)" and all(t.endswith("c time (seconds)") for t in times)
assert all(float(t) > 0 for t in row[6:]) and len(row) == len(header)
P
lacks out parallelism:

# Measured speed-ups: asked for, or because there are threads.
run 0 profile transpose tiled --shape m=100 --measure --seconds 0.01 --json m.json; has out "measured on"
python3 - <<'P' || fail "measured"
import json
profile, *times = json.load(open("m.json"))["measurements"]
assert profile["conditions"]["profiled"] == "ns" and times[0]["threads"] == 1
for r in times:
    (time,) = [q for q in r["quantities"] if q["name"] == "time" and "at" not in q]
    assert time["value"] > 0 and len(time["samples"]) >= 5 and "conditions" not in r
P
if [ "$(nproc)" -ge 2 ]; then
  run 0 profile matmul recursive --shape m=64 --threads 2 --seconds 0.01; has out "^  2  *[0-9]"
else
  skip "profile on 2 threads" "there is one processor"
fi
run 0 profile matmul recursive naive --shape m=32 --measure --seconds 0.01 --svg "a'b.svg"
python3 -c "import xml.dom.minidom, sys; xml.dom.minidom.parse(sys.argv[1])" "a'b.svg" || fail "the plot is no XML"
for word in linear recursive naive burdened measured; do has "a'b.svg" "$word"; done
run 0 report m.json --svg drawn; has drawn-transpose.svg tiled

conforms m.json again.json

bad "did you mean 'matmul'" profile matmull --shape m=8
bad "did you mean 'naive'" profile matmul naiv --shape m=8
bad "did you mean 'float'" profile matmul --element flaot --shape m=8
bad "did you mean 'base'" profile matmul recursive --shape m=8 --param bsae=3
bad "less than 1" profile matmul recursive --shape m=8 --param base=0
bad "did you mean 'sorted'" profile counting_sort --shape n=8 --input sortde
bad "a library: not profiled" profile matmul openblas --shape m=8
bad "not a whole number from 1" profile matmul --shape m=8 --threads 0
bad "threads: 100000 asked" profile matmul --shape m=8 --threads 100000
bad "not a whole number from 1" profile matmul --shape m=8 --width 0
bad "not a whole number from 1" profile matmul --shape m=8 --grain 0
bad "not a number from 0" profile matmul --shape m=8 --burden -1
bad "not a number from 0" profile matmul --shape m=8 --burden nan
bad "m=-1" profile matmul --shape m=-1
bad "overflows" profile matmul --shape m=9999999999,n=9999999999
bad "cannot write" profile matmul naive --shape m=8 --csv nowhere/x.csv
bad "cannot write" profile matmul naive --shape m=8 --json nowhere/x.json
bad "name of a file" profile matmul naive --shape m=8 --svg -
bad "cannot both" profile matmul naive --shape m=8 --csv - --json -

# Without options: a product of the suite's own size; with an operation alone, its own size.
run 0 profile; has out "^matmul double m=256,n=256,k=256$"; has out "burdened parallelism"
run 0 profile sort --unit-cost --json -; has out '"n": 1000000'

finish
