"""Includes and Bazel dependencies are the arrows of LAYERS in tools/rules/tower.py.

A file belongs to the longest folder that matches. tests/ may use everything.
"""

import re

from rules import tree
from rules.tower import HOMES, IMPURE, LAYERS, PURE

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
# __pkg__ and __subpackages__ say who may see a target, not what it uses.
LABEL = re.compile(r'"//([a-z_/0-9]*)(?::(?!__)[^"]*)?"')


def folder_of(path):
    """The longest folder in LAYERS that holds the path, or None."""
    holders = [f for f in LAYERS if path == f or path.startswith(f + "/")]
    return max(holders, key=len) if holders else None


def target_of(include):
    """The folder of ours that an include names, or None."""
    if include.startswith(("priority/v1/", "google/rpc/")):
        return "proto"
    return folder_of(include)


def package_of(root, folder):
    """The folder whose BUILD file builds a folder."""
    while folder != "." and not (root / folder / "BUILD").is_file():
        folder = tree.parent(folder)
    return folder


def includes(root, suffixes=tree.SOURCES):
    """Yields (file, line number, what is included) of the product."""
    for name in tree.product_files(root, suffixes):
        for number, line in enumerate(tree.lines_of(root / name), 1):
            match = INCLUDE.match(line)
            if match:
                yield name, number, match.group(2)


def labels(root, package):
    """Yields (line number, folder) of the labels in a BUILD file."""
    for number, line in enumerate(tree.lines_of(root / package / "BUILD"), 1):
        for label in LABEL.findall(line):
            if folder_of(label):
                yield number, folder_of(label)


def include_breaches(root):
    for name, number, include in includes(root):
        layer, target = folder_of(name), target_of(include)
        if target and target != layer and target not in LAYERS.get(layer, []):
            yield f"{name}:{number}: {layer} may not include {target} ({include})"
        for library, homes in HOMES.items():
            if re.match(library, include) and layer not in homes:
                yield f"{name}:{number}: {layer} may not include {include}"
        if layer in PURE and IMPURE.match(include):
            yield f"{name}:{number}: {layer} is pure, it may not include {include}"


def arrows(root):
    """Package -> the folders whose headers its files include."""
    found = {}
    for name, _, include in includes(root):
        package = package_of(root, tree.parent(name))
        target = target_of(include)
        if target and package_of(root, target) != package:
            found.setdefault(package, set()).add(target)
    return found


def allowed_to(root, package):
    """What the folders that a BUILD file builds may use."""
    return {target for folder in LAYERS if package_of(root, folder) == package for target in LAYERS[folder]}


def dependency_breaches(root):
    """What a BUILD file depends on is what the files beside it include."""
    drawn = arrows(root)
    packages = sorted(path.parent.relative_to(root).as_posix()
                      for top in tree.PRODUCT for path in (root / top).rglob("BUILD"))
    for package in packages:
        targets = {}
        for number, target in labels(root, package):
            if target != folder_of(package):
                targets.setdefault(target, number)
        for target, number in targets.items():
            if target not in allowed_to(root, package):
                yield f"{package}/BUILD:{number}: {package} may not depend on {target}"
            elif target not in drawn.get(package, set()):
                yield f"{package}/BUILD:{number}: no file of {package} includes {target}"
        for target in sorted(drawn.get(package, set()) - set(targets)):
            yield f"{package}/BUILD:1: {package} includes {target} and does not depend on it"


def table_breaches(root):
    """Every arrow of LAYERS is there, and points down: no cycle."""
    order = list(LAYERS)
    drawn = {}
    for name, _, include in includes(root):
        drawn.setdefault(folder_of(name), set()).add(target_of(include))
    for folder, targets in LAYERS.items():
        for target in targets:
            if target not in LAYERS or order.index(target) <= order.index(folder):
                yield f"tools/rules/tower.py:1: {target} does not stand below {folder}"
            elif (root / folder).is_dir() and target not in drawn.get(folder, set()):
                yield f"tools/rules/tower.py:1: {folder} does not use {target}"


def breaches(root):
    """Yields `file:line: what is wrong`."""
    yield from include_breaches(root)
    yield from dependency_breaches(root)
    yield from table_breaches(root)

