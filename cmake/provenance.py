#!/usr/bin/env python3
"""Where a build comes from: its commit, and the git blobs of the sources that decide a variant's speed.

  provenance.py SOURCE FOLDER   writes FOLDER/build_commit.hpp and FOLDER/build_sources.hpp, where they change
  provenance.py SOURCE          prints the file COMMIT for a copy of SOURCE without history (bench/commit)

The commit is HEAD where SOURCE has a history of its own. Where it has none, it is that of the file COMMIT, or of an
archive (git archive fills in cmake/archived.txt); else it is "unknown". "-dirty" stands behind a commit whose sources
are not those of the tree; of an archive, where any file was changed or added, as its hash is one of all files.
"""
import fnmatch
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

# What the program is built from. Results and Markdown are no part of it: measuring does not make a tree
# dirty, but for that of an archive.
ROOTS = ("bench", "blas", "cmake", "common", "cpu", "gpu", "ranks", "results/slides")
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu", ".h", ".def", ".in", ".cmake", ".py", ".json", ".js", ".css", ".html", ".map"}
FULL_HASH = re.compile(r"[0-9a-f]{40}")
ARCHIVED = "cmake/archived.txt"
NOT_ARCHIVED = b"$For" + b"mat:%H %T$\n"  # in two parts, as git would fill it in here too


class Refused(Exception):
    pass


def is_source(path):
    return path == "CMakeLists.txt" or (Path(path).suffix in SUFFIXES or path.endswith("CMakeLists.txt")) and any(
        path.startswith(root + "/") for root in ROOTS)


def git_hash(kind, data):
    return hashlib.sha1(b"%s %d\0" % (kind, len(data)) + data).hexdigest()


def git(source, *arguments):
    """What git prints, or None. The caller's GIT_DIR and the like name other histories."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "--no-optional-locks", "-c", f"safe.directory={source}", "-C", str(source), *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode(errors="surrogateescape") if done.returncode == 0 else None


def sources_on_disk(source):
    """{path: blob} of all sources."""
    blobs = {}
    for root in ROOTS:
        for folder, _, names in os.walk(source / root):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), source)
                if is_source(path) and (source / path).is_file():
                    blobs[path] = git_hash(b"blob", (source / path).read_bytes())
    blobs["CMakeLists.txt"] = git_hash(b"blob", (source / "CMakeLists.txt").read_bytes())
    return dict(sorted(blobs.items()))


def has_history(source):
    # Not empty: an unpacked archive inside somebody else's repository.
    above = git(source, "rev-parse", "--show-cdup")
    return above is not None and above.strip() == "" and git(source, "rev-parse", "--verify", "HEAD") is not None


def commit_of_history(source):
    head = git(source, "rev-parse", "HEAD").strip()
    places = (".", ":(exclude)results", ":(exclude,glob)**/*.md"), ("results/slides",)
    changes = []
    for paths in places:
        listed = git(source, "status", "--porcelain", "-z", "--untracked-files=all", "--", *paths)
        if listed is None:
            raise Refused("git status fails, so that nobody knows whether the tree is changed")
        # A new file counts where the build would take it.
        changes += [line for line in listed.split("\0") if line and (line[:2] != "??" or is_source(line[3:]))]
    return head + ("-dirty" if changes else "")


def commit_of_file(source, blobs):
    """Of the file COMMIT: its first line, and whether the sources are those that the other lines name."""
    first, *rest = (source / "COMMIT").read_text().splitlines() or [""]
    match = re.fullmatch(r"commit ([0-9a-f]{40})(-dirty)?", first)
    listed = dict(reversed(line.split(" ", 1)) for line in rest if " " in line)
    if not match or not listed or not all(map(FULL_HASH.fullmatch, listed.values())):
        raise Refused(f"COMMIT is not as bench/commit writes it: '{first[:60]}'")
    return match[1] + ("-dirty" if match[2] or listed != blobs else "")


def tree_hash(source, folder=""):
    """git's hash of a folder as the archive was made of it, without what .gitignore names."""
    ignored = [line.strip("/") for line in (source / ".gitignore").read_text().split()] + [".git", "COMMIT"]
    entries = []
    for entry in os.scandir(source / folder):
        path = os.path.join(folder, entry.name)
        if not folder and any(fnmatch.fnmatch(entry.name, pattern) for pattern in ignored):
            continue
        if entry.is_symlink():
            entries.append((entry.name, b"120000", git_hash(b"blob", os.readlink(entry.path).encode())))
        elif entry.is_dir():
            entries.append((entry.name + "/", b"40000", tree_hash(source, path)))
        else:
            data = NOT_ARCHIVED if path == ARCHIVED else Path(entry.path).read_bytes()
            mode = b"100755" if entry.stat().st_mode & 0o100 else b"100644"
            entries.append((entry.name, mode, git_hash(b"blob", data)))
    entries.sort(key=lambda entry: entry[0].encode())
    return git_hash(b"tree", b"".join(mode + b" " + name.rstrip("/").encode() + b"\0" + bytes.fromhex(digest)
                                      for name, mode, digest in entries))


