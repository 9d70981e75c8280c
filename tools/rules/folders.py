"""The folders are the same wherever they are named.

The folders with sources on disk, LAYERS of tools/rules/tower.py and the table of
CONTRIBUTING.md name the same folders, the last two in the same order; the table has
a line for each, and for each other top-level folder. Code is in the namespace of its folder's name.
"""

import re

from rules import tree
from rules.tower import LAYERS

# A folder whose namespace is not its own name, and why.
NAMESPACES = {
    "server": "priorityd",  # the process, which has no noun but the project's
    "server/queue/state": "priorityd::queue",  # one noun in three parts
    "server/queue/replication": "priorityd::queue",
    "server/queue/watching": "priorityd::queue",
    "client/slurm": "priorityd::slurm_frontend",  # beside the readers in engine/slurm
    "client/examples/site_factor": "priorityd::site_factor_example",  # beside the server's own site_factor
}
# One program in several folders.
NAMESPACES.update({f"client/prioctl/{folder}": "priorityd::prioctl"
                   for folder in ("site", "policy", "forecast", "grants", "queue", "usage", "slurm", "sreport", "command",
                                  "input", "text")})

# Folders whose rooms share one namespace.
HALLS = {
    "engine/priority": "priorityd::priority",
    "engine/slurm": "priorityd::slurm",
    "server/administration": "priorityd::administration",
    "server/api": "priorityd::rpc",
    "server/messages": "priorityd::rpc",
    "server/transport": "priorityd::rpc",
    "storage": "priorityd::storage",
}

ROW = re.compile(r"^\| `([^`]+)/` \| (.*) \|$")
NAMESPACE = re.compile(r"^namespace (priorityd[a-z_:0-9]*) \{")


def rows(root):
    """Folder -> (line number, description) of the table in CONTRIBUTING.md."""
    found = {}
    for number, line in enumerate(tree.lines_of(root / "CONTRIBUTING.md"), 1):
        match = ROW.match(line)
        if match:
            found[match.group(1)] = (number, match.group(2).strip())
    return found


def other_top_folders(root):
    """Top-level folders outside the product, those of tools left by a build aside."""
    return sorted(path.name for path in root.iterdir()
                  if path.is_dir() and path.name not in tree.PRODUCT and not path.name.startswith((".", "bazel-")))


def tree_breaches(root):
    """Folders on disk and in LAYERS."""
    on_disk = set(tree.folders_on_disk(root))
    for folder in sorted(on_disk - set(LAYERS)):
        yield f"{folder}: not in LAYERS of tools/rules/tower.py"
    for folder in sorted(set(LAYERS) - on_disk):
        yield f"tools/rules/tower.py:1: {folder} is in LAYERS and not on disk"


def table_breaches(root):
    """Folders on disk and in CONTRIBUTING.md."""
    table = rows(root)
    wanted = set(tree.folders_on_disk(root)) | set(other_top_folders(root))
    for folder in sorted(wanted - set(table)):
        yield f"CONTRIBUTING.md:1: no line for {folder}/"
    for folder, (number, description) in table.items():
        if not (root / folder).is_dir():
            yield f"CONTRIBUTING.md:{number}: {folder}/ is not on disk"
        if not description:
            yield f"CONTRIBUTING.md:{number}: {folder}/ has no description"
    order = [folder for folder in table if folder in LAYERS]
    if order != [folder for folder in LAYERS if folder in table]:
        yield "CONTRIBUTING.md:1: the table's order is not that of LAYERS in tools/rules/tower.py"


def namespace_of(folder):
    for hall, namespace in HALLS.items():
        if folder == hall or folder.startswith(hall + "/"):
            return namespace
    return NAMESPACES.get(folder, "priorityd::" + folder.split("/")[-1])


def namespace_breaches(root):
    for name in tree.product_files(root):
        want = namespace_of(tree.parent(name))
        for number, line in enumerate(tree.lines_of(root / name), 1):
            match = NAMESPACE.match(line)
            if match and match.group(1) != want:
                yield f"{name}:{number}: got namespace {match.group(1)}, want {want}"


def breaches(root):
    """Yields `file:line: what is wrong`."""
    yield from tree_breaches(root)
    yield from table_breaches(root)
    yield from namespace_breaches(root)

