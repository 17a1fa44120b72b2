#!/usr/bin/python3
"""clang++ compiles the project without a warning.

  clang_test.py SOURCE BUILD CLANGXX          every header of the library, a variant of each operation, and each
                                              source of SIMD kernels for one target
  clang_test.py SOURCE BUILD CLANGXX --all    every source of the build, on all processors

Checks the syntax (-fsyntax-only) with the definitions and folders of BUILD/compile_commands.json, and without its
precompiled headers. Status 1 where a source does not compile, with what clang++ says.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-undefined-var-template", "-Wno-missing-braces"]
KERNELS = re.compile(r"^#define HWY_TARGET_INCLUDE", re.MULTILINE)
NEEDS_MORE = re.compile(r"/(papi|mpi|peers)/|include.*(cuda|<cu|\.cuh|<mpi|gpu/check)")  # than the library is built from


class Clang:
    def __init__(self, source, build, compiler):
        self.source, self.build, self.compiler = source, build, compiler
        self.commands = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            if not entry["file"].endswith(".cu"):
                self.commands.setdefault(entry["file"], entry)

    def options(self, file):
        """Definitions and folders of headers; the precompiled header is named by -include."""
        words = iter(shlex.split(self.commands[file]["command"]))
        for word in words:
            if word in ("-I", "-D", "-isystem"):
                yield from (word, next(words))
            elif word.startswith(("-I", "-D", "-isystem", "-std=", "-fopenmp", "-m")):
                yield word

    def run(self, file, *more, text=None):
        """What clang++ says of `text` in the place of the file, or of the file itself."""
        command = [self.compiler, *self.options(file), *WARNINGS, *more, "-Werror", "-fsyntax-only",
                   "-fconstexpr-steps=100000000", "-fbracket-depth=1024", "-x", "c++",
                   file if text is None else "-"]
        done = subprocess.run(command, cwd=self.build, input=text, capture_output=True, text=True, check=False)
        return f"{Path(file).name}:\n{done.stderr}" if done.returncode else ""


def digest(clang):
    """(file, options, text) of a part of the sources that has every idiom of the texts."""
    headers = [str(path.relative_to(clang.source)) for pattern in ("common/**/*.hpp", "cpu/**/*.hpp", "gpu/*/*.hpp")
               for path in sorted(clang.source.glob(pattern)) if not NEEDS_MORE.search(f"{path}\n{path.read_text()}")]
    variants = {}
    for file in clang.commands:
        if found := re.search(r"/variants/cpu_([a-z]+)", file):
            variants.setdefault(found[1], file)
    if len(headers) < 150 or len(variants) < 12:
        sys.exit(f"{len(headers)} headers and variants of {len(variants)} operations are too few")
    of_library = str(clang.source / "cpu/first_touch.cpp")
    names = [*headers, *variants.values()]
    yield of_library, (), "".join(f'#include "{name}"\n' for name in names)
    for file in clang.commands:
        if "/cpu/" in file and KERNELS.search(Path(file).read_text()):
            yield file, ("-DHWY_COMPILE_ONLY_STATIC",), None


def main(source, build, compiler, *everything):
    clang = Clang(Path(source).resolve(), Path(build).resolve(), compiler)
    jobs = [(file, (), None) for file in clang.commands] if everything else list(digest(clang))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)) if everything else 1) as pool:
        faults = [fault for fault in pool.map(lambda job: clang.run(job[0], *job[1], text=job[2]), jobs) if fault]
    if not clang.run(jobs[0][0], text="template <class T> int f(T t) { return g<T::n>(t); }"):
        faults.append("the check itself finds nothing")
    print("\n".join(faults) or f"{len(jobs)} sources")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
