#!/usr/bin/env python3
"""commits_test.py SOURCE [HISTORY]: what the committed documents say of where they come from is true.

Each commit that a document names is in the history, was there when the document was measured, and was measured as it
was committed; a document's sources are that commit's. So is each commit that a Markdown file names. HISTORY is the
repository to look in, SOURCE unless named. Ends with 77 where there is no history, or a part of it.
"""
import json
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

LAST_WITHOUT_SOURCES = "2026-11-26"  # from then on a document names its sources


def git(history, *arguments):
    command = ["git", "-c", "safe.directory=*", "-C", str(history), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def faults_of(history, document):
    context = document["context"]
    commit, date = context["build"]["commit"], context["date"]
    old = document["schema"] == "tallcache/1"
    if old and date >= LAST_WITHOUT_SOURCES:
        yield f"is of {document['schema']}, but measured on {date}"
    if not re.fullmatch("[0-9a-f]{7,40}" if old else "[0-9a-f]{40}", commit):
        yield f"was measured on no clean commit: {commit}"
        return
    if git(history, "cat-file", "-e", commit + "^{commit}") is None:
        yield f"names a commit that is not in the history: {commit}"
        return
    made = datetime.fromisoformat(git(history, "show", "-s", "--format=%cI", commit))
    if datetime.fromisoformat(date.replace("Z", "+00:00")) < made:
        yield f"was measured on {date}, before its commit {commit} was made"
    if sources := context.get("sources"):
        listed = git(history, "ls-tree", "-r", commit).splitlines()
        blobs = {path: about.split()[2] for about, path in (line.split("\t", 1) for line in listed)}
        for path, blob in sources.items():
            if blobs.get(path) != blob:
                yield f"was measured with another {path} than that of its commit {commit}"


def main(source, history):
    if git(history, "rev-parse", "HEAD") is None:
        print("SKIPPED: the commits of the documents: there is no history here")
        return 77
    if git(history, "rev-parse", "--is-shallow-repository") != "false":
        print("SKIPPED: the commits of the documents: the clone is shallow")
        return 77
    documents = sorted(path for path in source.glob("results/*/*.json") if path.parent.name != "slides")
    faults = [f"{path.relative_to(source)} {fault}" for path in documents
              for fault in faults_of(history, json.loads(path.read_text()))]
    texts = [path for path in source.rglob("*.md") if not path.relative_to(source).parts[0].startswith("build")]
    for path in texts:
        for commit in re.findall(r"\bcommit ([0-9a-f]{7,40})\b", path.read_text()):
            if git(history, "cat-file", "-e", commit + "^{commit}") is None:
                faults.append(f"{path.relative_to(source)} names a commit that is not in the history: {commit}")
    if not documents or not texts:
        faults.append(f"there are {len(documents)} documents and {len(texts)} texts in {source}")
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[-1])))
