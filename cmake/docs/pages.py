#!/usr/bin/env python3
"""Writes the pages of the reference that are not made from headers: the README as its first page, the examples, the
works and the texts' rows.

    pages.py SOURCE FOLDER EXAMPLE...
"""
import html
import json
import os
import re
import sys

source, folder, *examples = sys.argv[1:]


def read(*path):
    with open(os.path.join(source, *path), encoding="utf-8") as file:
        return file.read()


def write(name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def cell(text):
    return text if text.startswith("`") else text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def table(head, rows):
    line = "| {} |\n".format
    return line(" | ".join(head)) + line(" | ".join("---" for _ in head)) + "".join(
        line(" | ".join(map(cell, row))) for row in rows)


def without_files(text):
    """Links to files of the tree are their words: the site has its own pages alone."""
    def link(match):
        words, target = match.groups()
        name = os.path.basename(target)
        if os.path.dirname(target) == "examples" and name in examples:
            return f"[{words}](@ref examples)"
        return match.group(0) if target.startswith(("http", "#")) else words

    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]*)\)", link, re.sub(r"!\[[^\]]*\]\([^)]*\)\n*", "", text))


def as_html_code(text):
    """Code within lines as HTML: Doxygen reads some of what may stand there as Markdown."""
    def code(match):
        return "<code>" + re.sub(r"[*_@#%\\|~-]", lambda c: f"&#{ord(c.group())};", html.escape(match.group(1))) + "</code>"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else re.sub(r"`([^`]+)`", code, part) for part in parts)


def first_sentence(text):
    comment = " ".join(line[2:].strip() for line in text.splitlines() if line.startswith("//"))
    return re.split(r"[.:] ", comment, 1)[0].rstrip(".")


write("README.md", as_html_code(without_files(read("README.md"))))

parts = [f"## {first_sentence(read('examples', name))}\n\n`{name}`\n\n@include {name}\n" for name in examples]
write("examples.md", "# Examples {#examples}\n\nEach is a program of its own, built from an installed prefix.\n\n" +
      "\n".join(parts))

bibliography = json.loads(read("results", "slides", "bibliography.json"))
works = [(work["cite"], work["author"], work["title"], work["where"])
         for work in bibliography["texts"] + bibliography["works"]]
write("works.md", "# Sources {#works}\n\nThe works that headers and variants name as their source.\n\n" +
      table(("cited as", "author", "title", "where"), works))

topics = json.loads(read("results", "slides", "topics.json"))["topics"]
rows = [(topic["id"], topic["title"], "; ".join(topic["where"]), f"`{topic['command']}`" if topic.get("command") else "",
         topic.get("missing", "")) for topic in topics]
write("rows.md", as_html_code("# Rows of the texts {#rows}\n\nWhat the suite reproduces, and the command that shows it. An id is "
      "the letter of its text (see [Sources](@ref works)) and a number.\n\n" +
      table(("id", "what", "where", "command", "missing"), rows)))

namespaces = {
    "tallcache": "All of the project's names.",
    "tallcache::cache": "Models of caches, which a trace feeds.",
    "tallcache::cpu": "Algorithms on the CPU: a namespace an operation.",
    "tallcache::cpu::fft": "Fourier transforms.",
    "tallcache::cpu::lu": "LU decompositions and triangular systems.",
    "tallcache::cpu::matmul": "Products of matrices.",
    "tallcache::cpu::qr": "QR factorisations.",
    "tallcache::cpu::stencil": "Stencils.",
    "tallcache::cpu::sort": "Sorts by comparisons.",
    "tallcache::cpu::transpose": "Transpositions.",
    "tallcache::mpi": "Programs over MPI ranks.",
    "tallcache::papi": "Counting through PAPI.",
    "tallcache::ranks": "Layouts of matrices over ranks, and what ranks move.",
    "tallcache::warp": "The model of a GPU's warps.",
}
write("namespaces.dox", "".join(f"/// @namespace {name}\n/// {what}\n\n" for name, what in namespaces.items()))
