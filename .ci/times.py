"""Print how long the tests of each file take, the longest first: ``python .ci/times.py build/tests.xml``.

The file is what ``pytest --junitxml`` writes. A fixture counts for the test that first asks for it.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

MOST = 10

seconds: Counter[str] = Counter()
cases: Counter[str] = Counter()
for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
    parts = case.get("classname", "").split(".")
    name = next((part for part in parts if part.startswith("test_")), "examples in docstrings")
    seconds[name] += float(case.get("time", 0))
    cases[name] += 1
print(f"{sum(seconds.values()):.0f} seconds of tests, {sum(cases.values())} cases, {len(seconds)} files")
for name, took in seconds.most_common(MOST):
    print(f"{took:6.1f} s  {cases[name]:4d} cases  {name}")
