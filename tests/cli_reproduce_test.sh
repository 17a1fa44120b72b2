#!/usr/bin/env bash
# `tallcache reproduce` and `tallcache report` from the outside: tables, resume, interruption, and every kind of bad
# results file. Usage: cli_reproduce_test.sh PROGRAM
set -u
program=$1
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit
smoke() { local status=$1; shift; run "$status" reproduce --smoke --results here "$@"; }

# Lists, and an unknown table gets its nearest name.
run 0 reproduce --list
for table in matmul-cpu matmul-counters matmul-accesses cache-complexity transpose-cpu counting-sort-cpu matmul-gpu \
  matmul-gpu-intensity transpose-gpu-gtx280 transpose-gpu-k40 peak-ratios gemv-gemm work-span cilkview-profile \
  cilkview-timing parallel-misses bank-conflicts occupancy dram-channels littles-law effective-bandwidth; do
  has out "^$table "
done
bad "matmul-cpu" reproduce matmul-cpo --results nothing
[ ! -e nothing ] || fail "a folder was made for an unknown table"

# Every table, tiny; the slide's figures stand there although their sizes were not measured.
began=$(date +%s%3N)
smoke 0 --full-tables --json all.json
whole=$(($(date +%s%3N) - began))
for figure in 2344594 62432 116.74 106758 394524 394624 "3N^2 - N" 0.005275 --full; do has out "$figure"; done
has out "holds here"
for figure in "4.78" 13137280000 "n/L + 1" "9n/L + 3m/L + m + 2k/L" "Theta(1 + mn/L)"; do has out "$figure"; done
# n/L + 1 = 513 at n = 4096 and L = 8, counted; a counter that cannot be read is not 0.
has out "scan of n words .* 513 *513 "
grep -q -e "needs hardware counters" -e "L1 hardware" out || fail "no counters, and no word about it"
has all.json '"name": "time"'
has all.json '"table": "gemv-gemm"'
for computed in grids ratios findings notes; do lacks all.json "\"$computed\""; done
# The slide's profile, through this profiler: its counts exactly, its ranges to the digit.
for figure in "parallelism *3.06 *3.06" "spawns *3000000 *3000000" "strands along the span *4000001 *4000001" \
  "10 of 10 ranges come out to the digit" "0.21 - 2.00 *0.21 - 2.00 *0.21 - 2.00" "1.40 - 2.00 *1.40 - 2.00"; do
  has out "$figure"
done
# Seven algorithms, each with its claim; REC-MULT without temporaries has span n.
for figure in "merge sort .*lg^3 n" "Strassen .*n^(lg 7)" "breadth-first search" "recursive_temporary .*lg^2 n" \
  "recursive, *n^3\|recursive  *n^3"; do has out "$figure"; done
lacks err .
grep -c '"status": "measured"' all.json | { read -r n; [ "$n" -ge 15 ] || fail "only $n measured records"; }
lacks here/reproduce.json '"status": "pending"'

# Tables and lines fit 100 columns, and what is asked for: a name, a group, a pattern.
unset COLUMNS
smoke 0 --full-tables
awk 'length($0) > 100' out >wide
[ ! -s wide ] || fail "wider than 100 columns: $(head -3 wide)"
smoke 0 fib; has out "^fib: "; lacks out "^matmul"
smoke 0 matmul; has out "^matmul-cpu: "; has out "^matmul-gpu-intensity: "; lacks out "^fib: "
smoke 0 '*-gpu*'; has out "^transpose-gpu-k40: "; lacks out "^matmul-cpu: "
bad "no table matches 'x\*'" reproduce 'x*' --smoke --results here

