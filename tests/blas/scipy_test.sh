#!/usr/bin/env bash
# scipy_test.sh LIBRARY: scipy's own tests of linear algebra have the same verdicts with the drop-in BLAS and without it,
# and it computes calls of every routine that scipy takes from LAPACK. Exits with 77 where scipy is not installed.
set -euo pipefail
library=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
export OMP_NUM_THREADS=1 TALLCACHE_NUM_THREADS=2 TALLCACHE_BLAS_VERBOSE=1
python=/usr/bin/python3
tests=$("$python" -c 'import os, pytest, scipy.linalg as l; print(os.path.dirname(l.__file__) + "/tests")' 2>/dev/null) || {
  echo "SKIPPED: python3-scipy or python3-pytest is not installed"
  exit 77
}
for preload in "" "$library"; do
  LD_PRELOAD=$preload "$python" -m pytest -q -rA -p no:cacheprovider -W ignore \
    "$tests"/test_{basic,blas,decomp,decomp_cholesky,decomp_ldl,decomp_polar,lapack,matfuncs,solvers}.py \
    > "${preload:+with.}out" 2>&1 || true
  grep -oE '^(PASSED|FAILED|ERROR|XFAIL|XPASS) [^ ]+' "${preload:+with.}out" | sort > "${preload:+with.}verdicts"
done
passed=$(grep -c ^PASSED with.verdicts) || fail "$(tail -20 with.out)"
diff verdicts with.verdicts || fail "scipy has other verdicts with the library"
for routine in {s,d}{gemm,trsm,getrf,getrs,potrf,geqrf,orgqr,ormqr} d{gesv,potrs,posv}; do
  grep -qE "[0-9] (calls? )?of $routine\b" with.out || fail "scipy's tests have not called $routine: $(grep 'calls' with.out | tail -1)"
done
echo "$passed tests of scipy.linalg pass with the library and without; $(grep calls with.out | tail -1)"
