#!/usr/bin/env bash
# What the programs do with their output: files of all kinds in the place of what they write, standard output and
# standard error closed or full, numbers and names that no option takes, and runs that went wrong at the gate.
# Usage: cli_output_test.sh PROGRAM BENCH
set -u
program=$1 bench=$2
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2>/dev/null || fail "$1 is no whole JSON document"; }
mode() { stat -c %a "$1"; }

run 0 run increment loop --shape n=100 --seconds 0.001 --json run.json
run 0 profile fib --shape n=8 --unit-cost --json profile.json

# Every command and option that writes a file, FILE in its place: through a symbolic link, into one of two names of a
# file, into a FIFO, through a shell's >(...); each keeps what it was.
writers=(
  "run increment loop --shape n=100 --seconds 0.001 --json FILE"
  "profile fib --shape n=8 --unit-cost --json FILE"
  "profile fib --shape n=8 --unit-cost --csv FILE"
  "explain transpose naive --shape m=8 --json FILE"
  "ranks matmul --shape m=8 --count --ranks 2 --json FILE"
  "list matmul --json FILE"
  "list --topics --json FILE"
  "forks fib --smoke --seconds 0.001 --threads 2 --json FILE"
  "reproduce matmul-gpu-intensity --smoke --json FILE"
  "report run.json --html FILE"
)
"$program" misses --help >out 2>&1 && writers+=("misses matmul naive --shape m=8 --source simulated --json FILE")
writers+=("profile fib --shape n=8 --unit-cost --svg FILE")
for number in "${!writers[@]}"; do
  read -ra words <<<"${writers[number]}"
  onto() { run "$1" "${words[@]/#FILE/$2}"; }
  case ${writers[number]} in
    forks*) [ "$(nproc)" -ge 2 ] || { skip "forks onto other files" "there is one processor"; continue; } ;;
  esac
  printf 'an old and much longer text than any document %09999d' 0 >"target$number"
  chmod 640 "target$number"
  ln -s "target$number" "link$number"
  onto 0 "link$number"
  [ -L "link$number" ] || fail "a symbolic link was replaced: ${words[*]}"
  [ "$(mode "target$number")" = 640 ] || fail "a file's mode was lost: ${words[*]}"
  cp "target$number" wanted
  printf 'an old text' >"target$number"
  ln "target$number" "name$number"
  onto 0 "name$number"
  [ "target$number" -ef "name$number" ] || fail "two names are no longer one file: ${words[*]}"
  head -c1 wanted | cmp -s - <(head -c1 "target$number") || fail "the other name has another text: ${words[*]}"
  mkfifo "fifo$number"
  timeout 20 cat "fifo$number" >received &
  onto 0 "fifo$number"
  wait $!
  [ -p "fifo$number" ] || fail "a FIFO was replaced: ${words[*]}"
  head -c1 wanted | cmp -s - <(head -c1 received) || fail "nothing came through the FIFO: ${words[*]}"
  case ${writers[number]} in
    *"--json FILE") for file in wanted "target$number" received; do json "$file"; done ;;
  esac
  case ${writers[number]} in *--svg*) continue ;; esac # beside the text
  "$program" "${words[@]/#FILE//dev/stdout}" >through 2>err </dev/null || fail "/dev/stdout was refused: ${words[*]}"
  head -c1 wanted | cmp -s - <(head -c1 through) || fail "/dev/stdout has something else: ${words[*]}"
done
"$program" run increment loop --shape n=100 --seconds 0.001 --json >(cat >substituted) >out 2>err || fail "a process substitution was refused"
for ((i = 0; i < 50; ++i)); do [ -s substituted ] && break; sleep 0.1; done
json substituted
[ -z "$(find . -name '*.tallcache-*')" ] || fail "a temporary file stayed behind"