# By itself a summary: a line for each table, the findings that fail, how many hold, what was left out, where it is.
smoke 0
[ "$(wc -l <out)" -lt 60 ] || fail "the summary has $(wc -l <out) lines"
has out "^  matmul-accesses .*15.41x *15.41x *2 of 3$"
has out "^- matmul-accesses: one row: 394524 elements are touched; 394624 counted$"
lacks out "^matmul-cpu: "
has out "^[0-9]* of [0-9]* hold"
[ "$(grep -c '^Left out: ' out)" = 1 ] || fail "no line on what was left out"
has out "here/reproduce.json --html"
awk 'length($0) > 100' out >wide
[ ! -s wide ] || fail "wider than 100 columns: $(head -3 wide)"
COLUMNS=70 "$program" reproduce --smoke --results here >out
has out "^  matmul-accesses"
awk 'length($0) > 70' out >wide
[ ! -s wide ] || fail "wider than 70 columns: $(head -3 wide)"

# Again: nothing is measured, and the file stays the same byte for byte.
cp here/reproduce.json before.json
smoke 0
has out "measurements taken from here/reproduce.json; 0 rows left"
cmp -s before.json here/reproduce.json || fail "resuming changed a complete results file"

# The document on standard output, and only that.
smoke 0 matmul-cpu --json -
head -c1 out | grep -q '{' || fail "standard output does not start with the document"
has err "matmul-cpu"
lacks out counting_sort

# Another seed, another mode: refused, naming what differs, and --fresh starts anew.
bad "seed" reproduce --smoke --results here --seed 2
has err "--fresh"
cmp -s before.json here/reproduce.json || fail "a refused run changed the results file"
smoke 0 matmul-cpu --seed 2 --fresh
lacks out "taken from"

# Another machine.
sed 's/"cpu": "[^"]*"/"cpu": "Z80"/' before.json >here/reproduce.json
bad "Z80" reproduce --smoke --results here

# Other sources: of another commit, or changed otherwise; and another way to compile them.
other=$(printf 'a%.0s' {1..40})
for key in commit source_digest textbook_flags cuda_flags; do
  sed "s/\"$key\": \"[^\"]*\"/\"$key\": \"$other\"/" before.json >here/reproduce.json
  bad "build/$key is '$other' there" reproduce --smoke --results here
done
lacks before.json '"resumed"'

# A record that was not finished is measured again; the other ones are not: one that was timed, one that a table counts
# for itself. What could not be measured for want of memory is tried again too.
for unfinished in pending too_large; do
  for row in '"operation": "transpose"' '"row": "matmul-accesses: one row"'; do
    awk -v row="$row" -v status="\"status\": \"$unfinished\", \"reason\": \"none\"" '
      index($0, row) && measurements { found = 1 }
      /"measurements":/ { measurements = 1 }
      found && !done && /"status": "measured"/ { sub(/"status": "measured"/, status); done = 1 }
      { print }' before.json >here/reproduce.json
    cmp -s before.json here/reproduce.json && fail "no record of $row to change"
    smoke 0
    has out "; 1 rows left"
    has here/reproduce.json '"resumed"'
    lacks here/reproduce.json "\"status\": \"$unfinished\""
  done
done

# Truncated, corrupt, another document, a wrong type: one line, and the file is left alone.
head -c 700 before.json >truncated
printf 'no json' >corrupt
printf '[1, 2]' >array
document() { printf '{"schema": "%s", "kind": "%s", "context": {}, "limits": [], "plan": %s, "measurements": %s}' "$@"; }
document tallcache/1 reproduce '[]' '{"a": 1}' >types
document tallcache/1 reproduce '[]' '[{"median_s": "x"}]' >records
document tallcache/1 reproduce '[{"table": "none"}]' '[]' >plan
document tallcache/1 compare '[]' '[]' >kind
document tallcache/99 reproduce '[]' '[]' >schema
printf '{"context": {}, "measurements": [], "tables": []}' >old
: >empty
for broken in truncated corrupt array types records plan kind schema old empty; do
  cp "$broken" here/reproduce.json
  bad "here/reproduce.json" reproduce --smoke --results here
  cmp -s "$broken" here/reproduce.json || fail "the $broken file was changed"
  bad "tallcache: " report here/reproduce.json
