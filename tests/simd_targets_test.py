#!/usr/bin/python3
"""The library has its SIMD kernels for every target that tests/simd_targets.txt names.

  simd_targets_test.py SOURCE OBJECTS CONFIG

OBJECTS is the folder of the library's object files, SOURCE.o each in the folder of a target of the build, of the build
type CONFIG: what may not be there is looked for in Release alone. A kernel that is lost costs speed alone: the dispatch
takes the next best target, and no result is wrong. So this looks into the objects, which needs no processor that has the
targets: each function that a source exports has to be there for each target. Status 1 where one is missing, or a source
with kernels is not in the list; 77, a test that is skipped, where they are of another architecture.
"""
import platform
import re
import subprocess
import sys
from pathlib import Path

EXPORT = re.compile(r"^HWY_EXPORT\((\w+)\)", re.MULTILINE)
KERNELS = re.compile(r'^#define HWY_TARGET_INCLUDE|__attribute__\(\(target\("a', re.MULTILINE)


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def missing(source, path, targets, symbols, code):
    """What of the list the object of `path` lacks. `symbols` and `code` are its functions' and its instructions' text."""
    for target in targets:
        if target.startswith("!"):
            if re.search(rf"\t{target[1:].replace('_', ' ')}\b", code):
                yield f"{path}: an instruction {target[1:].replace('_', ' ')}"
            continue
        if target.islower():
            if not re.search(rf"\t{target}\b", code):
                yield f"{path}: no instruction {target}"
            continue
        for name in EXPORT.findall((source / path).read_text()):
            if not re.search(rf"::N_{target}::{name}\b", symbols):
                yield f"{path}: {name} is not compiled for {target}"


def main(source, objects, config):
    if platform.machine() not in ("x86_64", "AMD64"):
        print("the list is of x86-64")
        sys.exit(77)
    rows = [line.split() for line in (source / "tests/simd_targets.txt").read_text().split("\n") if line[:1] not in ("", "#")]
    rows = [[word for word in row if word[0] != "!" or config == "Release"] for row in rows]
    faults = []
    for path, *targets in rows:
        built = next(objects.glob(f"*.dir/{path}.o"))
        code = output_of("objdump", "-d", "--no-show-raw-insn", str(built)) if any(map(str.islower, targets)) else ""
        faults += missing(source, path, targets, output_of("nm", "-C", "--defined-only", str(built)), code)
    known = {path for path, *_ in rows}
    for path in sorted(str(file.relative_to(source)) for room in ("common", "cpu") for file in (source / room).rglob("*.cpp")):
        if path not in known and KERNELS.search((source / path).read_text()):
            faults.append(f"{path} has kernels for SIMD targets, and is not in tests/simd_targets.txt")
    # What is not there is missed.
    path = "cpu/matmul/register_kernel.cpp"
    if list(missing(source, path, ["AVX3", "none", "!rep_movsq", "!rep"], "t k::N_AVX3::KernelFloat()", "\tadd\n\trep movsq")) != [
            f"{path}: KernelDouble is not compiled for AVX3", f"{path}: no instruction none",
            f"{path}: an instruction rep movsq", f"{path}: an instruction rep"]:
        faults.append("the check itself finds nothing")
    print("\n".join(faults) or f"{len(rows)} sources have their SIMD kernels")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3])
