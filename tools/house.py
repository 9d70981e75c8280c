"""The folders of the house as they stand on disk, for the checks that read them."""

import pathlib

# What is built into priorityd and prioctl; tests/ mirrors it.
PRODUCT = ("proto", "storage", "server", "client")
SOURCES = (".h", ".cc")


def product_files(root, suffixes=SOURCES):
    """Paths below the product's folders, relative to root, sorted."""
    found = [path for top in PRODUCT for path in (root / top).rglob("*")
             if path.suffix in suffixes and path.is_file()]
    return sorted(path.relative_to(root).as_posix() for path in found)


def parent(name):
    """The folder of a path, as text."""
    return pathlib.PurePosixPath(name).parent.as_posix()


def folders_on_disk(root):
    """Every product folder with sources of its own, and `proto`."""
    found = {parent(name) for name in product_files(root)}
    return sorted(found | ({"proto"} if (root / "proto").is_dir() else set()))


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def report(found):
    """Prints the breaches, one a line; the exit status."""
    found = list(found)
    for line in found:
        print(line)
    return 1 if found else 0