# The README that a report fills in, and the results that a run resumes, through links.
printf '<!-- steps:begin -->\n<!-- steps:end -->\n' >readme.md
run 0 steps counting_sort --smoke --seconds 0.001 --json steps.json
chmod 600 readme.md; ln -s readme.md readme.link
run 0 report steps.json --readme readme.link
[ -L readme.link ] && [ "$(mode readme.md)" = 600 ] || fail "a README lost its link or its mode"
has readme.md "counting_sort"
mkdir real; ln -s real results; ln -s ../elsewhere.json real/reproduce.json
run 0 reproduce matmul-gpu-intensity --smoke --results results
[ -L results ] && [ -L real/reproduce.json ] || fail "reproduce replaced a link"
chmod 640 elsewhere.json; cp elsewhere.json before
run 0 reproduce matmul-gpu-intensity --smoke --results results; has out "; 0 rows left"
cmp -s before elsewhere.json && [ "$(mode elsewhere.json)" = 640 ] || fail "resuming changed a complete file or its mode"
mkdir piped; mkfifo piped/reproduce.json
bad "no regular file" reproduce matmul-gpu-intensity --smoke --results piped
mkfifo readme.fifo; bad "no regular file" report steps.json --readme readme.fifo

# A device of its own: the system's are not written to here.
if mknod null c 1 3 2>/dev/null && : 2>/dev/null >null; then
  run 0 list matmul --json null
  [ -c null ] || fail "a device was replaced"
else
  skip "a device in place of a document" "mknod is not permitted"
fi

# Standard output full or closed: one line, status 1; what goes into files goes there all the same.
mpi=$(dirname "$program")/tallcache_ranks
for words in "list matmul" "list --topics" "--help" "--version" "run --help" "report run.json" "report run.json --against run.json" \
  "run increment loop --shape n=100 --seconds 0.001" "list matmul --json -" "profile fib --shape n=8 --unit-cost --csv -" \
  "run increment loop --shape n=100 --seconds 0.001 --json kept.json" "ranks matmul --shape m=8 --count --ranks 2" \
  "reproduce --list" "reproduce matmul-gpu-intensity --smoke --results results"; do
  rm -f kept.json
  read -ra arguments <<<"$words"
  for one in "$program" "$mpi"; do
    [ -x "$one" ] || continue
    "$one" "${arguments[@]}" >/dev/full 2>err </dev/null
    [ $? = 1 ] || fail "status 0 or a crash though standard output is full: $words"
    [ "$(wc -l <err)" = 1 ] || fail "not one line: $words"
    has err "cannot write standard output: No space left on device"
    "$one" "${arguments[@]}" >&- 2>err </dev/null
    [ $? = 1 ] || fail "status 0 or a crash though standard output is closed: $words"
    has err "cannot write standard output: Bad file descriptor"
  done
  case $words in *kept.json) json kept.json ;; esac
done
# A page is written and nothing is printed: nothing is amiss.
"$program" report run.json --html page.html >&- 2>err </dev/null || fail "a page needs no standard output"

# Standard error full or closed: the same statuses, and the results.
for words in "0 run increment loop --shape n=100 --seconds 0.001 --json kept.json" "0 steps counting_sort --smoke --seconds 0.001 --json kept.json" \
  "0 peers counting_sort --smoke --seconds 0.001 --json kept.json" "1 lsit" "1 run increment --shape n=x" "1 report nowhere.json" \
  "0 reproduce matmul-gpu-intensity --smoke --results results --json -"; do
  read -ra arguments <<<"$words"
  rm -f kept.json
  "$program" "${arguments[@]:1}" >out 2>/dev/full </dev/null
  [ $? = "${arguments[0]}" ] || fail "another status where standard error is full: $words"
  "$program" "${arguments[@]:1}" >out 2>&- </dev/null
  [ $? = "${arguments[0]}" ] || fail "another status where standard error is closed: $words"
  case $words in *kept.json) json kept.json ;; *"--json -") json out ;; esac
