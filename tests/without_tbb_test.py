#!/usr/bin/python3
"""The texts of the algorithms, the models and what a program links stand without oneTBB's headers, so that they run
under any fork policy and a compiler need not read them.

  without_tbb_test.py SOURCE COMPILER FLAG...

Runs the preprocessor over every source of an operation on the CPU (cpu/OPERATION/), the public headers, every model
(common/cache), and what makes a variant's record. None of them may include a header of oneTBB, directly or through
others. Status 1 otherwise, with the chain of includes.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PEERS = "peers"  # libraries in the place of texts, oneTBB's among them
RECORDS = ["common/fork/parallel.hpp", "common/fork/work_span.hpp", "common/variant_text.hpp"]
TBB = re.compile(r"(?:^|/)tbb/")


def checked(source):
    """Headers and other sources, by path."""
    folders = [path for path in sorted((source / "cpu").iterdir()) if path.is_dir() and path.name != PEERS]
    files = [path for folder in [*folders, source / "common/cache"] for path in sorted(folder.iterdir())]
    files = [str(path.relative_to(source)) for path in files] + RECORDS
    return [p for p in files if p.endswith(".hpp")], [p for p in files if p.endswith(".cpp")]


class Preprocessor:
    def __init__(self, source, command):
        self.source, self.command = source, [*command, "-I", str(source)]

    def run(self, *arguments, text=None):
        done = subprocess.run([*self.command, *arguments], cwd=self.source, input=text, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            sys.exit(done.stderr)
        return done

    def includes_tbb(self, headers, sources=()):
        text = "".join(f'#include "{header}"\n' for header in headers)
        read = self.run("-M", "-x", "c++", "-", text=text).stdout
        read += self.run("-M", *sources).stdout if sources else ""
        return any(map(TBB.search, read.split()))

    def chain(self, path):
        """The first header of oneTBB that the file leads to, behind those that include it; empty where there is none."""
        chain = [path]
        for line in self.run("-H", "-E", "-o", os.devnull, "-x", "c++", path).stderr.split("\n"):
            if found := re.match(r"(\.+) (.+)", line):
                chain[len(found[1]):] = [found[2]]
                if TBB.search(found[2]):
                    return chain
        return []


def offenders(preprocessor, headers, sources):
    """The chain of each that includes oneTBB. One run over all of them tells whether there is one."""
    if not preprocessor.includes_tbb(headers, sources):
        return []
    return [chain for path in [*headers, *sources] if (chain := preprocessor.chain(path))]


def main(source, command):
    source = Path(source).resolve()
    preprocessor = Preprocessor(source, command)
    headers, sources = checked(source)
    faults = [" -> ".join(chain).replace(f"{source}/", "") for chain in offenders(preprocessor, headers, sources)]
    # A planted include is found, through a header that seems harmless.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "harmless.hpp").write_text("#pragma once\n#include <tbb/version.h>\n")
        Path(folder, "planted.hpp").write_text('#pragma once\n#include "cpu/copy/rows.hpp"\n#include "harmless.hpp"\n')
        found = offenders(preprocessor, [f"{folder}/planted.hpp"], [])
        if [Path(path).name for path in sum(found, [])[:2]] != ["planted.hpp", "harmless.hpp"]:
            faults.append(f"the check itself finds {found}")
    print("\n".join(faults) or f"{len(headers)} headers and {len(sources)} sources")
    if len(headers) < 70:
        faults.append("too few headers")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
