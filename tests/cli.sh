# What the tests of the programs from the outside share. The caller sets `program` and sources this: it works in an
# empty folder of its own, which goes with it.
schema=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)/results/schema.json
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
export COLUMNS=400 # cells that are not broken, which grep finds

fail() { echo "FAILED: $1"; failures=$((failures + 1)); cat out err 2>/dev/null; }
# run WANTED_STATUS ARGUMENTS...: output in ./out, errors in ./err
run() {
  local wanted=$1 status
  shift
  "$program" "$@" >out 2>err </dev/null
  status=$?
  [ "$status" = "$wanted" ] || fail "exit status $status, not $wanted: tallcache $*"
}
has() { grep -q -e "$2" "$1" || fail "no '$2' in $1"; }
lacks() { ! grep -q -e "$2" "$1" || fail "'$2' in $1"; }
# bad WANTED_TEXT ARGUMENTS...: refused in one line that holds the text
bad() {
  local text=$1
  shift
  run 1 "$@"
  [ "$(wc -l <err)" = 1 ] || fail "not one line on standard error: tallcache $*"
  has err "$text"
}
# skip WHAT WHY: a part that cannot run here; tests/run counts and names it.
skip() { echo "SKIPPED: $1: $2"; }
# conforms FILE...: documents of results/schema.json; not looked at where there is no validator, which is said
[ -x /usr/bin/jsonschema ] || skip "documents against results/schema.json" "python3-jsonschema is not installed"
conforms() {
  local file
  [ -x /usr/bin/jsonschema ] || return 0
  for file in "$@"; do
    /usr/bin/jsonschema -i "$file" "$schema" >out 2>err || fail "$file is not of results/schema.json"
  done
}
# finish: the verdict
finish() {
  [ "$failures" = 0 ] && echo "all passed"
  exit $((failures > 0))
}