def commit_of_archive(source):
    text = (source / ARCHIVED).read_bytes()
    if text == NOT_ARCHIVED:
        return "unknown"
    match = re.fullmatch(r"([0-9a-f]{40}) ([0-9a-f]{40})\n", text.decode(errors="replace"))
    if not match:
        raise Refused(f"{ARCHIVED} is not as git archive writes it")
    return match[1] + ("" if tree_hash(source) == match[2] else "-dirty")


def commit_of(source, blobs):
    if has_history(source):
        return commit_of_history(source)
    if (source / "COMMIT").exists():
        return commit_of_file(source, blobs)
    if (source / ARCHIVED).exists():
        return commit_of_archive(source)
    return "unknown"


# --- What decides a variant's speed ---------------------------------------------------------------------------------

# Parts of common whose text runs in a variant's own loops; the rest of common describes, checks and measures.
INNER = ("common/amx.hpp", "common/amx.cpp", "common/bfloat16.hpp", "common/ceil_div.hpp", "common/traced.hpp",
         "common/transposed_view.hpp", "common/view.hpp", "common/warp/kernel.hpp")
# Looks for a device, measures what one can reach, times, lists what there is: no part of what includes the
# same headers.
# Neither are the lists of all tuned fields: a file of them is a part of the texts that name one of its fields.
NO_PART = ("cpu/backend.cpp", "gpu/backend.cpp", "gpu/check.cpp", "gpu/cuda_executor.hpp", "gpu/warpgroup_peaks.cu",
           "gpu/tuning/fields.def", "gpu/tuning/records.def")
