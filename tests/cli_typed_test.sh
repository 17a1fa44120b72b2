#!/usr/bin/env bash
# What a person types: help without arguments, patterns, sweeps, how often and how much is said, CSV, manual pages and
# completion, Ctrl-C. Usage: cli_typed_test.sh PROGRAM README
set -u
program=$1 readme=$2
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit
unset COLUMNS NO_COLOR
# fits FILE [COLUMNS]
fits() {
  local long
  long=$(awk -v most="${2:-100}" 'length($0) > most' "$1" | head -3)
  [ -z "$long" ] || fail "wider than ${2:-100} columns: $long"
}
fast=(--shape m=8 --seconds 0.001)

# Without arguments: the help.
run 0; has out "^Usage: tallcache"; has out "^  reproduce "; lacks err .
run 0 --help; fits out
run 0 run --help; fits out; has out "repetitions"

# The catalogue: each operation once, in groups that fit.
run 0 list; fits out
[ "$(grep -c '^matmul: ' out)" = 1 ] || fail "an operation has not one heading"
has out "^ CPU:$"; has out "^ CPU, libraries:$"
[ "$(grep -c 'unavailable.*NVIDIA\|unavailable.*CUDA' out)" -le "$(grep -c '^ GPU' out)" ] || fail "a GPU is missing more than once"
run 0 list 'transpose*'; has out "^transpose_in_place: "; lacks out "^matmul"
bad "no operation matches 'x\*'" list 'x*'
run 0 list matmul 'rec*' naive; has out '^  recursive_packed '; has out '^  naive '; lacks out '^  tiled '
bad "did you mean 'naive'" list matmul nave

# Patterns and sweeps.
run 0 run matmul 'rec*' --backend cpu "${fast[@]}" --json pattern.json; has out "recursive_packed"; lacks out "tiled"
bad "no variant of matmul matches 'x\*'" run matmul 'x*' "${fast[@]}"
run 0 run matmul naive tiled --shape 'm=8..32*2,k=4' --seconds 0.001 --json sweep.json
for size in 8 16 32; do has out "^matmul double m=$size,n=$size,k=4"; done
has out "over naive"; has out " 1.00x"
run 0 profile matmul recursive --unit-cost --shape 'm=8..32*2' --param base=4 --json profiles.json --csv profiles.csv
has out "m=8,.* to m=32,"; has out "^recursive base=4, m=32,"; conforms profiles.json
[ "$(grep -c '^"recursive base=4, m=' profiles.csv)" = 3 ] || fail "a sweep has not a row for each size"
run 0 misses matmul naive --shape 'm=8..32*2' --cache 4K --json misses.json
for size in 8 16 32; do has out "^matmul double m=$size,n=$size,k=$size, lines"; done
conforms misses.json
run 0 misses transpose coalesced --backend gpu --shape 'm=32..64*2'; has out "^transpose float m=64,n=64, requests"
bad "take one shape" misses matmul naive --shape 'm=8..32*2' --svg misses.svg
bad "take one shape" misses matmul recursive --shape 'm=8..32*2' --caches 2
bad "no sweep" profile matmul --shape 'm=8..32'
bad "no sweep" run matmul --shape 'm=8..32'
bad "no sweep" run matmul --shape 'm=32..8*2'
bad "no sweep" run matmul --shape 'm=8..32*1'
bad "more than 1000" run matmul --shape 'm=1..100000+1'

# How often.
run 0 run matmul naive --shape m=8 --repetitions 3 --warm-up 2 --json three.json
python3 - three.json <<'P' || fail "not three repetitions"
import json, sys
time = json.load(open(sys.argv[1]))["measurements"][0]["quantities"][0]
assert time["name"] == "time" and len(time["samples"]) == 3, time
P
bad "excludes" run matmul naive --shape m=8 --repetitions 3 --seconds 1
# Energy is a figure, or the reason why it is none.
run 0 run matmul naive --shape m=8 --repetitions 3 --energy --json energy.json
has out " J, .* W\|no energy: [/R]"; has energy.json '"name": "energy"'; conforms energy.json
# Processors by a list, and the best vector code by its name.
run 0 run matmul recursive_packed --shape m=64 --repetitions 3 --processors 0 --threads 1
bad "this machine has 1 to 1" run matmul recursive --shape m=64 --processors 0 --threads 2
for list in x 0-x 3-1 -1 ""; do bad "processors" run matmul naive --shape m=8 --processors="$list"; done
bad "not all among those" run matmul naive --shape m=8 --processors 0,8191
bad "there are: .*SSE4" run matmul naive --shape m=8 --simd none
run 0 run matmul recursive_packed --shape m=64 --repetitions 3 --simd SSE4 --json sse4.json
has sse4.json '"simd": "SSE4"'
bad "did you mean 'SSE4'" run matmul naive --shape m=8 --simd SSE44
bad "from 1 to" run matmul naive --shape m=8 --repetitions 0

# How much is said.
run 0 run matmul naive "${fast[@]}" --quiet --json quiet.json; lacks out .; lacks err .; has quiet.json '"time"'
run 0 machine --quick --quiet --json machine.json; lacks out .; lacks err .; has machine.json '"limits"'
run 0 profile fib fib --unit-cost --quiet --json profile.json; lacks out .; lacks err .; has profile.json '"span"'
run 0 reproduce fib --smoke --quiet --results quiet_results --json fib.json; lacks out .; lacks err .
has fib.json '"time"'
run 0 run matmul naive "${fast[@]}" --verbose; has err "^matmul double m=8,n=8,k=8 on the CPU: 1 repetition$"; has err "2 repetitions"
bad "excludes" run matmul naive "${fast[@]}" --verbose --quiet
run 0 run matmul naive "${fast[@]}"; has out "[0-9] [un]s "

# Tables fit a narrow terminal: columns that are too many go on below. Times have units that fit.
for command in "compare matmul transpose" "counters matmul fft" "peers shortest_paths counting_sort" "steps matmul" \
  "errors matmul" "forks transpose"; do
  # shellcheck disable=SC2086  # words
  COLUMNS=80 "$program" $command --smoke >out 2>err || fail "tallcache $command --smoke"
  fits out 80; lacks out " 0\.000 ms"
done

# A line of CSV for each figure, whatever the text in it.
run 0 report sweep.json pattern.json --csv figures.csv
python3 - figures.csv sweep.json pattern.json <<'P' || fail "figures.csv"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
records = [r for name in sys.argv[2:] for r in json.load(open(name))["measurements"]]
assert len(rows) == sum(max(1, len(r["quantities"])) for r in records), len(rows)
times = [float(r["value"]) for r in rows if r["quantity"] == "time" and not r["at"]]
assert times == [q["value"] for r in records for q in r["quantities"] if q["name"] == "time" and not q.get("at")]
assert {r["shape"] for r in rows} >= {"m=8,n=8,k=4,pad=0", "m=16,n=16,k=4,pad=0"}, {r["shape"] for r in rows}
P
bad "excludes" report sweep.json --csv x.csv --html x.html
run 0 report sweep.json --csv -; has out "^kind,date"

# Manual pages: every command, every option, and the variables that the README names.
commands=$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 14 ] || fail "few commands: $commands"
plain() { sed 's/\\f.//g; s/\\-/-/g' "$1"; }
for command in "" $commands; do
  # shellcheck disable=SC2086  # none for the program
  run 0 manual $command
  plain out >page
  for section in NAME SYNOPSIS ENVIRONMENT FILES "EXIT STATUS" "SEE ALSO"; do has page "^\.SH $section$"; done
  # shellcheck disable=SC2086
  "$program" $command --help >help
  # shellcheck disable=SC2086
  COLUMNS=80 "$program" $command --help | sed '/^Example:/,$d' >narrow; fits narrow 80; lacks narrow "Excludes: *$"; lacks narrow "value in {"
  for option in $(sed -n 's/^ *\(-h,\)\?\(--[a-z-]*\).*/\2/p' help); do has page "$option"; done
  if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww out >/dev/null 2>warnings || fail "groff fails on the manual of '$command'"
    [ ! -s warnings ] || fail "groff warns: $(head -3 warnings)"
  fi
