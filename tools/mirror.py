"""Checks that every .cc has its header and its test, or an exception with a reason.

usage: mirror.py [--missing] [FOLDER]     (default: the current folder)

The test of server/slurm/hostlist.cc is tests/server/slurm/hostlist_test.cc, or
hostlist_property_test.cc. tests/mirror_exceptions.txt has the exceptions, each with
its reason; one that nothing needs any more is an error. --missing lists what lacks
a header or a test, excepted or not, as lines for that file.
"""

import fnmatch
import pathlib
import sys

import house

EXCEPTIONS = "tests/mirror_exceptions.txt"


def exceptions(root):
    """Yields (line number, kind, pattern, where, reason)."""
    for number, line in enumerate(house.lines_of(root / EXCEPTIONS), 1):
        if line.strip() and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("|")]
            yield (number, *(cells + [""] * 4)[:4])


def without_header(root, files):
    return [name for name in files if not (root / name[:-3]).with_suffix(".h").is_file()]


def has_test(root, name):
    stem = "tests/" + name[:-3]
    return (root / f"{stem}_test.cc").is_file() or (root / f"{stem}_property_test.cc").is_file()


def missing(root):
    """Kind of exception -> the files that lack the thing."""
    files = house.product_files(root, (".cc",))
    return {
        "header": without_header(root, files),
        "test": [name for name in files if not has_test(root, name)],
    }


def exception_breaches(root, lacking):
    """Wrong and unneeded exceptions; takes what is excepted out of `lacking`."""
    for number, kind, pattern, where, reason in exceptions(root):
        at = f"{EXCEPTIONS}:{number}"
        if kind not in lacking or not pattern or not reason:
            yield f"{at}: want `header | FILE | where declared | reason` or `test | FILE | tests | reason`"
            continue
        for place in where.split():
            if not (root / place).is_file():
                yield f"{at}: {place} is not there"
        if not where:
            reason_only = reason.startswith("no test: ") if kind == "test" else True
            if not reason_only:
                yield f"{at}: name the tests, or begin the reason with `no test: `"
        matched = fnmatch.filter(lacking[kind], pattern)
        if not matched:
            yield f"{at}: nothing needs it: every {pattern} has its {kind}"
        lacking[kind] = [name for name in lacking[kind] if name not in matched]


def folder_breaches(root):
    for folder in sorted({house.parent(name) for name in house.product_files(root, (".cc",))}):
        if not list((root / "tests" / folder).glob("*_test.cc")):
            yield f"{folder}: no test in tests/{folder}"


def breaches(root):
    """Yields `file: what is wrong`."""
    lacking = missing(root)
    yield from exception_breaches(root, lacking)
    for kind, files in lacking.items():
        for name in files:
            yield f"{name}:1: no {kind}, and no exception in {EXCEPTIONS}"
    yield from folder_breaches(root)


def main(arguments):
    listing = "--missing" in arguments
    folders = [argument for argument in arguments if argument != "--missing"]
    root = pathlib.Path(folders[0] if folders else ".").resolve()
    if not listing:
        return house.report(breaches(root))
    for kind, files in missing(root).items():
        for name in files:
            print(f"{kind} | {name} | |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
