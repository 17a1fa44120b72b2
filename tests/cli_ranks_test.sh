#!/usr/bin/env bash
# tallcache ranks from the outside: counts and clocks and, where there is MPI, runs beside the counts and the ends of runs
# that go wrong. Usage: cli_ranks_test.sh PROGRAM [MPIRUN]
set -u
program=$1
mpirun=${2:-}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/cli.sh
. "$here/cli.sh" || exit

run 0 ranks --help; has out "Example: mpirun"
run 0 ranks matmul --shape m=64 --count --ranks 8,6 --json count.json
has out "2 x 2 x 2 of 8 ranks"; has out "Words by level, 8 ranks"
run 0 ranks matmul --shape m=1024 --simulate cluster --ranks 1,2,4,8,16,32,64,128,256,512,1024 --json strong.json
run 0 ranks matmul --shape m=256 --simulate host --weak --ranks 1,8,64 --json weak.json
run 0 ranks transpose --shape m=64,n=48 --count --ranks 4 --json transpose.json
run 0 ranks matmul --shape m=8192 --count --ranks 31; has out "5 x 2 x 3 of 31 ranks, 1 idle"
run 0 ranks matmul --shape m=8192 --count --ranks 31 --all-ranks; has out "31 x 1 x 1 of 31 ranks"
run 0 ranks matmul --shape m=512 --count --ranks 8 --memory 2M; has out "turns"
python3 - <<'P' || fail "the documents"
import json
def record(file, place=0): return json.load(open(file))["measurements"][place]
def value(record, name, **at):
    (found,) = [q["value"] for q in record["quantities"] if q["name"] == name and q.get("at", {}) == at]
    return found
cube = record("count.json")
assert value(cube, "words") == value(cube, "formula") == value(cube, "bound") == 3 * 512, cube
assert [value(cube, "words", rank=5, level=l) for l in (1, 2, 3)] == [512, 512, 512]
times = [value(r, "time") for r in json.load(open("strong.json"))["measurements"]]
assert times == sorted(times, reverse=True) and times[0] > 200 * times[-1], times
weak = json.load(open("weak.json"))["measurements"]
assert [r["shape"]["m"] for r in weak] == [256, 512, 1024]
# Each rank keeps a quarter of its rows' elements.
assert value(record("transpose.json"), "words") == 64 * 48 / 4 * 3 / 4
P
conforms count.json strong.json weak.json transpose.json
cp out printed; run 0 report strong.json; has out "matmul over ranks, simulate"
run 0 report strong.json --svg strong; [ -s strong-words.svg ] && [ -s strong-time.svg ] || fail "the pictures"

