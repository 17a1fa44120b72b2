#!/usr/bin/env bash
# What the program says of the sources of documents, and what of them gets into a README. Usage:
# cli_stale_test.sh PROGRAM SOURCE
set -u
program=$1 source=$2
# shellcheck source=tests/cli.sh
. "$(dirname "$0")/cli.sh" || exit

# A document of today: whole hashes of git, or none.
run 0 run copy rows std_copy --shape m=64 --seconds 0.001 --json new.json
conforms new.json
python3 - new.json "$source" <<'P' || fail "the provenance of new.json"
import hashlib, json, re, sys
document = json.load(open(sys.argv[1]))
context = document["context"]
assert document["schema"] == "tallcache/2", document["schema"]
assert re.fullmatch("[0-9a-f]{40}(-dirty)?|unknown", context["build"]["commit"]), context["build"]
assert {"cpu/copy/rows.hpp", "cpu/peers/std_copy.hpp", "common/view.hpp"} <= set(context["sources"])
assert not any(path.startswith(("gpu/", "common/fork/", "common/ops/")) for path in context["sources"])
for path, blob in context["sources"].items():
    text = open(f"{sys.argv[2]}/{path}", "rb").read()
    assert blob == hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest(), path
P
run 0 machine --quick --json machine.json; has machine.json '"sources": {}'; conforms machine.json
run 0 report --stale new.json; has out "^0 of 1 documents are stale; of 0 it is unknown$"
lacks out "^new.json"
if [ "$(nproc)" -ge 2 ]; then
  run 0 run fib --shape n=10 --threads 2 --seconds 0.001 --json threads.json; has threads.json '"common/fork/heartbeat.cpp"'
else
  skip "the sources of a run on two threads" "there is one processor"
fi

# Of other sources: named, anywhere.
edit() { # SCRIPT: new.json changed by it into old.json
  python3 -c "
import json
document = json.load(open('new.json'))
context, records = document['context'], document['measurements']
$1
json.dump(document, open('old.json', 'w'))"
}
edit "context['sources']['cpu/copy/rows.hpp'] = 'a' * 40"
run 0 report --stale old.json new.json
has out "^old.json: stale: cpu/copy/rows.hpp$"; has out "^1 of 2 documents are stale; of 0 it is unknown$"
edit "context['sources']['cpu/copy/once.hpp'] = 'a' * 40; records[0]['variant'] = 'once'"
run 0 report --stale old.json
has out "^old.json: stale: cpu/copy/once.hpp (gone), cpu/copy/once (gone)$"

# An older one, without a history that has its commit.
old_form="document['schema'] = 'tallcache/1'; del context['sources'];"
edit "$old_form context['build']['commit'] = 'a' * 12"
GIT_DIR=/nonexistent run 0 report --stale old.json; has out "old.json: unknown: .* no history here$"
edit "$old_form context['build']['commit'] = '--version'"
run 0 report --stale old.json; has out "old.json: unknown: .*'--version' is no commit$"
has out "^0 of 1 documents are stale; of 1 it is unknown$"
conforms old.json

