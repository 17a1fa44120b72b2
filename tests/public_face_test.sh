#!/usr/bin/env bash
# A type that no variant takes is one error, which names what it lacks, at the caller's line; and the types that are
# taken compile. Usage: public_face_test.sh COMPILER SOURCE [FLAG...]
set -u
compiler=$1 source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

cat >"$work/calls.cpp" <<'CPP'
#include "common/tallcache/catalogue.hpp"
#include "cpu/tallcache/matmul.hpp"
#include "cpu/tallcache/qr.hpp"
#include "cpu/tallcache/sort.hpp"
#include "cpu/tallcache/transpose.hpp"
using namespace tallcache;
void multiply(MatrixView<MULTIPLIED> a) { gemm(a, a, a); }
void factor(MatrixView<MULTIPLIED> a, VectorView<MULTIPLIED> tau) { qr_factor(a, tau); }
void turn(MatrixView<TRANSPOSED> a) { transpose(a, a); transpose(a); }
void order(std::span<std::uint32_t> keys) { sort(keys); counting_sort(keys, keys, 9); }
CPP
# compiles MULTIPLIED TRANSPOSED
compiles() {
  "$compiler" -std=c++20 -fsyntax-only "${flags[@]}" -I"$source" -I"$source/common" -I"$source/cpu" -DMULTIPLIED="$1" \
    -DTRANSPOSED="$2" "$work/calls.cpp" 2>"$work/errors"
}
# refused COUNT WORD MULTIPLIED TRANSPOSED: so many errors, all in the caller's file, and the word
refused() {
  compiles "$3" "$4" && fail "$3 and $4 compile"
  [ "$(grep -c 'error:' "$work/errors")" = "$1" ] || fail "not $1 error: $(grep 'error:' "$work/errors")"
  ! grep 'error:' "$work/errors" | grep -v calls.cpp || fail "an error inside the library"
  grep -q "$2" "$work/errors" || fail "no word of $2: $(head -20 "$work/errors")"
}
flags=("$@")
compiles double std::int32_t || fail "$(head -20 "$work/errors")"
refused 2 IsMultipliedByGemm int float
refused 2 IsFactoredByQr int float
refused 2 IsTransposed float short
[ "$failures" = 0 ] && echo "all passed"
exit $((failures > 0))
