"""Checks that every .cc has its header and its test, or an exception with a reason.

usage: mirror.py [--missing | --prune] [FOLDER]     (default: the current folder)

The test of engine/slurm/words/hostlist.cc is tests/engine/slurm/words/hostlist_test.cc, or
hostlist_property_test.cc. tests/mirror_exceptions.txt has the exceptions, each with
its reason; one that nothing needs any more is an error. --missing lists what lacks
a header or a test, excepted or not, as lines for that file; --prune takes out of
it what nothing needs any more.

A line of it is `header | FILES | | reason` or `test | FILES | TESTS | reason`: the
tests that reach the files are named, or the reason begins with `untested: `.
"""

import fnmatch
import pathlib
import sys

import house

EXCEPTIONS = "tests/mirror_exceptions.txt"


def exceptions(root):
    """Yields (line number, kind, patterns, where, reason)."""
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


def wording_breaches(root, kind, patterns, where, reason):
    """What is wrong with one exception by itself."""
    if kind not in ("header", "test") or not patterns or not reason:
        yield "want `header | FILES | | reason` or `test | FILES | TESTS | reason`"
    if kind == "test" and not where and not reason.startswith("untested: "):
        yield "name the tests, or begin the reason with `untested: `"
    for place in where.split():
        if not (root / place).is_file():
            yield f"{place} is not there"


def exception_breaches(root, lacking):
    """Wrong and unneeded exceptions; takes what is excepted out of `lacking`."""
    for number, kind, patterns, where, reason in exceptions(root):
        at = f"{EXCEPTIONS}:{number}"
        wrong = list(wording_breaches(root, kind, patterns, where, reason))
        yield from (f"{at}: {what}" for what in wrong)
        for pattern in patterns.split() if kind in lacking else []:
            matched = set(fnmatch.filter(lacking[kind], pattern))
            if not matched:
                yield f"{at}: nothing needs it: every {pattern} has its {kind}"
            if not wrong:
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


def prune(root):
    """Rewrites the exceptions without the files that have what they lacked."""
    lacking = missing(root)
    lines = house.lines_of(root / EXCEPTIONS)
    for number, kind, patterns, _, _ in exceptions(root):
        kept = " ".join(p for p in patterns.split() if fnmatch.filter(lacking.get(kind, []), p))
        lines[number - 1] = lines[number - 1].replace(f"| {patterns} |", f"| {kept} |") if kept else None
    text = "".join(line + "\n" for line in lines if line is not None)
    (root / EXCEPTIONS).write_text(text, encoding="utf-8")


def list_missing(root):
    for kind, files in missing(root).items():
        for name in files:
            print(f"{kind} | {name} | |")


def main(arguments):
    options = [argument for argument in arguments if argument.startswith("--")]
    folders = [argument for argument in arguments if argument not in options]
    root = pathlib.Path(folders[0] if folders else ".").resolve()
    if options == ["--missing"]:
        list_missing(root)
    elif options == ["--prune"]:
        prune(root)
    else:
        return house.report(breaches(root))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
