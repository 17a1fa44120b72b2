#!/usr/bin/env bash
# shellcheck disable=SC2317  # the checks are called by the names of their additions
# additions_test.sh SOURCE BUILD [ADDITION...]: what CONTRIBUTING.md says of an addition is true. Each folder of
# tests/additions is one: new files at their places, and lines.diff, the lines that it adds to files that are there. It
# touches as many files as the table "What an addition touches" says, and a program that is built with all of them, as
# BUILD was and in a copy of the tree, lists, runs and reports each. With names, these additions alone.
set -u
started=$PWD
program=none
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit
source=$(cd -- "$started" && CDPATH='' cd -- "$1" && pwd) && build=$(cd -- "$started" && CDPATH='' cd -- "$2" && pwd) || exit
shift 2
additions=$source/tests/additions cache=$build/CMakeCache.txt
git -C "$source" ls-files >/dev/null 2>&1 || { echo "SKIPPED: additions: git does not know the tree"; exit 77; }
: >out
: >err
stop() { fail "$1"; finish; }

wanted=("$@")
[ $# -gt 0 ] || mapfile -t wanted < <(find "$additions" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
if ! compgen -G "$build/CMakeFiles/*/CMakeCUDACompiler.cmake" >/dev/null; then
  skip "the addition gpu_variant" "built without CUDA"
  mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | grep -vx gpu_variant)
fi

# touched ADDITION: the files that it touches. What an element type does to the variants that take it is apart.
touched() {
  (cd "$additions/$1" && find . -type f ! -name lines.diff -printf '%P\n' && sed -n 's|^+++ b/||p' lines.diff) 2>err |
    if [ "$1" = element_type ]; then grep -vE '^(cpu|gpu)/'; else cat; fi
}

# rows: the names and the numbers of the table; a variant of something is a variant.
rows() {
  sed -n '/^## What an addition touches/,/^## /s/^| \(an\|a\|the\) \([a-z ]*[a-z]\) *| *\([0-9]*\) *|.*/\2=\3/p' \
    "$source/CONTRIBUTING.md"
}

