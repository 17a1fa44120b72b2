#!/usr/bin/python3
"""The limits of CONTRIBUTING.md: C++ of at most 110 columns, functions of under 60 lines, and files of under 400.
And that of DESIGN.md: texts on the CPU neither choose by the access policy nor report accesses beside them.

  source_limits.py SOURCE     names each place beyond them; status 1 where there is one
"""
import os
import re
import sys

COLUMNS, FUNCTION, FILE = 110, 60, 400
FOLDERS = (".ci", "bench", "blas", "cmake", "common", "cpu", "examples", "gpu", "ranks", "tests")
CPP = (".cpp", ".hpp", ".cu", ".cuh", ".h")
# Of what opens a brace, what is no function.
OTHER = re.compile(r"(inline )?(namespace|struct|class|union|enum|extern|template|using)\b|(for|if|while|switch)\b|\}? *else\b")


# Which texts choose by the access policy, or report what opaque instructions access, and how often.
BY_POLICY = re.compile(r"is_same_v<[^;{]*\bPlain>|static_cast<void>\((?:load|store)_n\b|\breport_(?:load|store)\b")
MAY_CHOOSE = {
    "cpu/matmul/tile_product.hpp": 2,   # tile registers are opaque
    "cpu/sort/vector_leaf.hpp": 1,      # a library's loads cannot be traced
}


def bare(text):
    """The text without what stands in literals and comments, with the same lines."""
    def lines_only(match):
        return '""' + "\n" * match.group(0).count("\n")
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lines_only, text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|\'(?:\\.|[^\'\\\n])\'', lines_only, text)


def functions(text):
    """The first line and the number of lines of each function."""
    opened = []
    for number, line in enumerate(bare(text).split("\n"), 1):
        for at, character in enumerate(line):
            if character == "{":
                opened.append((number, line[:at].strip()))
            elif character == "}" and opened:
                first, before = opened.pop()
                # A parameter list, and nothing behind it but words such as const.
                if re.search(r"\)(\s*(const|noexcept|override|final|mutable|requires\b.*|->.*))*$", before) and not OTHER.match(before):
                    yield first, number - first + 1


def beyond(path, text):
    lines = text.rstrip("\n").split("\n")
    if len(lines) >= FILE:
        yield f"{path}: {len(lines)} lines"
    if not path.endswith(CPP):
        return
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield f"{path}:{number}: {len(line)} columns"
    if path.startswith("cpu/") and len(BY_POLICY.findall(text)) > MAY_CHOOSE.get(path, 0):
        yield f"{path}: a choice by the access policy, or accesses that are reported beside a text"
    for first, length in functions(text):
        if length >= FUNCTION:
            yield f"{path}:{first}: a function of {length} lines"


def sources(root):
    for folder in FOLDERS:
        for place, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = [f for f in folders if f not in ("vendor", "fixtures", "__pycache__")]
            for name in sorted(names):
                path = os.path.join(place, name)
                if name.endswith(CPP + (".cmake", ".py", ".sh", ".js")) or "." not in name:
                    yield os.path.relpath(path, root), path


# The check itself finds what it is for.
planted = "void f() {\n" + "  g();\n" * FUNCTION + "}\n" + "// " + "x" * COLUMNS + "\n" * FILE + "int i;\n"
assert len(list(beyond("planted.cpp", planted))) == 3, list(beyond("planted.cpp", planted))
for choice in ("if constexpr (std::is_same_v<Access, Plain>)", "static_cast<void>(load_n(access, p, 1));"):
    assert len(list(beyond("cpu/planted.hpp", choice))) == 1, choice

found = []
for name, path in sources(sys.argv[1]):
    with open(path, encoding="utf-8") as file:
        found += beyond(name, file.read())
if found:
    sys.exit("\n".join(found))