# With a history: this program's sources, committed, and committed otherwise before.
if command -v git >/dev/null; then
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
  git init -q history && cp -r "$source"/{cpu,common,gpu} history/
  cd history || exit 1
  cp ../new.json .
  git config user.name a && git config user.email a@b
  save() { git add -A && git commit -qm "$1" && git rev-parse --short=12 HEAD; }
  cp cpu/copy/rows.hpp now.hpp && cp cpu/peers/std_copy.hpp peer.hpp
  { echo '// A word before.'; sed 's/^/ /' now.hpp; } >cpu/copy/rows.hpp && blank=$(save "other blanks and comments")
  { cat now.hpp; echo 'inline int more;'; } >cpu/copy/rows.hpp && code=$(save "other code")
  cp now.hpp cpu/copy/rows.hpp && git mv cpu/peers/std_copy.hpp cpu/peers/other.hpp && before=$(save "not there yet")
  git mv cpu/peers/other.hpp cpu/peers/std_copy.hpp && now=$(save "as it is")
  edit "$old_form context['build']['commit'] = '$now'"; run 0 report --stale old.json; has out "^0 of 1"; has out "of 0 it"
  edit "$old_form context['build']['commit'] = '$blank'"; run 0 report --stale old.json; has out "^0 of 1"; has out "of 0 it"
  edit "$old_form context['build']['commit'] = '$code'"
  run 0 report --stale old.json; has out "^old.json: stale: cpu/copy/rows.hpp$"
  edit "$old_form context['build']['commit'] = '$before'"
  run 0 report --stale old.json; has out "^old.json: stale: cpu/peers/std_copy.hpp (new)$"
  edit "$old_form context['build']['commit'] = 'a' * 12"
  run 0 report --stale old.json; has out "unknown: .* commit aaaaaaaaaaaa is not in the history here$"
  # A comment alone does not make a document of today stale either; without the history nobody can tell.
  edit "context['sources']['cpu/copy/rows.hpp'] = '$(git rev-parse "$blank:cpu/copy/rows.hpp")'"
  run 0 report --stale old.json; has out "^0 of 1"
  GIT_DIR=/nonexistent run 0 report --stale old.json; has out "^old.json: stale: cpu/copy/rows.hpp$"
  # Neither does a move from a folder beside, unless the code changed on the way.
  mkdir cpu/lines && sed 's/cpu::copy/cpu::lines/' cpu/copy/rows.hpp >cpu/lines/rows.hpp && save "in another folder" >/dev/null
  from() { edit "sources = context['sources']; del sources['cpu/copy/rows.hpp']; sources['cpu/lines/rows.hpp'] = '$1'"; }
  from "$(git rev-parse HEAD:cpu/lines/rows.hpp)"
  run 0 report --stale old.json; has out "^0 of 1"
  from "$(git rev-parse "$code:cpu/copy/rows.hpp")"
  run 0 report --stale old.json; has out "^old.json: stale: cpu/copy/rows.hpp (new), cpu/lines/rows.hpp (gone)$"
  # Nor does it that a file was divided into those of a folder of its name.
  python3 "$source/cmake/provenance.py" "$source" made
  divided() { # SCRIPT: a document of a sort that read all fields in one file, changed by that script of sed
    sed "$1" gpu/tuning/fields/*.def >whole.def
    edit "
import re
text = open('made/build_sources.hpp').read()
blobs = re.findall(r'^    \{\"([^\"]+)\", \"([0-9a-f]{40})\"\},$', text, re.M)
first, count = map(int, re.search(r'\"gpu\", \"sort\", \"sample_sort\", \w+, (\d+), (\d+)', text).groups())
members = re.search(r'source_members\[\] = \{(.*)\};', text)[1].split(', ')[first:first + count]
sources = context['sources'] = dict(blobs[int(place)] for place in members)
del sources['gpu/tuning/fields/sort.def']
sources['gpu/tuning/fields.def'] = '$(git hash-object -w whole.def)'
del records[1:]
records[0].update(operation='sort', variant='sample_sort', backend='gpu')"
    run 0 report --stale old.json
  }
  divided ''; has out "^0 of 1"
  divided 's/(lu_wide_block, [0-9]*/(lu_wide_block, 7/'; has out "^0 of 1"
  divided 's/(sort_ways_8, [0-9]*/(sort_ways_8, 7/'; has out "^old.json: stale: gpu/tuning/fields/sort.def (new)$"
  cd .. || exit 1
else
  skip "documents of older commits" "git is not installed"
fi

# What is named, and what is not.
bad "no results/\*/\*.json here" report --stale
mkdir -p results/{m,slides} && cp new.json results/m/ && echo '{}' | tee results/slides/x.json >results/schema.json
run 0 report --stale; has out "^0 of 1 documents"
bad "FILE is required" report
bad "excludes" report --stale new.json --readme README.md
bad "cannot read missing.json" report --stale missing.json

# A README has nothing of a stale document, and says nothing of it.
run 0 peers transpose --smoke --json new.json
printf '<!-- peers:begin -->\nan old figure\n<!-- peers:end -->\n' >README.md
run 0 report new.json --readme README.md; has README.md "recursive_streaming"; lacks err .
edit "context['sources']['cpu/transpose/recursive_streaming.hpp'] = 'a' * 40"
run 0 report old.json --readme README.md
has err "^old.json: stale: cpu/transpose/recursive_streaming.hpp; left out$"
printf '<!-- peers:begin -->\n<!-- peers:end -->\n' | cmp -s - README.md || fail "a stale document is in the README"
run 0 report old.json new.json --readme README.md; has README.md "recursive_streaming"
cp README.md both.md; run 0 report new.json --readme README.md; cmp -s both.md README.md || fail "a stale document is in the README"

# Of errors it has the rows of what has not changed.
run 0 errors solve --smoke --json new.json
printf '<!-- errors:begin -->\n<!-- errors:end -->\n' >README.md
edit "context['sources']['cpu/solve/refined.hpp'] = 'a' * 40"
run 0 report old.json --readme README.md
has err "^old.json: stale: cpu/solve/refined.hpp; the records of these are left out$"
has README.md "^| refined .* its sources have changed since"; has README.md "^| gesv .* us "

finish
