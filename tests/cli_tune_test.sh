#!/usr/bin/env bash
# tallcache tune and its files from the outside. Usage: cli_tune_test.sh PROGRAM
set -u
program=$1
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

run 0 tune --help; has out "TALLCACHE_TUNING"; has out "overwrite"
bad "did you mean 'gemv_threads'" tune gemv_thread
bad "not a number above 0" tune --seconds 0

# A file is overwritten only where that is said, and only where it is one of tuning.
echo '{}' >other.json
bad "other.json exists; --overwrite" tune --record other.json
bad "no file of tuning" tune --record other.json --overwrite
[ "$(cat other.json)" = '{}' ] || fail "other.json was written"

# What the environment names is read before anything else.
record() { echo "{\"schema\": \"tallcache-tuning/1\", \"records\": [{\"of\": \"any\", \"fields\": {$1}}]}"; }
export TALLCACHE_TUNING=tuning.json
bad "cannot read tuning.json" list
record '"gemv_threads": 65' >tuning.json; bad "tuning.json: gemv_threads = 65 is no multiple of 32" list
record '"gemv_threads": 128' >tuning.json
run 0 run gemv --shape m=8 --seconds 0.001 --json run.json; conforms run.json
python3 -c '
import json
assert json.load(open("run.json"))["context"]["tuning"] == [{"of": "any", "fields": {"gemv_threads": 128}}]' ||
  fail "a document does not name the tuning that it was measured with"
TALLCACHE_TUNING='' run 0 list gemv

if "$program" list gemv | grep -q "^ GPU.*:$" && ! "$program" list gemv | grep -q "^ GPU (unavailable"; then
  run 0 tune gemv_threads --seconds 2 --record new.json --json tune.json; has out "^gemv_threads, "; conforms tune.json
  run 0 report tune.json; has out "gemv_threads, threads of a block"
  TALLCACHE_TUNING=new.json run 0 run gemv warp_per_row --shape m=8 --seconds 0.001
  bad "exists" tune gemv_threads --seconds 2 --record new.json
  run 0 tune gemv_threads --seconds 2 --record new.json --overwrite
else
  skip "a device's tuning" "there is no GPU"
  bad "." tune gemv_threads
fi
finish
