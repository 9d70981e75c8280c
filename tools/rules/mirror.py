"""Every .cc has its header, and pure code its unit test.

The header has its name, or is one of its folder that it includes: commands.h declares each command.
main.cc has none. A file of engine/ has tests/<its path>_test.cc or _property_test.cc, or is a part of
a file of its folder that has one: that file, or another part of it, includes its header. Everywhere
else a folder has tests, and their names are their subjects'.
"""

import re

from rules import tree

PURE = "engine/"
INCLUDE = re.compile(r'^#include "([^"]+)\.h"', re.MULTILINE)


def included(root, stem):
    """What the header and the .cc of a name include of their folder, without ".h"."""
    texts = [(root / (stem + suffix)).read_text(encoding="utf-8")
             for suffix in tree.SOURCES if (root / (stem + suffix)).is_file()]
    return {name for text in texts for name in INCLUDE.findall(text) if tree.parent(name) == tree.parent(stem)}


def has_test(root, stem):
    return any((root / f"tests/{stem}{suffix}").is_file() for suffix in ("_test.cc", "_property_test.cc"))


def tested(root, stems):
    """Those that have a test, and the parts of those."""
    found, new = set(), {stem for stem in stems if has_test(root, stem)}
    while new:
        found |= new
        new = {part for stem in new for part in included(root, stem)} - found
    return found


def breaches(root):
    """Yields `file:line: what is wrong`."""
    stems = [name[:-len(".cc")] for name in tree.product_files(root, (".cc",))]
    in_tests = tested(root, [stem for stem in stems if stem.startswith(PURE)])
    for stem in stems:
        if not (root / f"{stem}.h").is_file() and not stem.endswith("/main") and not included(root, stem):
            yield f"{stem}.cc:1: no header of its folder declares it"
        if stem.startswith(PURE) and stem not in in_tests:
            yield f"{stem}.cc:1: no tests/{stem}_test.cc, and no part of a file that has its test"
    for folder in sorted({tree.parent(stem) for stem in stems}):
        if not list((root / "tests" / folder).glob("*_test.cc")):
            yield f"{folder}: no test in tests/{folder}"