# Runs on more ranks than this machine has, as results/ has them: words and messages are the counted ones.
for file in "$here"/../results/*/ranks-*.json; do
  read -r shape ranks < <(python3 - "$file" <<'P'
import json, sys
document = json.load(open(sys.argv[1]))
if document["plan"][0] == {"operation": "matmul", "mode": "run"}:
    record = document["measurements"][0]
    print(",".join(f"{name}={size}" for name, size in record["shape"].items()), record["conditions"]["ranks"])
P
  ) || continue
  run 0 ranks matmul --shape "$shape" --count --ranks "$ranks" --all-ranks --json counted.json
  python3 - "$file" <<'P' || fail "$file beside its counts"
import json, sys
def words(file):
    record = json.load(open(file))["measurements"][0]
    return {(q["name"], q["at"]["rank"], q["at"]["level"]): q["value"] for q in record["quantities"]
            if q["name"] in ("words", "messages") and "level" in q.get("at", {})}
measured = words(sys.argv[1])
assert measured and measured == words("counted.json")
P
done

bad "did you mean 'matmul'" ranks matmull --count
bad "more ranks than rows" ranks matmul --shape m=2 --count --ranks 16
bad "more ranks than rows" ranks transpose --shape m=3,n=8 --count --ranks 4
bad "are missing" ranks matmul --shape m=512 --count --ranks 8 --memory 1K
bad "no size in bytes" ranks matmul --count --memory lots
bad "not a whole number from 1 to 1000000" ranks matmul --count --ranks 0
bad "none of host and cluster" ranks matmul --simulate nowhere
echo '{"flops": 1e9, "levels": [' >half.json; bad "half.json is corrupt or truncated" ranks matmul --simulate half.json
echo '{"flops": 1e9, "levels": []}' >none.json; bad "it has no levels" ranks matmul --simulate none.json
echo '{"levels": []}' >flops.json; bad "no number 'flops'" ranks matmul --simulate flops.json
echo '{"flops": 1e9, "levels": [{"children": 4, "latency": 0, "bandwidth": 0}]}' >still.json
bad "a bandwidth is not above 0" ranks matmul --simulate still.json
bad "smaller prime factors" ranks matmul --shape m=1048576 --simulate host --ranks 999983 --all-ranks
bad "is none of rows, columns" ranks transpose --count --layout diagonal
bad "the recursion's own layout" ranks matmul --count --layout rows
bad "mpirun -n gives a run its ranks" ranks matmul --ranks 4

if [ -z "$mpirun" ]; then
  skip "runs over MPI" "built without MPI"
  bad "built without MPI" ranks matmul --shape m=64
  finish
fi

# over RANKS ARGUMENTS...: under mpirun, as run() does; mpirun has lines of its own where a rank fails.
over() {
  local wanted=$1 ranks=$2 status
  shift 2
  "$here/mpi/run.sh" "$mpirun" "$ranks" "$program" "$@" >out 2>err </dev/null
  status=$?
  [ "$((status > 0))" = "$wanted" ] || fail "exit status $status on $ranks ranks: $*"
}
# one_line TEXT: one line of ours, with the text.
one_line() {
  [ "$(grep -c '^tallcache: ' err)" = 1 ] || fail "not one line of ours on standard error"
  has err "^tallcache: .*$1"
}

for ranks in 2 3 4 6 8; do
  over 0 "$ranks" ranks matmul --shape m=70,n=51,k=64 --repetitions 1 --threads 1 --layout cyclic --json "run$ranks.json"
  run 0 ranks matmul --shape m=70,n=51,k=64 --count --ranks "$ranks" --json "count$ranks.json"
  conforms "run$ranks.json"
done
over 0 4 ranks matmul --shape m=128 --repetitions 1 --threads 1 --memory 220K; has err "[248] turns"
over 0 4 ranks matmul --shape m=64 --repetitions 1 --threads 1 --peers --json peers.json
over 0 4 ranks matmul --shape m=400 --repetitions 2 --threads 1 --json shared.json; has out "for leaves"
over 0 4 ranks matmul --shape m=400 --repetitions 2 --threads 1 --own-leaves --json alone.json; has out "own leaves"
over 0 4 ranks transpose --shape m=64,n=32 --repetitions 1 --threads 1 --peers --json turned.json
conforms peers.json turned.json shared.json alone.json
python3 - <<'P' || fail "runs beside counts"
import json
def words(file):
    record = json.load(open(file))["measurements"][0]
    assert record["status"] == "measured", record
    return {(q["name"], q["at"]["rank"], q["at"]["level"]): q["value"] for q in record["quantities"]
            if q["name"] in ("words", "messages") and "level" in q.get("at", {})}
for ranks in (2, 3, 4, 6, 8):
    counted = words(f"count{ranks}.json")
    assert counted and words(f"run{ranks}.json") == counted, ranks
for file in ("peers.json", "turned.json"):
    for record in json.load(open(file))["measurements"]:
        assert record["status"] in ("measured", "unavailable"), record
assert json.load(open("peers.json"))["measurements"][1]["variant"] == "summa"
def shared(file):
    (record,) = json.load(open(file))["measurements"]
    return {q["name"]: q["value"] for q in record["quantities"] if q["name"].startswith("shared")}
assert shared("alone.json") == {"shared tiles": 0, "shared words": 0}
tiles, moved = shared("shared.json").values()
assert 0 <= tiles < 1 and (tiles > 0) == (moved > 0), (tiles, moved)
P

# Bad input under mpirun: one line, and all end.
over 1 4 ranks matmul --shape m=1,n=1,k=2; one_line "more ranks than rows"
over 1 4 ranks transpose --shape m=3,n=9; one_line "more ranks than rows"
over 1 2 ranks matmul --shape m=64 --memory 1K; one_line "are missing"
"$here/mpi/run.sh" "$mpirun" 1 "$program" ranks --shape m=64 : -n 2 "$program" ranks --shape m=65 >out 2>err
[ $? != 0 ] || fail "ranks with sizes of their own"
one_line "the sizes differ: rank 1 has .*65.*rank 0 has .*64"
"$here/mpi/run.sh" "$mpirun" 2 "$program" ranks --shape m=512 : -n 1 "$program" ranks --shape m=512 --memory 100K >out 2>err
[ $? != 0 ] || fail "a rank without the memory"
one_line "are missing"

# A rank that is killed at a random moment takes the others along, and one of them says so. Either run would last much
# longer than the moment.
for operation in matmul transpose; do
  : >err
  "$here/mpi/run.sh" "$mpirun" 4 "$program" ranks $operation --shape m=3000 --repetitions 1000 --threads 1 >out 2>err &
  job=$!
  for _ in {1..300}; do grep -q 'a rank needs' err && break; sleep 0.1; done  # all have begun
  sleep "$((RANDOM % 2)).$((RANDOM % 10))"
  launcher=$(pgrep -P "$job")
  victim=$(pgrep -P "${launcher:-0}" | sort -n | sed -n "$((RANDOM % 4 + 1))p")
  if [ -z "$victim" ]; then fail "$operation: no rank to kill"; continue; fi
  kill -9 "$victim"
  begin=$SECONDS
  wait "$job" && fail "$operation: a run without one of its ranks ended well"
  [ "$((SECONDS - begin))" -lt 30 ] || fail "$operation: the end took more than 30 s"
  [ "$(grep -c '^tallcache: rank [0-9]*: ended' err)" = 1 ] || fail "$operation: not one rank tells of the end"
done
finish