FIELD = re.compile(r'^TALLCACHE_TUNED(?:_FOR\("[^"]*", |\()(\w+)', re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
LINE = re.compile(r"^TALLCACHE_(?:(PEER)\((\w+)\)|(?:TEXTBOOK|VARIANT)\((\w+), (\w+)(?:, \w+)?\))", re.MULTILINE)


class Includes:
    """The quoted includes and the tuned fields of each source, and the sources that implement each header."""

    def __init__(self, source, paths):
        self.of, self.companions = {}, {}
        texts = {path: (source / path).read_text() for path in paths
                 if path.startswith(("common/", "cpu/", "gpu/", "ranks/"))}
        tuned = {path: set(FIELD.findall(text)) for path, text in texts.items() if path.startswith("gpu/tuning/")}
        for path, text in texts.items():
            words = set(re.findall(r"\w+", text)) if path not in tuned else set()
            self.of[path] = [other for other in INCLUDE.findall(text) if other in paths] + [
                group for group, fields in tuned.items() if fields & words]
        for path, included in self.of.items():
            # foo.cpp, and bar.cpp beside it, whose own header is foo.hpp: the first that it includes of its
            # folder.
            own = [other for other in included if os.path.dirname(other) == os.path.dirname(path)]
            if path.endswith((".cpp", ".cu")) and own:
                self.companions.setdefault(own[0], []).append(path)

    def closure(self, starts, belongs):
        found, left = set(), [path for path in starts if path in self.of]
        while left:
            path = left.pop()
            if path not in found:
                found.add(path)
                left += [other for other in self.of[path] + self.companions.get(path, [])
                         if belongs(other) and other not in NO_PART]
        return sorted(found)


def variant_lists(source, paths):
    """[(backend, folder, name, forks, [path])] of all variants; then what a folder's operation, ranks and forks add."""
    includes = Includes(source, paths)
    lists = []
    for backend in ("cpu", "gpu"):
        belongs = lambda path, backend=backend: path.startswith(backend + "/") or path in INNER
        for peer, peer_name, folder, name in LINE.findall((source / backend / "variants.def").read_text()):
            folder, name = ("peers", peer_name) if peer else (folder, name)
            stem = f"{backend}/{folder}/{name}"
            header = stem + (".cuh" if stem + ".cuh" in paths else ".hpp")
            if header not in paths:
                raise Refused(f"{backend}/variants.def names {header}, which does not exist")
            files = includes.closure([header, "common/view.hpp"], belongs)
            # A library has threads of its own, unless it is oneTBB, which it includes.
            forks = any(other.startswith("common/fork/") for path in files for other in includes.of[path]) or (
                not peer and any("parallel = true" in (source / path).read_text() for path in files))
            lists.append((backend, folder, name, backend == "cpu" and forks, files))
    on_device = lambda path: path.startswith("gpu/") or path in INNER
    lists.append(("gpu", "memory", "", False, includes.closure(["gpu/memory_probes.hpp"], on_device)))
    over_ranks = lambda path: path.startswith(("ranks/", "cpu/")) or path in INNER
    ranks = [path for path in paths if path.startswith("ranks/mpi/")]
    lists.append(("cpu", "ranks", "", False, includes.closure(ranks, over_ranks)))
    forking = lambda path: path.startswith("common/fork/")
    lists.append(("cpu", "fork", "", False, includes.closure(["common/fork/parallel.hpp"], forking)))
    return lists


# --- What is written ------------------------------------------------------------------------------------------------

def commit_header(commit, blobs):
    digest = hashlib.sha1("".join(f"{blob} {path}\n" for path, blob in blobs.items()).encode()).hexdigest()
    return f"""// Made by cmake/provenance.py.
#pragma once
namespace tallcache::build_facts {{
inline constexpr char commit[] = "{commit}";
inline constexpr char source_digest[] = "{digest}";
}}  // namespace tallcache::build_facts
"""


def sources_header(lists, blobs):
    paths = sorted({path for *_, files in lists for path in files})
    number = {path: str(place) for place, path in enumerate(paths)}
    sources = "".join(f'    {{"{path}", "{blobs[path]}"}},\n' for path in paths)
    members, rows = [], ""
    for backend, folder, name, forks, files in lists:
        rows += f'    {{"{backend}", "{folder}", "{name}", {str(forks).lower()}, {len(members)}, {len(files)}}},\n'
        members += [number[path] for path in files]
    return f"""// Made by cmake/provenance.py.
#pragma once
#include "common/measure/sources.hpp"

namespace tallcache::build_facts {{
inline constexpr Source sources[] = {{
{sources}}};
// Of one variant; of something else where the name is empty. `first` and `count` are a range of
// source_members, which are places in sources.
struct SourceList {{
  std::string_view backend, folder, name;
  bool forks;
  int first, count;
}};
inline constexpr SourceList source_lists[] = {{
{rows}}};
inline constexpr int source_members[] = {{{", ".join(members)}}};
}}  // namespace tallcache::build_facts
"""


def write_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def commit_file(source):
    if not has_history(source):
        raise Refused(f"{source} has no history of its own")
    listed = git(source, "ls-tree", "-r", "-z", "HEAD")
    lines = [line.split("\t", 1) for line in listed.split("\0") if line]
    blobs = "".join(f"{about.split()[2]} {path}\n" for about, path in lines if is_source(path))
    return f"commit {commit_of_history(source)}\n{blobs}"


def main(arguments):
    source = Path(arguments[0]).resolve()
    if len(arguments) == 1:
        print(commit_file(source), end="")
        return
    folder = Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    blobs = sources_on_disk(source)
    write_changed(folder / "build_commit.hpp", commit_header(commit_of(source, blobs), blobs))
    write_changed(folder / "build_sources.hpp", sources_header(variant_lists(source, blobs), blobs))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Refused, OSError, UnicodeDecodeError) as fault:
        sys.exit(f"provenance: {fault}")