done
bad "tallcache: " report missing.json

# A folder that cannot be made or written, a file in its place.
: >file
bad "tallcache: " reproduce --smoke --results file
bad "tallcache: " reproduce --smoke --results file/below
if [ "$(id -u)" != 0 ]; then
  mkdir locked && chmod a-w locked
  bad "tallcache: " reproduce --smoke --results locked
else
  skip "results in a folder that is not writable" "root may write everywhere"
fi
bad "tallcache: " reproduce --smoke --results good --json missing/folder.json
[ ! -e good ] || fail "something was done before the JSON file was found unwritable"

# Ctrl-C in the middle of a full run: one line, status 130, a whole file with what was measured; a second run takes it.
"$program" reproduce matmul-cpu --full --results stopped >out 2>err &
pid=$!
for ((i = 0; i < 600; ++i)); do
  grep -q '"name": "time"' stopped/reproduce.json 2>/dev/null && break
  sleep 0.1
done
kill -INT "$pid"
wait "$pid"
[ $? = 130 ] || fail "an interrupted run does not exit with 130"
has err "stopped/reproduce.json keeps what was measured"
has stopped/reproduce.json '"name": "time"'
[ -z "$(find stopped -name 'reproduce.json.*')" ] || fail "a half-written file stayed behind"
run 0 report stopped/reproduce.json

# Killed at five random moments and resumed, a run ends with the rows of one that nobody disturbed, all of them finished;
# the file was whole each time, and a neighbour that a killed run left behind is cleared away.
rows() {
  python3 - "$1" <<'END'
import json, sys
records = json.load(open(sys.argv[1]))["measurements"]
for record in records:
    record.pop("runs_as", None)  # which kernels were the fastest, and by how much, is measured by each process
    record["quantities"] = sorted([q["name"], q["unit"], str(q.get("at"))] for q in record["quantities"])
print("\n".join(sorted(json.dumps(record, sort_keys=True) for record in records)))
END
}
seed=${TALLCACHE_KILL_SEED:-$RANDOM}
RANDOM=$seed
killed=0
for _ in 1 2 3 4 5; do
  "$program" reproduce --smoke --results killed >out 2>err &
  pid=$!
  delay=$(((RANDOM % 100 + 10) * whole / 700)) # of milliseconds: together less than a whole run
  echo "kill after $delay ms of $whole ms (TALLCACHE_KILL_SEED=$seed)"
  sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null
  [ $? = 137 ] && killed=$((killed + 1))
  [ ! -e killed/reproduce.json ] || run 0 report killed/reproduce.json
done
[ "$killed" -ge 3 ] || fail "only $killed of five runs were there to be killed"
mkdir -p killed
: >killed/reproduce.json.tallcache-4194305 # no process has this number
run 0 reproduce --smoke --results killed
[ -z "$(find killed -name 'reproduce.json.*')" ] || fail "a half-written file stayed behind"
rows before.json >wanted
rows killed/reproduce.json >got
cmp -s wanted got || fail "a killed run ends with other rows: $(diff wanted got | head -5)"
grep -q '"status": "measured"' got || fail "nothing was measured"
lacks got '"status": "pending"'

# Markdown, and a README generated between its markers.
cp before.json results.json
run 0 report results.json
has out "^## transpose-cpu"
has out "^| size "
printf '# x\n<!-- reproduce:begin -->\nold\n<!-- reproduce:end -->\nrest\n' >README.md
bad "tallcache: " report results.json --readme README.md --check
has README.md "^old"
run 0 report results.json --readme README.md
lacks README.md "^old"
has README.md "^rest"
run 0 report results.json --readme README.md --check
printf 'no markers\n' >plain.md
bad "tallcache: " report results.json --readme plain.md

finish
