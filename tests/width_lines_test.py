#!/usr/bin/env python3
"""Rows of gpu/widths.def find their lines: width_lines_test.py PROGRAM (cmake/width_lines.cpp)."""
import os
import subprocess
import sys
import tempfile

TABLE = """// A table.
compiler ("nvcc", "sm")
kernel Kernel<a, b>, long
  gpu/text.hpp global load 0,0,1,0,0 1 a = b;
  gpu/text.hpp shared store 0,0,0,2,0 2 a = b;
"""
TEXT = "a = b;\n  a = b;  // again\nc = d;\n"


def lines_of(program, root, text):
    """The line numbers of the rows, in order."""
    os.makedirs(f"{root}/gpu", exist_ok=True)
    for name, content in (("widths.def", TABLE), ("text.hpp", text)):
        with open(f"{root}/gpu/{name}", "w", encoding="utf-8") as out:
            out.write(content)
    subprocess.run([program, root, f"{root}/out"], check=True)
    with open(f"{root}/out", encoding="utf-8") as made:
        rows = made.read().splitlines()
    assert rows[0] == 'TALLCACHE_WIDTHS_OF("nvcc", "sm")', rows
    assert all(row.startswith('TALLCACHE_WIDTHS("Kernel<a, b>, long", "gpu/text.hpp", ') for row in rows[1:]), rows
    return [int(row.split('", ')[2].split(",")[0]) for row in rows[1:]]


with tempfile.TemporaryDirectory() as folder:
    checks = {"as they are": (TEXT, [1, 2]), "behind a comment": ("// Says why.\n\n" + TEXT, [3, 4]),
              "a line between": (TEXT.replace("  a", "e;\n  a"), [1, 3]),
              "another text": (TEXT.replace("  a =", "  f ="), [1])}
    for what, (text, expected) in checks.items():
        found = lines_of(sys.argv[1], folder, text)
        assert found == expected, f"{what}: {found} in place of {expected}"
print("4 passed, 0 failed")