check_numbers() {
  local addition row said number name
  for addition in "${wanted[@]}"; do
    row=${addition//_/ }
    [[ $row != *" variant" ]] || row=variant
    said=$(rows | sed -n "s/^\(kind of \)\?$row=//p")
    number=$(touched "$addition" | sort -u | wc -l)
    echo "$addition: files: $number: $(touched "$addition" | sort -u | paste -sd ' ')"
    [ "$number" = "$said" ] || fail "$addition touches $number files; CONTRIBUTING.md says '$said'"
  done
  for name in $(rows | sed -n 's/^\(kind of \)\?\(.*\)=[0-9].*/\2/p' | tr ' ' _); do
    [ -d "$additions/$name" ] || fail "CONTRIBUTING.md has a number of files for '$name', and nothing tries it"
  done
}

# The tree, as git knows it, with the additions.
copy() {
  local addition
  mkdir tree
  git -C "$source" ls-files -z --cached --others --exclude-standard |
    tar -c -C "$source" --null --ignore-failed-read -T - 2>/dev/null | tar -x -C tree
  [ -e tree/CMakeLists.txt ] || stop "the tree cannot be copied"
  export GIT_CEILING_DIRECTORIES=$folder  # else git takes the copy for a part of a history around it
  for addition in "${wanted[@]}"; do
    (cd "$additions/$addition" && find . -type f ! -name lines.diff) >new
    while read -r file; do [ ! -e "tree/$file" ] || fail "$addition: $file is there already"; done <new
    tar -c -C "$additions/$addition" --exclude=lines.diff . | tar -x -C tree
    [ ! -e "$additions/$addition/lines.diff" ] || (cd tree && git apply "$additions/$addition/lines.diff") 2>err ||
      stop "$addition: lines.diff does not apply"
  done
}

# The program alone, with the options and the compilers of BUILD, and where that lies in its tree.
build_program() {
  local options generator made=tree/build
  [[ $build != "$source"/* ]] || made=tree/${build#"$source"/}
  options='(TALLCACHE|CMAKE_(CXX|CUDA)_(COMPILER|FLAGS|ARCHITECTURES))[A-Z_]*|CMAKE_(BUILD_TYPE|PREFIX_PATH)'
  mapfile -t options < <(sed -nE "s/^($options):[A-Z]+=(.+)\$/-D\1=\6/p" "$cache")
  generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$cache")
  cmake --no-warn-unused-cli -S tree -B "$made" -G "$generator" "${options[@]}" -D TALLCACHE_TESTS=OFF >out 2>err || stop "no configuration"
  cmake --build "$made" --parallel "$(nproc)" --target tallcache_command >log 2>&1 || { tail -n 60 log >out; stop "no build"; }
  program=$folder/$made/bench/tallcache
}

# measured FILE KEY=VALUE...: a document with a record like that, which was verified and timed.
measured() {
  conforms "$1"
  python3 - "$@" <<'P' || fail "$1 has no measured record of ${*:2}"
import json, sys
wanted = dict(word.split("=", 1) for word in sys.argv[2:])
records = json.load(open(sys.argv[1]))["measurements"]
found = [r for r in records if r["status"] == "measured" and wanted.items() <= r.items()]
sys.exit(not any(q["name"] == "time" and q["value"] > 0 for r in found for q in r["quantities"]))
P
}
# reported FILE TEXT: its report and its page have the text.
reported() {
  run 0 report "$1"; has out "$2"
  run 0 report "$1" --html page.html; has page.html "$2"
}
# runs NAME BACKEND ARGUMENTS...: `tallcache run` of the variant NAME, in all that shows it.
runs() {
  local name=$1 backend=$2
  shift 2
  run 0 list "$1"; has out "^  $name "
  run 0 run "$1" "$name" "${@:2}" --backend "$backend" --seconds 0.01 --json run.json
  has out "$name"
  measured run.json "variant=$name" "backend=$backend" "operation=$1"
  reported run.json "$name"
}

check_variant() { runs by_pairs cpu transpose --shape m=65,n=63 --threads 2; }
check_peer() {
  runs ranges_copy cpu copy --shape m=65,n=63
  run 0 list copy; has out '^ CPU, libraries:'; has out '^  ranges_copy '
}
check_table() {
  run 0 reproduce --list; has out '^copy-rate '
  run 0 reproduce copy-rate --smoke --results results --json table.json; has out 'GB/s'
  measured table.json operation=copy variant=rows
  reported table.json 'how fast rows are copied'
}
check_study() {
  run 0 --help; has out '^ *clock '
  run 0 clock --json clock.json; has out steady_clock
  measured clock.json variant=steady_clock
  reported clock.json steady_clock
}
check_operation() {
  local compiler
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$cache")
  printf '#include <tallcache/catalogue.hpp>\nstatic_assert(tallcache::Reverse<float>::name == "reverse");\n' >public.cpp
  "$compiler" -std=c++20 -fsyntax-only -I tree -I tree/common -I tree/cpu public.cpp >out 2>err ||
    fail "<tallcache/catalogue.hpp> has no operation reverse"
}
check_operation_variant() {
  runs loop cpu reverse --shape n=1001 --threads 2
  run 0 list; has out '^reverse: b\[i\] = a\[n - 1 - i\]'
  run 0 profile reverse loop --shape n=1001 --unit-cost; has out loop
}
check_sizes_of_an_operation() {
  run 0 steps reverse --smoke --json steps.json; has out 'a loop'
  measured steps.json operation=reverse variant=loop
  reported steps.json 'a loop'
}
check_element_type() {
  run 0 list increment; has out 'double int32 int64;'
  runs loop cpu increment --element int64 --shape n=1001
  measured run.json element=int64
}
check_input() {
  runs rows cpu copy --input sawtooth --shape m=65,n=63
  measured run.json input=sawtooth
  runs naive cpu matmul --input sawtooth --shape m=33
}
check_family_of_keys() {
  run 0 list sort; has out '^  thirds  *every third key is the least'
  runs std_sort cpu sort --input thirds --shape n=1001
  measured run.json input=thirds
}
check_backend() {
  run 0 machine --quick --json machine.json; has out 'Abacus 1'
  conforms machine.json
  reported machine.json 'Abacus 1'
}
check_backend_variant() { runs backwards abacus copy --shape m=65,n=63; }
check_gpu_variant() {
  run 0 list increment; has out '^  two_per_thread '
  run 0 explain increment two_per_thread --backend gpu --shape n=1001 --json explain.json; has out two_per_thread.hpp
  reported explain.json two_per_thread
  if nvidia-smi -L >/dev/null 2>&1; then
    runs two_per_thread gpu increment --shape n=1001
  else
    skip "a run of the addition gpu_variant" "no GPU"
  fi
}

check_numbers
copy
build_program
for addition in "${wanted[@]}"; do "check_$addition"; done
finish
