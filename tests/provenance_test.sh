#!/usr/bin/env bash
# Where a build says that it comes from (cmake/provenance.py): in a history, changed or not, in a copy with
# and without the file COMMIT, in an archive; and which sources it counts as those of a variant. Usage:
# provenance_test.sh SOURCE
set -u
source=$1
command -v git >/dev/null || { echo "SKIPPED: provenance: git is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
commit_of() { # TREE: what a build of it says
  rm -rf made
  python3 "$1/cmake/provenance.py" "$1" made 2>err || { echo "refused: $(cat err)"; return; }
  sed -n 's/.* commit\[\] = "\(.*\)";/\1/p' made/build_commit.hpp
}
digest_of() { commit_of "$1" >/dev/null; sed -n 's/.* source_digest\[\] = "\(.*\)";/\1/p' made/build_commit.hpp; }
is() { [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"; }
refused() { # WHAT TREE TEXT: in one line
  local said
  said=$(commit_of "$2")
  case $said in "refused: provenance: "*"$3"*) ;; *) fail "$1: $said" ;; esac
  is "$1: lines" "$(wc -l <err)" 1
}

# A small tree with a history.
mkdir -p tree/{cmake,cpu/copy,cpu/peers,gpu/copy,common/{fork,ops},results/{m,slides},ranks/mpi,bench}
cp "$source/cmake/provenance.py" "$source/cmake/archived.txt" tree/cmake/
cp "$source/.gitattributes" "$source/.gitignore" tree/
cd tree || exit 1
git init -q .
git config user.name a && git config user.email a@b
echo 'project(x)' >CMakeLists.txt
echo words >README.md
echo '{}' >results/m/x.json
echo '{}' >results/slides/tables.json
printf '// TALLCACHE_VARIANT(copy, none)\nTALLCACHE_TEXTBOOK(copy, rows)\nTALLCACHE_VARIANT(copy, plain)\nTALLCACHE_PEER(lib)\n' >cpu/variants.def
printf 'TALLCACHE_VARIANT(copy, kernel, 90a)\nTALLCACHE_VARIANT(copy, tuned)\n' >gpu/variants.def
printf '#include "common/fork/fork.hpp"\n#include "common/ops/copy.hpp"\n#include "cpu/copy/inner.hpp"\n' >cpu/copy/rows.hpp
echo '#include "common/ops/copy.hpp"' >cpu/copy/plain.hpp
echo '#include "cpu/peers/base.hpp"' >cpu/peers/lib.hpp
printf 'static constexpr bool parallel = true;\n' >cpu/peers/base.hpp
printf '#include "common/warp/kernel.hpp"\n#include "gpu/deep.cuh"\n' >gpu/copy/kernel.cuh
printf '#include "gpu/deep.cuh"\nint steps() { return tuning().copy_steps; }\n' >gpu/copy/tuned.cuh
mkdir -p gpu/tuning/fields
printf '#include "gpu/tuning/fields/%s.def"\n' copy sort >gpu/tuning/fields.def
echo 'TALLCACHE_TUNED(copy_steps, 1, 1, "steps", "copy", 1, 2)' >gpu/tuning/fields/copy.def
echo 'TALLCACHE_TUNED(sort_copy_steps, 1, 1, "steps", "sort", 1, 2)' >gpu/tuning/fields/sort.def
echo 'TALLCACHE_TUNED_FOR("sm_90", copy_steps, 2)' >gpu/tuning/records.def
echo '#include "gpu/tuning/fields.def"' >gpu/deep.cuh
touch cpu/copy/inner.hpp cpu/copy/leaf-inl.h common/view.hpp common/fork/{fork,parallel}.hpp common/ops/copy.hpp
printf '#include "common/view.hpp"\n  #  include "cpu/copy/inner.hpp"\n#include "cpu/copy/leaf-inl.h"\n' >cpu/copy/other_name.cpp
echo '#include "common/fork/fork.hpp"' >>common/fork/parallel.hpp
git add -A && git commit -qm one
head=$(git rev-parse HEAD)
cd ..
is "a clean tree" "$(commit_of tree)" "$head"
is "an environment that names another commit" \
  "$(TALLCACHE_COMMIT=0123456789012345678901234567890123456789 commit_of tree)" "$head"
is "an environment that names another history" "$(GIT_DIR=$source/.git commit_of tree)" "$head"

# What a variant is made of.
list() { # BACKEND NAME: its row's paths and whether it forks
  python3 - "$1" "$2" <<'P'
import re, sys
text = open("made/build_sources.hpp").read()
paths = re.findall(r'^    \{"([^"]+)", "[0-9a-f]{40}"\},$', text, re.M)
members = [int(word) for word in re.search(r"source_members\[\] = \{(.*)\};", text)[1].split(", ")]
for backend, folder, name, forks, first, count in re.findall(r'\{"(\w+)", "(\w+)", "(\w*)", (\w+), (\d+), (\d+)\}', text):
    if backend == sys.argv[1] and name == sys.argv[2]:
        print(forks, *(paths[i] for i in members[int(first):int(first) + int(count)]))
P
}
commit_of tree >/dev/null
is "a variant that forks, with what implements its header" "$(list cpu rows)" \
  "true common/view.hpp cpu/copy/inner.hpp cpu/copy/leaf-inl.h cpu/copy/other_name.cpp cpu/copy/rows.hpp"
is "one that does not" "$(list cpu plain)" "false common/view.hpp cpu/copy/plain.hpp"
is "a library with threads of its own" "$(list cpu lib)" "false common/view.hpp cpu/peers/base.hpp cpu/peers/lib.hpp"
is "a kernel" "$(list gpu kernel)" "false common/view.hpp gpu/copy/kernel.cuh gpu/deep.cuh"
is "a kernel that names a tuned field" "$(list gpu tuned)" \
  "false common/view.hpp gpu/copy/tuned.cuh gpu/deep.cuh gpu/tuning/fields/copy.def"
is "a line that is a comment" "$(list cpu none)" ""
grep -q "{\"cpu/copy/rows.hpp\", \"$(git -C tree rev-parse HEAD:cpu/copy/rows.hpp)\"}" made/build_sources.hpp ||
  fail "the blob of a source is not git's"

# A copy without history.
git -C tree archive HEAD | { mkdir plain && tar -x -C plain; }
cp "$source/cmake/archived.txt" plain/cmake/
is "a plain copy" "$(commit_of plain)" unknown
is "a plain copy's environment" "$(TALLCACHE_COMMIT=$head commit_of plain)" unknown
git clone -q tree outer && cp -r plain outer/inner
is "a plain copy in another's history" "$(commit_of outer/inner)" unknown
python3 tree/cmake/provenance.py tree >plain/COMMIT
is "a copy with COMMIT" "$(commit_of plain)" "$head"
echo more >>plain/README.md && echo '{}' >plain/results/m/y.json && echo x >plain/cpu/notes
is "a copy with more results and texts" "$(commit_of plain)" "$head"
is "the sources of a copy" "$(digest_of plain)" "$(digest_of tree)"
echo '//' >>plain/cpu/copy/inner.hpp
is "a changed copy" "$(commit_of plain)" "$head-dirty"
[ "$(digest_of plain)" != "$(digest_of tree)" ] || fail "changed sources have the same digest"
: >plain/cpu/copy/inner.hpp && : >plain/cpu/new.cpp
is "a copy with one more source" "$(commit_of plain)" "$head-dirty"
rm plain/cpu/new.cpp
cp plain/COMMIT right
for wrong in '' "commit ${head:0:12}" "commit ${head}0" "commit ${head%?}g" "$head" "commit $head-clean"; do
  { echo "$wrong"; tail -n +2 right; } >plain/COMMIT
  refused "COMMIT of '$wrong'" plain "is not as bench/commit writes it"
done
echo "commit $head" >plain/COMMIT
refused "COMMIT without sources" plain "is not as bench/commit writes it"
{ head -1 right; tail -n +2 right | sed 's/^.\{30\}//'; } >plain/COMMIT
refused "COMMIT with abbreviated blobs" plain "is not as bench/commit writes it"

# An archive knows its commit by itself.
git -C tree archive HEAD | { mkdir archive && tar -x -C archive; }
is "an archive" "$(commit_of archive)" "$head"
mkdir archive/build && : >archive/build/x
is "an archive that is built in" "$(commit_of archive)" "$head"
: >archive/cpu/new.hpp
is "a changed archive" "$(commit_of archive)" "$head-dirty"
echo "$head" >archive/cmake/archived.txt
refused "an invented archive" archive "is not as git archive writes it"

# A changed tree: sources, also new ones and those of the slides; no results, no Markdown.
cd tree || exit 1
echo more >>README.md; echo '[]' >results/m/x.json; : >results/m/new.json; : >cpu/new.txt; : >COMMIT
(cd .. && is "texts and results" "$(commit_of tree)" "$head"; exit "$failures") || failures=$?
git checkout -q . && rm -f results/m/new.json cpu/new.txt COMMIT
dirty() { (cd .. && is "$1" "$(commit_of tree)" "$head-dirty"; exit "$failures") || failures=$?; git checkout -q .; }
echo '//' >>cpu/copy/rows.hpp; dirty "a changed source"
rm cpu/copy/inner.hpp; dirty "a removed source"
ln -s nowhere cpu/copy/.#rows.hpp; python3 cmake/provenance.py . >/dev/null || fail "an editor's lock ends the build"
rm cpu/copy/.#rows.hpp
echo '[]' >results/slides/tables.json; dirty "changed figures of the slides"
: >common/new.hpp; dirty "a new source"; rm common/new.hpp
echo '//' >>cpu/copy/rows.hpp; git add -A; dirty "a staged source"; git reset -q --hard
echo '//' >>cpu/copy/rows.hpp
python3 cmake/provenance.py . | head -1 | grep -q "^commit $head-dirty$" || fail "bench/commit hides a change"
git checkout -q .
cd ..
rm -rf alone && cp -r plain alone && rm -f alone/COMMIT && cp "$source/cmake/archived.txt" alone/cmake/
python3 alone/cmake/provenance.py alone >out 2>err && fail "bench/commit without a history succeeds"
is "bench/commit without a history" "$(wc -l <err)" 1

# What the test of committed documents says of planted ones.
mkdir -p planted/results/m planted/results/slides && echo "see commit ${head:0:9}" >planted/README.md
echo '{}' >planted/results/slides/tables.json
blob=$(git -C tree rev-parse HEAD:cpu/copy/rows.hpp)
plant() { # SCHEMA COMMIT DATE BLOB [HISTORY]: sets `said` and `status`
  printf '{"schema": "%s", "context": {"date": "%s", "build": {"commit": "%s"}, "sources": {"cpu/copy/rows.hpp": "%s"}}}' \
    "$1" "$3" "$2" "$4" >planted/results/m/x.json
  said=$(python3 "$source/tests/commits_test.py" planted "${5:-tree}")
  status=$?
}
untrue() { # TEXT PLANT-ARGUMENTS...
  local text=$1
  shift
  plant "$@"
  case $status:$said in 1:*"$text"*) ;; *) fail "planted $*: $status: $said" ;; esac
}
now=9999-01-01T00:00:00Z then=2026-11-25T00:00:00Z early=1999-01-01T00:00:00Z
plant tallcache/2 "$head" "$now" "$blob"
is "a true document" "$status:$said" 0:
untrue "on no clean commit" tallcache/2 "$head-dirty" "$now" "$blob"
untrue "on no clean commit" tallcache/2 "${head:0:12}" "$now" "$blob"
untrue "on no clean commit" tallcache/2 unknown "$now" "$blob"
untrue "not in the history" tallcache/2 "${head:0:7}$(printf '0%.0s' {1..33})" "$now" "$blob"
untrue "not in the history" tallcache/1 "${head:0:7}00000" "$then" "$blob"
untrue "before its commit" tallcache/2 "$head" "$early" "$blob"
untrue "with another cpu/copy/rows.hpp" tallcache/2 "$head" "$now" "$head"
untrue "is of tallcache/1" tallcache/1 "$head" "$now" "$blob"
echo "see commit 0123456" >planted/README.md
untrue "README.md names a commit" tallcache/2 "$head" "$now" "$blob"
plant tallcache/2 "$head" "$now" "$blob" archive
is "documents without a history" "$status:${said%%:*}" 77:SKIPPED
git -C tree commit -q --allow-empty -m two && git clone -q --depth 1 "file://$work/tree" shallow
plant tallcache/2 "$head" "$now" "$blob" shallow
is "documents in a shallow clone" "$status:${said##*: }" "77:the clone is shallow"

[ "$failures" = 0 ] && echo "all passed"
exit $((failures > 0))
