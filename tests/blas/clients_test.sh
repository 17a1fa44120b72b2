#!/usr/bin/env bash
# clients_test.sh LIBRARY: programs that know nothing of the drop-in BLAS run on it: the reference implementation's
# level-3 tests of the Fortran and the C interface, numpy, and numpy's own tests of linear algebra.
set -euo pipefail
library=$1
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $1: $2"; }
# The installed BLAS's own threads would only wait for each other.
export OMP_NUM_THREADS=1 TALLCACHE_NUM_THREADS=2

# The programs of the reference implementation, on its library for all that is not taken over.
reference=$(dirname "$(find /usr/lib -path '*/blas/xdcblat3' 2>/dev/null | head -1)")
if [ -x "$reference/xdcblat3" ]; then
  passed() { grep -E "[^A-Za-z](cblas_)?$1(gemm|GEMM|syrk|SYRK) +PASSED" "$2" | wc -l; }
  for t in s d; do
    upper=${t^^}
    for interface in "xblat3$t ${t}blat3.in $upper 4" "x${t}cblat3 ${t}in3 $t 6"; do
      read -r program input letter expected <<<"$interface"
      LD_LIBRARY_PATH=$reference LD_PRELOAD=$library "$reference/$program" < "$reference/$input" > out 2>&1 ||
        fail "$program: $(tail -3 out)"
      cat ./*blat3.out >> out 2>/dev/null || true
      rm -f ./*blat3.out
      ! grep -qE 'FAIL|\*\*\*\*' out || fail "$program: $(grep -E 'FAIL|\*\*\*\*' out | head -3)"
      [ "$(passed "$letter" out)" = "$expected" ] || fail "$program: $(passed "$letter" out) parts passed: $(cat out)"
    done
  done
  echo "the reference implementation's level-3 tests passed"
else
  skip "the reference implementation's tests" "libblas-test is not installed"
fi

python=/usr/bin/python3
if "$python" -c 'import numpy' 2>/dev/null; then
  LD_PRELOAD=$library "$python" "$here/numpy_test.py" || fail "numpy"
  # The test finds out that a library computes nothing: the installed one alone has no count.
  if "$python" "$here/numpy_test.py" > out 2>&1; then fail "numpy passes without the library"; fi
  tests=$("$python" -c 'import numpy.linalg, os; print(os.path.dirname(numpy.linalg.__file__))')/tests/test_linalg.py
  if [ -f "$tests" ] && "$python" -c 'import pytest, hypothesis' 2>/dev/null; then
    # Determinants and condition numbers take half of the time, and are LAPACK's.
    LD_PRELOAD=$library "$python" -m pytest -q -p no:cacheprovider -k "not TestCond and not TestDet" "$tests" > out 2>&1 || fail "$(tail -20 out)"
    tail -1 out
  else
    skip "numpy's own tests" "pytest or hypothesis is not installed"
  fi
else
  skip "numpy" "python3-numpy is not installed"
fi
