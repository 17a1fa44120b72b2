#!/usr/bin/env python3
"""Prints each failed test of the JUnit files that are named, with the last lines of its output.

    tests/failures.py build/release/tests.xml build/asan/tests.xml
"""
import sys
import xml.etree.ElementTree as ElementTree

LINES = 25

for path in sys.argv[1:]:
    try:
        cases = ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"{path}: {error}")
        continue
    for case in cases:
        skipped = case.find("skipped")
        # ctest calls a test that it could not start skipped.
        lost = skipped is not None and not skipped.get("message", "").startswith("SKIP_")
        if case.get("status") != "fail" and not (lost and case.get("status") == "notrun"):
            continue
        print(f"{path}: {case.get('name')} failed after {float(case.get('time', 0)):.1f} s")
        for line in (case.findtext("system-out") or "").rstrip().splitlines()[-LINES:]:
            print(f"    {line[:300]}")
