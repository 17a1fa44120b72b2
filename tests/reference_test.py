#!/usr/bin/python3
"""The reference is whole: `docs` is built without a warning, no link inside of it is dead, and what a program can call
is documented.

    reference_test.py BUILD

A function of a public header, or one that such a header takes from elsewhere by `using`, says its shapes, its units, its
errors and its source. Other functions in headers that these include say what they do."""
import html.parser
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.targets, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.targets.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def dead_links(pages):
    """Links from `pages` (name: text) to what none of them, and no file of `folder`, is."""
    read = {}
    for name, text in pages.items():
        read[name] = Links()
        read[name].feed(text)
    for name, links in read.items():
        for target in links.targets:
            parts = urllib.parse.urlsplit(target)
            # Doxygen names nested classes that it does not show.
            if parts.scheme or parts.netloc or parts.fragment == "nested-classes":
                continue
            page = urllib.parse.unquote(parts.path) or name
            if page in read:
                if parts.fragment and urllib.parse.unquote(parts.fragment) not in read[page].anchors:
                    yield f"{name}: nothing is at {target}"
            elif not os.path.exists(os.path.join(folder, page)):
                yield f"{name}: {page} is not there"


def missing(function):
    """What the documentation of a function of a program's own lacks: (name, result, parameters, text)."""
    _, result, parameters, text = function
    types = " ".join(kind for kind, _ in parameters)
    if "Throws" not in text and "noexcept" not in text:
        yield "errors: 'Throws'"
    if "Source:" not in text:
        yield "a source: 'Source:'"
    if "MatrixView" in types and not re.search(r"\w x \w", text):
        yield "shapes: 'm x n'"
    if re.search(r"VectorView|span|Iterator|Range|Keys", types) and not re.search(r"\b[nmk]\b|size", text):
        yield "sizes: 'n'"
    if re.search(r"size_t|double$", result) and not re.search(r"\b(bytes|seconds|words|flops)\b", text):
        yield "units"
    for kind, name in parameters:
        if name and name not in ("fork", "access") and not re.search(rf"\b{name}\b", text, re.I):
            yield f"'{name}'"


def text_of(node):
    return " ".join("".join(node.find(part).itertext()) for part in ("briefdescription", "detaileddescription"))


def functions(folder):
    """(file, qualified name, result, ((type, name), ...), text) of each function at the level of a namespace."""
    for name in sorted(os.listdir(folder)):
        if not re.match(r"namespacetallcache", name):
            continue
        for member in ElementTree.parse(os.path.join(folder, name)).getroot().iter("memberdef"):
            if member.get("kind") != "function" or "detail" in (member.findtext("qualifiedname") or ""):
                continue
            parameters = tuple(("".join(p.find("type").itertext()), p.findtext("declname") or "")
                               for p in member.findall("param"))
            yield (member.find("location").get("file"), member.findtext("qualifiedname"),
                   "".join(member.find("type").itertext()), parameters, text_of(member))


def complaints(found, used):
    """What is undocumented among `found`, where public headers take the names `used` from others."""
    whole = set()
    for file, name, result, parameters, text in found:
        short = name.split("::")[-1]
        if not text.strip():
            if not short.startswith("operator"):
                yield f"{file}: {name}() has no documentation"
        elif "/detail/" not in f"/{file}" or name in used:
            # An overload is the same as the function before it but for what it says.
            if text.strip().startswith("The same") and short in whole:
                continue
            lacks = list(missing((name, result, parameters, text)))
            whole.add(short)
            if lacks:
                yield f"{file}: {name}() does not say " + ", ".join(lacks)


def check_itself():
    """Each rule finds what breaks it."""
    good = ("a.hpp", "tallcache::f", "std::size_t", (("MatrixView< T >", "b"),),
            "The bytes of B, m x n. Throws Error when m < 0. Source: Frigo et al. 1999.")
    assert not list(complaints([good], set())), list(complaints([good], set()))
    for word in ("bytes", "B,", "m x n", "Throws", "Source:"):
        broken = good[:4] + (good[4].replace(word, "-"),)
        assert len(list(complaints([broken], set()))) == 1, word
    assert len(list(complaints([good[:4] + ("",)], set()))) == 1
    inside = ("detail/a.hpp",) + good[1:4] + ("Text.",)
    assert not list(complaints([inside], set())) and len(list(complaints([inside], {"tallcache::f"}))) == 1
    assert len(list(dead_links({"a.html": '<a href="b.html">'}))) == 1
    assert len(list(dead_links({"a.html": '<a href="#x">'}))) == 1
    assert not list(dead_links({"a.html": '<a id="x" href="#x"><a href="https://example.org">'}))


build = sys.argv[1]
folder = os.path.join(build, "docs", "html")
check_itself()
subprocess.run(["cmake", "--build", build, "--target", "docs"], check=True, stdout=subprocess.DEVNULL)
failures = []
with open(os.path.join(build, "docs", "warnings"), encoding="utf-8") as warnings:
    failures += [line.rstrip() for line in warnings]
pages = {}
for name in os.listdir(folder):
    if name.endswith(".html"):
        with open(os.path.join(folder, name), encoding="utf-8") as page:
            pages[name] = page.read()
failures += sorted(set(dead_links(pages)))
include = os.path.join(build, "docs", "include", "tallcache")
used = set()
for name in os.listdir(include):
    if name.endswith(".hpp"):
        with open(os.path.join(include, name), encoding="utf-8") as header:
            used |= {f"tallcache::{n}" for n in re.findall(r"^using ((?:\w+::)+\w+);$", header.read(), re.M)}
found = list(functions(os.path.join(build, "docs", "xml")))
assert len(found) > 50 and len(pages) > 50, (len(found), len(pages))
failures += complaints(found, used)
print("\n".join(failures))
sys.exit(bool(failures))
