#!/usr/bin/env bash
# scripts_test.sh SOURCE: the scripts under odd conditions: a CDPATH, a file that cannot be sourced, a system without
# root, a folder of unpacked packages; what tests/run hands to ctest; and how far a build says it is.
set -uo pipefail
source=$1
unset TALLCACHE_CMAKE_OPTIONS  # the caller's
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failures=0
fail() { echo "FAILED: $*" | head -6; failures=$((failures + 1)); }

# The scripts, each beside a bench/setup and a cli.sh that only tell that they were read.
mapfile -t scripts < <(cd "$source" && grep -lrE '^\. "' bench tests .ci --include='*' -s | xargs grep -lE '^#!.*bash')
[[ " ${scripts[*]} " == *" bench/reproduce "* && " ${scripts[*]} " == *" .ci/run "* ]] || fail "scripts: ${scripts[*]}"
mkdir -p tree/bench tree/tests tree/.ci elsewhere/{bench,tests,.ci}
for script in "${scripts[@]}"; do
  [[ $script != bench/setup ]] || continue  # below
  mkdir -p "tree/$(dirname "$script")"
  cp "$source/$script" "tree/$script"
  # A folder of the script's name in CDPATH: `cd` goes there, and prints it.
  for part in present absent; do
    rm -f tree/bench/setup tree/tests/cli.sh
    [[ $part == absent ]] || for file in tree/bench/setup tree/tests/cli.sh; do echo 'echo read; exit 7' >"$file"; done
    status=0
    (cd tree && CDPATH=$work/elsewhere:$work/tree bash "$script" one two </dev/null >../out 2>../err) || status=$?
    if [[ $part == present ]]; then
      [[ $status == 7 && $(<out) == read && ! -s err ]] || fail "$script under CDPATH: status $status, $(cat out err)"
    else
      [[ $status != 0 && ! -s out && $(wc -l <err) == 1 ]] || fail "$script without what it sources: status $status, $(cat out err)"
    fi
  done
done

mkdir -p alone/bench && cp "$source/bench/setup" alone/bench/
status=0
bash alone/bench/setup >out 2>err || status=$?
[[ $status != 0 && ! -s out && $(wc -l <err) == 1 ]] || fail "bench/setup without bench/prefix: status $status, $(cat out err)"

# Without root: the packages that apt offers here, and no others.
# advise OFFERED WHAT: a system with nothing installed, whose apt offers the packages of the pattern OFFERED.
advise() {
  # shellcheck disable=SC2317  # setup_system calls them
  (
    # shellcheck source=bench/setup
    . "$source/bench/setup"
    id() { echo 1000; }
    sudo() { return 1; }
    missing() { printf '%s\n' "$@" | awk 'NF { print $1 }'; }
    apt-get() { :; }
    offered=$1
    apt-cache() { [[ ! ${*: -1} =~ ^($offered)$ ]] && echo "  Candidate: (none)" || echo "  Candidate: 1.0"; }
    extra_packages=()
    [[ $2 == all ]] || required_packages=()
    setup_system
  ) </dev/null 2>&1
}
advice=$(advise '[^3]*|python3|nlohmann-json3-dev|libfftw3-.*' all) && fail "nothing is installed, and it goes on"
for name in libdnnl2 libhwloc-dev libtbb-dev file; do
  [[ " $advice " == *" $name"[\ \;]* ]] || fail "the advice lacks $name: $advice"
done
[[ $advice == *apt-get\ install* && $advice != *libdnnl3* && $advice != *"|"* ]] || fail "the advice: $advice"
advice=$(advise '.*3.*|libtbb-dev|libcli11-dev' optional) || fail "optional packages are needed: $advice"
[[ $advice == *libdnnl3* && $advice != *libdnnl2* ]] || fail "optional packages: $advice"
advice=$(advise none all) && fail "nothing is installed, and it goes on"
[[ $advice == *"Run bench/setup as root"* ]] || fail "without apt's lists: $advice"

