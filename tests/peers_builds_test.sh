#!/usr/bin/env bash
# What a run says of the libraries' builds, FFTW's wisdom from process to process, and the parts of bench/setup --peers
# that build nothing.
# Usage: peers_builds_test.sh PROGRAM
set -u
program=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/cli.sh
. "$here/cli.sh" || exit
export XDG_CACHE_HOME=$folder/cache
unset TALLCACHE_PEERS

fft() { run 0 run fft fftw --shape n=256 --seconds 0.01 --json fft.json "$@"; }
runs_as() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["measurements"][0].get("runs_as", ""))' "$1"; }
says() { [[ $(runs_as fft.json) =~ $1 ]] || fail "not '$1': $(runs_as fft.json)"; }

fft
if grep -q "no libfftw3" out; then
  skip "FFTW's wisdom" "$(grep -o 'no libfftw3.*' out)"
else
  says '^fftw-3[^;]* of the system; FFTW_MEASURE, [0-9.e-]+ s$'
  has out "as fftw-3.*of the system; FFTW_MEASURE"
  conforms fft.json
  run 0 report fft.json; has out "FFTW_MEASURE"
  wisdom=$(echo cache/tallcache/fftw-3*.wisdom)
  [ -f "$wisdom" ] || fail "no wisdom is kept"
  fft; says '; FFTW_MEASURE, from wisdom$'; [ ! -s err ] || fail "a line about wisdom"
  # More patience is another plan; less takes it.
  fft --patient; says '; FFTW_PATIENT, [0-9.e-]+ s$'
  fft; says '; FFTW_PATIENT, from wisdom$'
  run 0 peers fft --element complex_double --smoke --seconds 0.001 --patient --json peers.json
  grep -q "FFTW_PATIENT, [0-9.e-]* s" peers.json || fail "peers --patient planned otherwise"
  echo garbage >"$wisdom"
  fft; says '; FFTW_MEASURE, [0-9.e-]+ s$'
  [ "$(wc -l <err)" = 1 ] || fail "not one line about a corrupt file"
  has err "holds no wisdom of this FFTW"
  fft; says '; FFTW_MEASURE, from wisdom$'
  # Floats are another library, and other wisdom.
  for text in '; FFTW_MEASURE, [0-9.e-]+ s$' '; FFTW_MEASURE, from wisdom$'; do
    run 0 run fft fftwf --element complex_float --shape n=256 --seconds 0.01 --json fft.json; says "libfftw3f.*$text"
  done
  # A build of the user's own.
  run 0 run fft fftw --shape n=64 --seconds 0.01
  TALLCACHE_PEERS=$folder/none run 0 run fft fftw --shape n=64 --seconds 0.01
  has out "none/lib/libfftw3.so.3.*(TALLCACHE_PEERS)"
  TALLCACHE_PEERS='' fft; says ' of the system; '
fi

run 0 run counting_sort vqsort --shape n=1000,range=1000 --seconds 0.01 --json fft.json
says '^(dispatched: )?[A-Z0-9_]+'
has out "vqsort .* as "
run 0 run counting_sort std_sort --shape n=1000,range=1000 --seconds 0.01 --json fft.json; says '^$'

# bench/setup --peers: apt's sources as sources of source packages, by stand-ins for apt.
mkdir -p bin etc/sources.list.d lists
cat >bin/apt-config <<'A'
#!/bin/sh
echo "list='$PWD/etc/sources.list'; parts='$PWD/etc/sources.list.d/'"
A
cat >bin/apt-get <<'A'
#!/bin/sh
echo "E: Unable to find a source package" >&2
exit 100
A
chmod +x bin/*
in_setup() { # a command with the functions of bench/setup; its output in ./out, errors in ./err
  (set --; PATH=$folder/bin:$PATH; . "$here/../bench/setup"; . "$here/../bench/setup_peers"; "${command[@]}") >out 2>err
}
command=(source_lists lists); in_setup && fail "sources where there are none"
command=(fetch_source fftw3 "$folder/work" "$folder/log"); in_setup && fail "a source package where there are no sources"
has err "apt has no sources here"
printf 'deb [signed-by=/key] http://one.test/debian stable main\n# deb http://two.test/ x\n' >etc/sources.list
printf 'Types: deb deb-src\nURIs: http://three.test/\nSuites: stable\nComponents: main\nSigned-By: /key\n' \
  >etc/sources.list.d/three.sources
command=(source_lists lists); in_setup || fail "no sources"
has lists/sources.list '^deb-src \[signed-by=/key\] http://one.test/debian stable main$'; lacks lists/sources.list two
has lists/three.sources '^Types: deb-src$'; has lists/three.sources '^Signed-By: /key$'
command=(fetch_source fftw3 "$folder/work" "$folder/log"); in_setup && fail "a source package that apt does not offer"
[ "$(wc -l <err)" = 1 ] || fail "not one line"; has err "apt offers no source package fftw3 here"; has log "Unable to find"
# What is built already is not built again, and a folder's env.sh names it.
mkdir -p prefix/peers/lib && touch prefix/peers/lib/libfftw3f.so.3
(. "$here/../bench/setup" && . "$here/../bench/setup_peers" && fftw_options | paste -sd ' ') >prefix/peers/built
has prefix/peers/built "enable-shared"; [ "$(uname -m)" != x86_64 ] || has prefix/peers/built "enable-avx2 --enable-avx512"
command=(setup_peers prefix); in_setup || fail "setup_peers"
(. "$here/../bench/prefix" && write_env prefix)
# shellcheck disable=SC1091
[ "$(. prefix/env.sh && echo "$TALLCACHE_PEERS")" = "$folder/prefix/peers" ] || fail "env.sh names another folder"
"$here/../bench/setup" --help >out && has out "bench/setup --peers"; has out "GPL"
finish
