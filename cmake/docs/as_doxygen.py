#!/usr/bin/env python3
"""A header as Doxygen reads it, on standard output: the comment at its top is the file's, C++ in comments is code, and
what Doxygen would take for a command or a tag is text.

    as_doxygen.py HEADER
"""
import re
import sys

LINE = re.compile(r"^( *)//(/?) ?(.*)$")


def escaped(text):
    """Doxygen's own characters stay characters. What stands between ` stays as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([\\@#<>&%$]|::(?=:))", r"\\\1", p) for p in parts)


def comment(lines, indent, file):
    """A block of comment lines, without their slashes, as Doxygen's; of a file, if it is one's."""
    # Two headers of the same name are told apart by their folders.
    out, code = [f"@file {file.rpartition('/include/')[2]}"] if file else [], False
    for line in lines:
        starts_code = line.startswith("  ") and line.strip() != ""
        if starts_code != code and (starts_code or line.strip()):
            out.append("@code{.cpp}" if starts_code else "@endcode")
            code = starts_code
        out.append(line[2:] if code else escaped(line))
    if code:
        out.append("@endcode")
    return [f"{indent}/// {line}".rstrip() for line in out]


def used_names(path, text):
    """What a public header takes from elsewhere by `using`."""
    return [] if "/detail/" in path else re.findall(r"^using ((?:\w+::)+\w+);$", text, re.M)


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    out, block, documents, indent = [], [], False, ""
    top = True

    def end_block():
        nonlocal block
        if block:
            if top:
                out.extend(comment(block, indent, path))
                if used_names(path, text):
                    out.append("///\n/// Its names from other headers:")
                    out.extend(f"/// - @ref tallcache::{name}" for name in used_names(path, text))
            else:
                out.extend(comment(block, indent, None) if documents else [f"{indent}//"] * len(block))
        block = []

    for line in text.splitlines():
        match = LINE.match(line)
        # A trailing ///< and a line that does not go on with the same kind of comment end a block.
        if match and not match.group(3).startswith("<"):
            if block and (match.group(2) == "/") != documents:
                end_block()
            indent, documents = match.group(1), match.group(2) == "/"
            block.append(match.group(3))
            continue
        end_block()
        top = top and not line.strip()
        out.append(re.sub(r"(///< )(.*)$", lambda m: m.group(1) + escaped(m.group(2)), line))
    end_block()
    print("\n".join(out))


main(sys.argv[1])