# As root: optional packages in one run of apt, and where that fails each in its own; one that fails is named.
# install REFUSED: a system that lacks three, whose apt refuses the pattern REFUSED.
install() {
  # shellcheck disable=SC2317,SC2034  # setup_system calls and reads them
  (
    # shellcheck source=bench/setup
    . "$source/bench/setup"
    id() { echo 0; }
    refused=$1
    as_root() {
      local words=" $* "
      [[ $words != *" install "* ]] || { echo ${words##* install } >>installed; [[ ! $words =~ $refused ]]; }
    }
    missing() { printf '%s\n' "$@" | awk 'NF { print $1 }'; }
    apt-get() { :; }
    apt-cache() { echo "  Candidate: 1.0"; }
    required_packages=() optional_packages=("one x" "two x" "three x") mpi_packages=() packaging_packages=()
    extra_packages=()
    setup_system
  ) </dev/null 2>&1
}
rm -f installed
said=$(install ' none ') || fail "all optional packages: $said"
[ "$(cat installed)" = "one two three" ] || fail "optional packages are installed by: $(cat installed)"
rm -f installed
said=$(install ' two ') || fail "an optional package that cannot be had is needed: $said"
[ "$(sort -u installed | paste -sd,)" = "one,one two three,three,two" ] || fail "without one of them: $(cat installed)"
[[ $said == *"without the optional two "* && $said != *"optional one "* ]] || fail "what is left out is not named: $said"

# Packages in a folder: headers for one architecture are found, from any folder and under CDPATH.
mkdir -p prefix/usr/include/x86_64-linux-gnu/for_one prefix/usr/include/for_all
touch prefix/usr/include/x86_64-linux-gnu/for_one/a.h prefix/usr/include/for_all/b.h
(. "$source/bench/setup" && write_env prefix) || fail "write_env"
printf '#include <for_one/a.h>\n#include <for_all/b.h>\n' >includes.cpp
# shellcheck disable=SC1091
(export CDPATH=$work/elsewhere:$work && . prefix/env.sh && "${CXX:-c++}" -fsyntax-only includes.cpp) >out 2>&1 && [ ! -s out ] ||
  fail "env.sh: $(cat out)"

# How far a build is: no line for a short one, and a line each so many seconds, of ninja and of make.
progress() { (. "$source/bench/setup" && show_progress) 2>&1; }
[ -z "$(printf '[1/2] a\n[2/2] b\n' | progress)" ] || fail "the progress of a short build"
lines=$(printf '[9/12] Building\nwarning: [3/4]\n[ 75%%] Building\n' | TALLCACHE_PROGRESS_SECONDS=0 progress)
[ "$lines" = $'tallcache: building [9/12]\ntallcache: building [75%]' ] || fail "the progress: $lines"

# tests/run: long tests run where a label is asked for, and only there.
mkdir -p stub/bench stub/tests stub/bin
cp "$source/tests/run" stub/tests/
cp "$source/CMakePresets.json" stub/
cat >stub/bench/setup <<'S'
root=$(dirname "${BASH_SOURCE[0]}")/..
say() { echo "$*" >&2; }
stop() { say "$*"; exit 1; }
setup() { :; }
build() { mkdir -p "$root/build/$1"; }
S
printf '#!/bin/sh\nwhile [ "$1" != --output-junit ]; do shift; done; shift 2; echo "with: $*" >&2\n' >stub/bin/ctest
chmod +x stub/bin/ctest
hands() {
  local expected=$1 given
  shift
  given=$(PATH=$work/stub/bin:$PATH bash stub/tests/run "$@" 2>&1 | grep '^with: ')
  [ "$given" = "with: $expected" ] || fail "tests/run $*: ctest $given"
}
hands '-LE ^long$'
hands '-R blas -LE ^long$' -R blas
hands '-L long' -L long
hands '-L unit' -L unit
hands '-LE slow|^long$' -LE slow
hands '-L long -LE slow|cli' -L long -LE slow -LE cli

# bench/reproduce: the program alone is built, and CUDA's half of it where a GPU is.
cp "$source/bench/reproduce" stub/bench/
# shellcheck disable=SC2016  # the stub expands it
echo 'build() { echo "builds $* ${cmake_options[*]}"; exit 9; }' >>stub/bench/setup
builds() {
  local expected=$1 gpu=$2
  printf '#!/bin/sh\nexit %s\n' "$gpu" >stub/bin/nvidia-smi
  chmod +x stub/bin/nvidia-smi
  [ "$(PATH=$work/stub/bin:$PATH bash stub/bench/reproduce)" = "$expected" ] || fail "bench/reproduce, nvidia-smi $gpu"
}
builds "builds release tallcache_command -D TALLCACHE_CUDA=OFF" 9
builds "builds release tallcache_command " 0
TALLCACHE_CMAKE_OPTIONS=-DTALLCACHE_CUDA=ON builds \
  "builds release tallcache_command -D TALLCACHE_CUDA=OFF -DTALLCACHE_CUDA=ON" 9
((failures == 0))
