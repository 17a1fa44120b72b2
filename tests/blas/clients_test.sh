#!/usr/bin/env bash
# clients_test.sh LIBRARY: programs that know nothing of the drop-in BLAS run on it: the reference implementation's
# level-3 tests of the Fortran and the C interface, LAPACK's test programs, numpy, and numpy's own tests of linear
# algebra.
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
  passed() { grep -iE "[^A-Za-z](cblas_)?$1(gemm|symm|trmm|trsm|syrk|syr2k) +PASSED" "$2" | wc -l; }
  for t in s d; do
    upper=${t^^}
    for interface in "xblat3$t ${t}blat3.in $upper 12" "x${t}cblat3 ${t}in3 $t 18"; do
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

# LAPACK's programs, on its library and the reference implementation's BLAS: their verdicts are the same with the
# library and without, and it computed what it has.
program=$(find /usr/lib -path '*/lapack/xlintstd' 2>/dev/null | head -1)
lapack=$(dirname "$program")
if [ -x "$program" ] && [ -n "$reference" ] && [ -e "$lapack/liblapack.so.3" ]; then
  # Without what differs from run to run.
  verdicts() { grep -vE 'seconds|time used' "$1"; }
  # expect_equal PROGRAM INPUT ROUTINE...: of the routines it computed some calls.
  expect_equal() {
    local program=$1 input=$2 routine; shift 2
    for preload in "" "$library"; do
      LD_LIBRARY_PATH=$lapack:$reference LD_PRELOAD=$preload TALLCACHE_BLAS_VERBOSE=1 "$lapack/$program" \
        < "$lapack/$input" > "${preload:+with.}out" 2> "${preload:+with.}err" || fail "$program: $(tail -3 with.err err)"
    done
    [ "$(grep -ciE 'passed' out)" -gt 0 ] || fail "$program: $(tail -3 out)"
    diff <(verdicts out) <(verdicts with.out) || fail "$program: other verdicts with the library"
    for routine; do
      grep -qE "[0-9] (calls? )?of $routine\b" with.err || fail "$program has not called $routine: $(tail -1 with.err)"
    done
    echo "$program < $input: $(grep -ciE 'passed' with.out) verdicts are the same; $(tail -1 with.err)"
  }
  for t in s d; do
    expect_equal "xlintst$t" "${t}test.in" "$t"{trsm,trmm,symm,getrf,getrs,gesv,potrf,potrs,posv,geqrf,orgqr,ormqr}
    expect_equal "xeigtst$t" "${t}sg.in" "$t"{syr2k,symm,trmm,trsm,potrf,geqrf,orgqr,ormqr}
  done
else
  skip "LAPACK's tests" "liblapack-test or libblas-test is not installed"
fi

python=/usr/bin/python3
if "$python" -c 'import numpy' 2>/dev/null; then
  LD_PRELOAD=$library "$python" "$here/numpy_test.py" || fail "numpy"
  # The test finds out that a library computes nothing: the installed one alone has no count.
  if "$python" "$here/numpy_test.py" > out 2>&1; then fail "numpy passes without the library"; fi
  tests=$("$python" -c 'import numpy.linalg, os; print(os.path.dirname(numpy.linalg.__file__))')/tests/test_linalg.py
  if [ -f "$tests" ] && "$python" -c 'import pytest, hypothesis' 2>/dev/null; then
    # Condition numbers take a third of the time, and are the installed LAPACK's.
    LD_PRELOAD=$library TALLCACHE_BLAS_VERBOSE=1 "$python" -m pytest -q -p no:cacheprovider -k "not TestCond" "$tests" > out 2>&1 || fail "$(tail -20 out)"
    for routine in d{gesv,getrf,potrf,geqrf,orgqr,ormqr}; do
      grep -qE "[0-9] (calls? )?of $routine\b" out || fail "numpy's tests have not called $routine: $(tail -1 out)"
    done
    tail -2 out
  else
    skip "numpy's own tests" "pytest or hypothesis is not installed"
  fi
else
  skip "numpy" "python3-numpy is not installed"
fi
