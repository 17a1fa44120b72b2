#!/usr/bin/env bash
# command_test.sh BUILD README: tallcache-blas as it is installed: the line of the README, programs whose BLAS
# has the names of PyPI's wheels, the count at the end of a program, and wrong usage.
set -euo pipefail
build=$1 readme=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $1: $2"; }
for component in libraries program; do
  "${CMAKE:-cmake}" --install "$build" --prefix "$work/prefix" --component $component >"$work/log" || fail "$(tail "$work/log")"
done
cd "$work"
export PATH=$work/prefix/bin:/usr/bin:/bin
unset LD_PRELOAD TALLCACHE_BLAS_VERBOSE

line=$(sed -n '/^## As a drop-in BLAS/,/^## /s/^    \(tallcache-blas .*\)/\1/p' "$readme")
[ "$(wc -l <<<"$line")" = 1 ] && [ -n "$line" ] || fail "the README has not one line with tallcache-blas: $line"
if python3 -c 'import numpy' 2>/dev/null; then
  TALLCACHE_BLAS_VERBOSE=1 bash -c "$line" >out 2>err || fail "$line: $(cat err)"
  [ "$(cat out)" = 1000.0 ] || fail "$line printed $(cat out)"
  grep -qx 'tallcache_blas: 1 call of dgemm' err || fail "$line told of $(cat err)"
else
  skip "the README's line" "python3-numpy is not installed"
fi

# Libraries with the names of the wheels, which compute nothing, and a module that needs them, as numpy's
# does.
cat >wheel.h <<'C'
#include <stdint.h>
#define GEMM(name, Int) void name(const char*, const char*, const Int*, const Int*, const Int*, const double*, const double*, \
                                  const Int*, const double*, const Int*, const double*, double*, const Int*)
#define CBLAS(name, Int) void name(int, int, int, Int, Int, Int, double, const double*, Int, const double*, Int, double, \
                                   double*, Int)
#define SYRK(name, Int) void name(int, int, int, Int, Int, float, const float*, Int, float, float*, Int)
GEMM(scipy_dgemm_64_, int64_t);
CBLAS(scipy_cblas_dgemm64_, int64_t);
SYRK(scipy_cblas_ssyrk64_, int64_t);
GEMM(scipy_dgemm_, int32_t);
CBLAS(scipy_cblas_dgemm, int32_t);
SYRK(scipy_cblas_ssyrk, int32_t);
C
for names in "scipy_dgemm_64_ scipy_cblas_dgemm64_ scipy_cblas_ssyrk64_" "scipy_dgemm_ scipy_cblas_dgemm scipy_cblas_ssyrk"; do
  for name in $names; do echo "void $name(void) {}"; done >own.c
  "${CC:-cc}" -shared -fPIC -o "lib${names%% *}.so" own.c
