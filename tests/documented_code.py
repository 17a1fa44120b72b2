#!/usr/bin/python3
"""The C++ in the headers' comments compiles.

  documented_code.py SOURCE WORK COMPILER FLAG...

A block is the lines of a comment that are indented by three spaces. Each block of C++ becomes a file in WORK, such as
common/execute.hpp.1, which tests/documented_code.cpp includes where its names are known; a block that no line there
includes is an error. What is no C++ is a table, words in columns or without an end of a statement, and what a template
asks of its argument: a declaration with template arguments, static void run<T>(Device&);"""
import os
import re
import subprocess
import sys

source, work, *compiler = sys.argv[1:]
FOLDERS = ("blas", "common", "cpu", "gpu", "ranks")
BLOCK_LINE = re.compile(r"^ *//[/!]?(?:   (.*))?$")


def blocks(path):
    """The blocks of a file: the number of the first line, and the lines."""
    found, current = [], None
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            match = BLOCK_LINE.match(line.rstrip("\n"))
            text = match.group(1) if match else None
            if text is not None and (current or not text.startswith(" ")):
                if current is None:
                    current = (number, [])
                    found.append(current)
                current[1].append(text)
            elif match is None or current is None or not current[1][-1]:
                current = None
            else:
                current[1].append("")  # an empty line of a comment may be one of the block's
    return found


def is_code(lines):
    """Statements end, what stands behind them alone is in columns, and no declaration has template arguments."""
    bare = [re.sub(r"\s*//.*", "", line).strip() for line in lines]
    no_code = re.compile(r"  |^static [\w ]+<[\w, ]+>\(.*\);$")
    return any(re.search(r"[;{}]$", line) for line in bare) and not any(no_code.search(line) for line in bare)


def headers():
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(source, folder)):
            for name in sorted(names):
                if name.endswith((".hpp", ".cuh", ".h")):
                    yield os.path.relpath(os.path.join(place, name), source)


test = os.path.join(source, "tests", "documented_code.cpp")
with open(test, encoding="utf-8") as text:
    included = set(re.findall(r'^ *#include "documented/(.*)"', text.read(), re.M))
written, failures = set(), []
for header in headers():
    for count, (number, lines) in enumerate(filter(lambda b: is_code(b[1]), blocks(os.path.join(source, header))), 1):
        name = f"{header}.{count}"
        written.add(name)
        if name not in included:
            failures.append(f"{header}:{number}: C++ that {os.path.basename(test)} does not include as {name}")
        target = os.path.join(work, "documented", name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as out:
            out.write(f'#line {number} "{header}"\n' + "\n".join(lines) + "\n")
failures += [f"{name} is included, and there is no such block" for name in sorted(included - written)]
if failures:
    sys.exit("\n".join(failures))
print(f"{len(written)} blocks")
sys.exit(subprocess.run(compiler + ["-fsyntax-only", "-I" + work, "-I" + source, test], check=False).returncode)
