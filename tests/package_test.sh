#!/usr/bin/env bash
# package_test.sh BUILD EXAMPLES: the Debian packages of a build, installed into a root of their own and used from
# there: the program, its manual, the libraries through pkg-config. Nothing of it needs a network.
set -euo pipefail
build=$1 examples=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $1: $2"; }
for tool in cpack dpkg-deb dpkg-shlibdeps file pkg-config; do
  command -v "$tool" >/dev/null || { skip "packages" "$tool is not installed"; exit; }
done
# Without a network, where the system lets us have none.
offline=()
if unshare -rn true 2>/dev/null; then offline=(unshare -rn); else skip "packages without a network" "unshare is refused"; fi

"${offline[@]}" cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/made" >cpack.log 2>&1 || fail "$(tail -20 cpack.log)"
field() { dpkg-deb -f made/"$1"_*.deb "$2"; }
for package in tallcache libtallcache0 libtallcache-dev; do
  [ "$(field $package Package)" = $package ] || fail "no package $package: $(ls made)"
  dpkg-deb -x made/${package}_*.deb root
done
[[ $(field tallcache Depends) == *libtallcache0* && $(field tallcache Depends) == *libtbb* ]] ||
  fail "tallcache depends on $(field tallcache Depends)"
[[ $(field libtallcache-dev Depends) == *pkg-config* ]] || fail "libtallcache-dev needs pkg-config, and does not say so"
# What they depend on is what this build was made with.
for package in $(for p in tallcache libtallcache0 libtallcache-dev; do field $p Depends; echo ,; done |
  sed 's/([^)]*)//g' | tr ',' '\n' | sed 's/|.*//' | sort -u); do
  [[ $package == *tallcache* ]] || dpkg -s "$package" >/dev/null 2>&1 || fail "$package is needed, and not installed"
done

usr=$work/root/usr
! ldd "$usr/bin/tallcache" | grep 'not found' || fail "the program lacks libraries"
"${offline[@]}" "$usr/bin/tallcache" list matmul >out || fail "tallcache list"
grep -q REC-MULT out || fail "$(cat out)"
"${offline[@]}" "$usr/bin/tallcache" run matmul recursive --shape m=33 --seconds 0.01 >out || fail "$(cat out)"
if [ -e "$build/bench/tallcache_ranks" ]; then
  ! ldd "$usr/bin/tallcache_ranks" | grep 'not found' || fail "tallcache_ranks lacks libraries"
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    timeout 100 mpirun --bind-to none -n 2 "$usr/bin/tallcache" ranks matmul --shape m=64 >out 2>&1 || fail "ranks: $(cat out)"
fi
"$usr/bin/tallcache" --help >help
for command in $(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help); do
  "$usr/bin/tallcache" "$command" --help >help.command
  zcat -f "$usr/share/man/man1/tallcache-$command.1"* | sed 's/\\f.//g; s/\\//g' >page
  for option in $(sed -n 's/^ *\(-h,\)\?\(--[a-z-]*\).*/\2/p' help.command); do
    grep -q -e "$option" page || fail "the manual of tallcache $command has no $option"
  done
  zcat -f "$usr/share/man/man1/tallcache.1"* | sed 's/\\f.//g; s/\\//g' | grep -q "tallcache-$command(1)" ||
    fail "tallcache(1) does not name tallcache-$command(1)"
done
for page in tallcache tallcache-blas; do compgen -G "$usr/share/man/man1/$page.1*" >/dev/null || fail "no manual of $page"; done
for file in bash-completion/completions/tallcache zsh/site-functions/_tallcache fish/vendor_completions.d/tallcache.fish; do
  grep -q reproduce "$usr/share/$file" || fail "no completion in $file"
done

# Every library has its soname; programs build by pkg-config alone.
for library in tallcache_blas tallcache_blas64 tallcache_sde; do
  [ -e "$usr/lib/lib$library.so.0" ] || continue
  readelf -d "$usr/lib/lib$library.so" | grep -q "SONAME.*\[lib$library.so.0\]" || fail "lib$library.so has no soname"
done
export PKG_CONFIG_PATH=$usr/lib/pkgconfig LD_LIBRARY_PATH=$usr/lib
# shellcheck disable=SC2046  # words
compile() { "${CXX:-c++}" -std=c++20 -O1 -o program "$1" $(pkg-config --cflags --libs "$2") 2>log || fail "$1: $(tail -20 log)"; }
compile "$examples/product.cpp" tallcache
./program || fail "a program by pkg-config tallcache"
# An example's own command. Rows of B are several times as fast as the textbook's loops, unless nothing is optimised.
cp "$examples/timed.cpp" .
eval "$(sed -n 's,^//   c++,c++,p' timed.cpp)" || fail "the command in timed.cpp"
./timed >out || fail "timed: $(cat out)"
awk '/^mine:/ { mine = $2 } /^naive:/ { naive = $2 } END { exit !(mine < naive) }' out || fail "timed: $(cat out)"
# A machine without MPI finds all but tallcache::mpi, and says so where that is asked for.
mkdir without_mpi
cat >without_mpi/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(without_mpi LANGUAGES CXX)
find_package(tallcache REQUIRED COMPONENTS ${wanted})
if(NOT TARGET tallcache::tallcache OR TARGET tallcache::mpi)
  message(FATAL_ERROR "other targets than without MPI")
endif()
CMAKE
configure() { cmake -S without_mpi -B "$1" "-Dwanted=$2" -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON "-DCMAKE_PREFIX_PATH=$usr" >log 2>&1; }
configure all "" || fail "without MPI: $(cat log)"
! configure mpi mpi || fail "the component mpi is found without MPI"
cat >blas.cpp <<'CPP'
#include <tallcache/tallcache_blas.h>
extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
                       const double*, const int*, const double*, double*, const int*);
int main() {
  const int n = 2;
  const double one = 1, zero = 0, a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  double c[4];
  dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  return c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46 ? 0 : 1;
}
CPP
compile blas.cpp tallcache_blas
./program || fail "a program by pkg-config tallcache_blas"
! env -u LD_LIBRARY_PATH ./program 2>/dev/null || fail "another library than the package's was used"
echo "packages: $(cd made && echo ./*.deb)"