done
# With all three closed no file gets their numbers: what is printed and said goes into none.
"$program" run increment loop --shape n=100 --seconds 0.001 --json closed.json >&- 2>&- <&-
[ $? = 1 ] || fail "a closed standard output is no error where standard error is closed"
json closed.json
"$bench" --benchmark_list_tests >/dev/full 2>err; [ $? = 1 ] || fail "bench: status 0 though standard output is full"
has err "cannot write standard output"
"$bench" --benchmark_list_tests >&- 2>err; [ $? = 1 ] || fail "bench: status 0 though standard output is closed"
"$bench" --benchmark_list_tests >out 2>&-; [ $? = 0 ] || fail "bench: a closed standard error"
"$bench" --threads=99999999999999999999 >out 2>/dev/full; [ $? = 1 ] || fail "bench: another status where standard error is full"

# Numbers: options_test looks at every option; here is that the programs say it in one line.
for value in nan inf 1e400 0x1 -1 ""; do
  bad "--seconds: '$value' is not a number above 0" run increment --seconds "$value"
  bad "--fail-above: '$value' is not a number from 1" report run.json --against run.json --fail-above "$value"
done
bad "18446744073709551616. is not a whole number from 0 to 18446744073709551615" run increment --seed 18446744073709551616
run 0 run increment loop --shape n=100 --seconds 0.001 --seed 18446744073709551615 --json -; has out '"seed": 18446744073709551615'
bad "is too large" run matmul --shape m=99999999999999999999
bad "is too large" run matmul recursive --shape m=8 --param base=99999999999999999999
bad "not a whole number from 1 to 1000000" ranks --count --ranks 99999999999999
bad "a transposition is counted on up to 10000" ranks transpose --count --ranks 1000000
bad "is too large" ranks --count --weak --ranks 1000000 --shape m=100000000000000,n=1,k=1
bad "overflows" ranks --count --weak --ranks 1000000 --shape m=90000000000000
bad "no list of numbers" ranks transpose --count --layout blocks:4294967297x4294967296
bad "no size in bytes" ranks --count --memory 99999999999999999999
bad "its value is empty" run increment --json ""
bad "its value is empty" report ""

# Documents: what cannot be read is reported with the file and the place.
sed 's/"value": [0-9.e-]*/"value": 1e999/' run.json >large.json
bad "large.json: number overflow parsing '1e999' before byte [0-9]" report large.json
bad "large.json: number overflow" report run.json --against large.json
sed '0,/"unit": "s"/s//"unit": "ms"/' run.json >ms.json
bad "ms.json: .*a time in 'ms': it is read in 's' alone" report run.json --against ms.json
sed 's/"date": "[^"]*",*//' run.json >undated.json
bad "undated.json: one is no whole results document: key 'date' not found" report run.json --against undated.json
echo '{"flops": 1e999, "levels": []}' >fabric.json
bad "fabric.json: number overflow parsing '1e999'" ranks --simulate fabric.json
echo '{"flops": 1e9, "levels": [{"children": 1e300, "latency": 0, "bandwidth": 1}]}' >fabric.json
bad "fabric.json: 'children' is 1e+300, which is no whole number" ranks --simulate fabric.json

# The gate: a record that is wrong, or that failed and had not before, does not pass as gone.
for status in wrong failed unavailable too_large; do
  python3 - $status <<'P' || fail "no document with a record that is $status"
import json, sys
document = json.load(open("run.json"))
record = document["measurements"][0]
record.update(status=sys.argv[1], reason="planted", quantities=[])
json.dump(document, open("changed.json", "w"))
P
  case $status in
    wrong | failed) bad "1 record is wrong or failed; the first is $status: increment .*: planted" report changed.json --against run.json --fail-above 1.1 ;;
    *) bad "no timed record in common" report changed.json --against run.json --fail-above 1.1 ;;
  esac
done

finish
