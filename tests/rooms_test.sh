#!/usr/bin/env bash
# rooms_test.sh SOURCE: includes go where DESIGN.md says: bench -> cpu, gpu -> common, blas -> cpu -> common,
# ranks -> cpu -> common, bench -> ranks, and no other way.
set -euo pipefail
source=$1
status=0

# wrong_arrows ROOM FORBIDDEN: the includes of ROOM that lead into a forbidden room.
wrong_arrows() { grep -rnE "#include \"($2)/" "$1" --include='*.?pp' --include='*.cu' --include='*.cuh' --include='*.h' || true; }

check() {
  local found
  found=$(wrong_arrows "$1" "$2")
  [ -z "$found" ] || { echo "$found"; status=1; }
}
cd "$source"
check common 'cpu|gpu|blas|ranks|bench|tests'
check cpu 'gpu|blas|ranks|bench|tests'
check gpu 'cpu|blas|ranks|bench|tests'
check blas 'gpu|ranks|bench|tests'
check ranks 'gpu|blas|bench|tests'
check bench 'blas|tests'
# Inside bench each room stands on those before it alone, and no study on another.
before='' after='results show suites measure tables studies commands'
for room in $after; do
  after=${after#"$room"} after=${after# }
  check "bench/$room" "bench/(${after// /|}${after:+|}benchmarks)"
  before+=" $room"
done
for room in bench/*/; do
  room=${room%/}
  [[ " $before benchmarks examples " == *" ${room#bench/} "* ]] || { echo "$room has no place among the rooms"; status=1; }
done
for study in bench/studies/*; do
  others=$(find bench/studies -mindepth 1 -maxdepth 1 ! -path "$study" -printf '%p|')
  check "$study" "${others%|}"
done

# A planted arrow is found.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
echo '#include "cpu/matmul/naive.hpp"' > "$planted/planted.hpp"
[ -n "$(wrong_arrows "$planted" 'cpu|gpu')" ] || { echo "the check itself finds nothing"; status=1; }
exit $status
