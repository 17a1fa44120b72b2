#!/usr/bin/env bash
# bench/alternate: programs that take turns, one of which has a variant that really takes many times as long (tests/slowed).
# Usage: alternate_test.sh PROGRAM SLOWED
set -u
program=$1 slowed=$2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
alternate=$here/../bench/alternate
# shellcheck source=tests/cli.sh
. "$here/cli.sh" || exit

export TALLCACHE_SLOWED="20 naive"
"$alternate" --results turns "$program" "$slowed" -- run matmul naive tiled --shape m=24 --seconds 0.001 -- \
  run copy --shape m=16,n=16 --seconds 0.001 >out 2>err || fail "bench/alternate: $(cat err)"
has out "8 runs of each program, in turn"; has out "^Slower:"; has out "^| matmul double cpu naive"
[ "$(find turns/0 turns/1 -name '*.json' | wc -l)" = 32 ] || fail "not 8 rounds of 2 commands for 2 programs"
"$alternate" --results turns --fail-above 4 "$program" "$slowed" -- run matmul naive --shape m=24 --seconds 0.001 >out 2>err &&
  fail "20 times as long passes"
has err "1 of 1 records take more than 4 times as long"

"$alternate" "$program" -- run matmul >out 2>err && fail "one program takes turns"
has err "two programs or more"
"$alternate" --rounds 1 --results turns "$program" "$program" -- run matmull >out 2>err && fail "a command that fails"
has err "run matmull: it failed"
"$alternate" --rounds none "$program" "$program" -- run copy >out 2>err && fail "no rounds"
has err "is no number"
for limit in nan 0x2 -1 1e999 ""; do
  "$alternate" --fail-above "$limit" "$program" "$program" -- run copy >out 2>err && fail "a limit of '$limit'"
  has err "--fail-above: '$limit' is no number"
done
"$alternate" --rounds 2 --results turns "$program" "$program" -- run copy --shape m=8,n=8 --seconds 0.001 >out 2>err &&
  fail "two rounds are enough"
has err "2 pairs of runs in turn are too few"
finish
