#!/usr/bin/env bash
# A variant whose files, or the files that these include, call a library for a part of its work says so (`uses` in
# common/variant.hpp).
# Usage: uses_test.sh SOURCE_FOLDER
set -u
cd "${1:?}" || exit 1
python3 - <<'P'
import pathlib, re, sys

LIBRARY = re.compile(r'#include [<"]((?:cub|thrust|hwy/contrib)/|cu(?:blas|fft|solver|sparse)|(?:cpu|gpu)/peers/)')
INCLUDE = re.compile(r'#include "([^"]+)"')

def resolve(name, beside):
    for folder in (pathlib.Path(), pathlib.Path("common"), beside.parent):
        if (folder / name).is_file():
            return folder / name
    return None

def libraries(start):
    """Of a file, of what it includes, and of the sources that these headers declare."""
    found, seen, left = set(), set(), [start]
    while left:
        file = left.pop()
        if file in seen:
            continue
        seen.add(file)
        text = file.read_text()
        found |= {match[1] for match in LIBRARY.finditer(text)}
        left += [path for name in INCLUDE.findall(text) if (path := resolve(name, file))]
        left += [path for end in (".cpp", ".cu") if (path := file.with_suffix(end)).is_file()]
    return found

checked, wrong = 0, []
for backend in ("cpu", "gpu"):
    for folder, name in re.findall(r"^TALLCACHE_(?:TEXTBOOK|VARIANT)\((\w+), (\w+)",
                                   pathlib.Path(backend, "variants.def").read_text(), re.M):
        file = next(path for end in (".cuh", ".hpp") if (path := pathlib.Path(backend, folder, name + end)).is_file())
        says, calls = re.search(r"string_view uses\b", file.read_text()) is not None, libraries(file)
        checked += 1
        if says != bool(calls):
            wrong.append(f"{file}: {'says' if says else 'does not say'} what libraries do; it calls {sorted(calls)}")
print("\n".join(wrong) or f"all {checked} variants say what libraries do for them")
sys.exit(bool(wrong) or checked < 60)
P