done
cat >module.c <<'C'
#include "wheel.h"
#define PRODUCTS(Int, gemm, cblas, syrk)                                                                     \
  do {                                                                                                       \
    const Int n = 2;                                                                                         \
    const double one = 1, zero = 0, a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};                                   \
    double c[4] = {0}, d[4] = {0};                                                                           \
    const float x[] = {1, 2, 3, 4};                                                                          \
    float y[4] = {0};                                                                                        \
    gemm("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);                                            \
    cblas(101, 111, 111, n, n, n, 1, a, n, b, n, 0, d, n);                                                   \
    syrk(101, 122, 111, n, n, 1, x, n, 0, y, n);                                                             \
    wrong += !(c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46);                                        \
    wrong += !(d[0] == 19 && d[1] == 22 && d[2] == 43 && d[3] == 50);                                        \
    wrong += !(y[0] == 5 && y[1] == 0 && y[2] == 11 && y[3] == 25);                                          \
  } while (0)
int products(void) {
  int wrong = 0;
  PRODUCTS(int64_t, scipy_dgemm_64_, scipy_cblas_dgemm64_, scipy_cblas_ssyrk64_);
  PRODUCTS(int32_t, scipy_dgemm_, scipy_cblas_dgemm, scipy_cblas_ssyrk);
  return wrong;
}
C
"${CC:-cc}" -shared -fPIC -o module.so module.c ./libscipy_dgemm_64_.so ./libscipy_dgemm_.so
cat >program.c <<'C'
#include <dlfcn.h>
int main(void) {
  void* module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
  return module ? ((int (*)(void))dlsym(module, "products"))() : 99;
}
C
"${CC:-cc}" -o program program.c -ldl
status=0
./program || status=$?
[ $status = 6 ] || fail "without the drop-in BLAS $status of 6 products are wrong"
told='tallcache_blas: 4 calls of dgemm, 2 of ssyrk'
for option in "" --64; do
  # shellcheck disable=SC2086  # no option is no word
  TALLCACHE_BLAS_VERBOSE=1 tallcache-blas $option ./program 2>err || fail "tallcache-blas $option: $? products of a wheel are wrong"
  [ "$(cat err)" = "$told" ] || fail "tallcache-blas $option told of $(cat err)"
done

# Plain names have integers of 64 bits with --64 alone. The upper halves that a caller of 32 bits leaves are
# not zero.
cat >plain.c <<'C'
#include <stdint.h>
void cblas_dgemm(int, int, int, Int, Int, Int, double, const double*, Int, const double*, Int, double, double*, Int);
int main(void) {
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  double c[4] = {0};
  cblas_dgemm(101, 111, 111, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
  return !(c[0] == 19 && c[3] == 50);
}
C
for bits in 32 64; do
  echo 'void cblas_dgemm(void) {}' >own.c
  "${CC:-cc}" -shared -fPIC -o libplain.so own.c
  "${CC:-cc}" "-DInt=int${bits}_t" -o plain$bits plain.c ./libplain.so
done
tallcache-blas ./plain32 || fail "plain names"
tallcache-blas --64 ./plain64 || fail "plain names with --64"

# Nothing is printed unasked; a program that has closed standard error, or whose reader is gone, ends as it
# would.
for value in "" 0; do
  TALLCACHE_BLAS_VERBOSE=$value tallcache-blas ./program 2>err || fail "TALLCACHE_BLAS_VERBOSE=$value"
  [ ! -s err ] || fail "TALLCACHE_BLAS_VERBOSE=$value told of $(cat err)"
done
TALLCACHE_BLAS_VERBOSE=1 tallcache-blas true 2>err
[ "$(cat err)" = 'tallcache_blas: no calls' ] || fail "a program without calls told of $(cat err)"
export TALLCACHE_BLAS_VERBOSE=1
tallcache-blas ./program 2>&- || fail "closed standard error: $?"
if [ -w /dev/full ]; then tallcache-blas ./program 2>/dev/full || fail "full standard error: $?"; fi
mkfifo gone
(exec 3<gone; sleep 0.1) &
status=0
{ wait $!; tallcache-blas ./program || status=$?; } 2>gone
[ $status = 0 ] || fail "a reader of standard error that is gone: $status"
unset TALLCACHE_BLAS_VERBOSE

# An LD_PRELOAD that is there stays.
[ "$(LD_PRELOAD=./module.so tallcache-blas sh -c 'echo "${LD_PRELOAD##*:}"')" = ./module.so ] || fail "LD_PRELOAD is lost"
wrong() {
  local expected=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [ $status = 1 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "$expected" err || fail "$*: $status, $(cat out err)"
}
wrong 'which program' tallcache-blas
wrong 'which program' tallcache-blas --64
wrong 'no such option' tallcache-blas --65 true
wrong 'no such program' tallcache-blas ./missing
tallcache-blas --help | grep -q Usage || fail "--help"
cp -r prefix 'pre fix'
wrong 'no path with a space' 'pre fix/bin/tallcache-blas' true
rm prefix/lib*/libtallcache_blas.so* prefix/lib*/*/libtallcache_blas.so* 2>/dev/null || true
wrong 'no such library' tallcache-blas true
echo "tallcache-blas: all right"