done
for variable in $(sed -n '/^\.SH ENVIRONMENT/,/^\.SH FILES/s/^\([A-Z_]\{4,\}\) *$/\1/p' page); do
  grep -q "^| .*\`$variable\`" "$readme" || fail "the README has no $variable in its table"
done
bad "did you mean 'run'" manual runn

# Completion: what a shell would offer.
run 0 completion bash; cp out bash.sh
offered() { # offered WORD...: what bash offers behind these
  bash -c '. ./bash.sh; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tallcache; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
[ "$(offered tallcache repr)" = reproduce ] || fail "bash does not complete a command"
[ "$(offered tallcache reproduce matmul-c | sort | tr '\n' ' ')" = "matmul-counters matmul-cpu " ] || fail "nor tables"
[ "$(offered tallcache run --warm)" = --warm-up ] || fail "nor options"
run 0 completion fish; has out "seen_subcommand_from reproduce. -a matmul-cpu"
if command -v fish >/dev/null; then
  cp out fish.fish
  [ "$(fish -c 'source fish.fish; complete -C "tallcache repr"' | cut -f1)" = reproduce ] || fail "fish does not complete a command"
else
  skip "completion in fish" "fish is not installed"
fi
run 0 completion zsh; has out "^#compdef tallcache"
if command -v zsh >/dev/null; then
  cp out _tallcache
  zsh -c 'words=(tallcache repr) CURRENT=2; compadd() { print -l -- "${@:2}" }; . ./_tallcache' >offered 2>&1
  has offered "^reproduce$"
  zsh -c 'words=(tallcache manual x) CURRENT=3; compadd() { print -l -- "${@:2}" }; . ./_tallcache' >offered 2>&1
  has offered "^explain$"; lacks offered "^--version$"
else
  skip "completion in zsh" "zsh is not installed"
fi
bad "bash" completion tcsh

# Bad input, said in what a terminal has room for.
bad "'--nosuch' is no option of all commands" --nosuch run
# Many names are cut where a terminal ends.
bad "there are [0-9]*: matmul, .*, \.\.\.$" run nosuch
[ "$(wc -L <err)" -le 100 ] || fail "a message of $(wc -L <err) columns"
bad "size 'm' is given twice" run matmul naive --shape m=5,m=6
bad "unknown parameter 'tile'; there are none" run matmul naive --shape m=8 --param tile=0
bad "matmul has 'naive' on the CPU, not on the GPU\|no backend 'gpu'" run matmul naive --shape m=8 --backend gpu
bad "cannot read missing.md: No such file" report missing.json --readme missing.md

# Ctrl-C: what was measured is printed and in the file, which is whole.
# interrupted SECONDS CONDITION ARGUMENTS...: SIGINT once the condition holds of the run `pid`, which then ends in time
interrupted() {
  local most=$1 condition=$2 pid i
  shift 2
  : >err
  "$program" "$@" >out 2>err &
  pid=$!
  for ((i = 0; i < 3000; ++i)); do { ! kill -0 "$pid" || eval "$condition"; } 2>/dev/null && break; sleep 0.1; done
  kill -INT "$pid"
  SECONDS=0
  wait "$pid"
  [ $? = 130 ] || fail "interrupted, it does not exit with 130: tallcache $*"
  [ "$SECONDS" -lt "$most" ] || fail "it ends $SECONDS s after it is interrupted: tallcache $*"
  has err "interrupted"
}
# computed SECONDS: the run has had so much of a processor
computed() { [ "$(awk '{ print $14 + $15 }' "/proc/$pid/stat")" -ge $(($1 * $(getconf CLK_TCK))) ]; }
interrupted 60 'grep -q "3 repetitions" err' run matmul naive loops_ikj --shape m=700 --seconds 1000 --verbose \
  --json stopped.json
has out "^  naive .*not verified again"; has stopped.json '"name": "time"'; conforms stopped.json
interrupted 60 '[ "$(grep -c "\.\.\.$" err)" -ge 2 ]' peers counting_sort --smoke --seconds 1000 --json stopped.json
has out "counting_sort uint32"

# Within a variant, too: what is counted of the one before stays.
interrupted 15 'grep -q "naive \.\.\." err' misses matmul recursive_packed naive --shape m=1200 --source simulated \
  --verbose --json stopped.json
has out "^recursive_packed"; lacks out "^naive"; conforms stopped.json
# So do strands while they are recorded and while they are replayed with coherence, what has been done of the others,
coherent=(misses matmul recursive recursive_temporary --caches 4 --coherence --param base=1 --verbose --json stopped.json)
interrupted 15 'grep -q "recursive_temporary \.\.\." err' "${coherent[@]}" --shape m=100
has out "^recursive "; lacks out "^recursive_temporary"; conforms stopped.json
interrupted 15 'grep -q "recursive \.\.\." err' "${coherent[@]}" --shape m=180
interrupted 15 'computed 3' "${coherent[@]}" --shape m=160 --scheduler work-stealing,heartbeat,depth-first
# what lines cost, words over ranks, and profiles.
interrupted 15 'computed 2' explain matmul naive --shape m=1200 --backend cpu
interrupted 15 'computed 2' ranks transpose --count --ranks "$(seq -s, 3000 3999)" --shape m=4096 --json stopped.json
has out "^ *3000 "; lacks out "^ *3999 "; conforms stopped.json
interrupted 15 'grep -q "burdened span" out' profile matmul recursive recursive_temporary --shape m=500 --seconds 1000 \
  --json stopped.json
has stopped.json '"name": "span"'; lacks stopped.json '"recursive_temporary"'; conforms stopped.json

# An error is measured in every case or not at all, a limit in its rounds or not.
interrupted 30 'computed 2' errors fft --json stopped.json
conforms stopped.json
interrupted 30 'computed 1' machine --json stopped.json
has out "^CPU "; has out "GFLOP/s"; conforms stopped.json

# Nothing is emphasised in a file, nor on a terminal that does not want it.
if command -v script >/dev/null; then
  script -qec "TERM=xterm '$program' reproduce --smoke --results here" bold </dev/null >/dev/null
  grep -q $'\033\[1m' bold || fail "nothing is bold on a terminal"
  script -qec "TERM=xterm NO_COLOR=1 '$program' reproduce --smoke --results here" plain.txt </dev/null >/dev/null
  grep -q $'\033\[1m' plain.txt && fail "bold in spite of NO_COLOR"
else
  skip "NO_COLOR" "script is not installed"
fi
# A device that is not there is one line.
if ! nvidia-smi -L >/dev/null 2>&1; then
  bad "GPU\|backend 'gpu'" peers matmul --smoke --backend gpu
fi
finish
