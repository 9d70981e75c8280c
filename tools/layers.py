"""Checks that includes and Bazel dependencies follow the arrows of the house.

usage: layers.py [FOLDER]     (default: the current folder)

Prints one line per breach and exits 1, or prints nothing and exits 0. LAYERS
is the rule: what each folder may use besides itself. A file belongs to the
longest folder that matches. tests/ may use everything.
"""

import pathlib
import re
import sys

# Folder -> the project's folders that it may use. `proto` stands for the
# generated priority/v1 and google/rpc headers.
LAYERS = {
    "proto": [],
    "server/priority": [],
    "server/slurm": ["server/priority"],
    "server/queue": ["server/priority"],
    "server/tracking": ["server/priority", "server/queue", "server/recalculation", "storage"],
    "server/watching": ["server/priority", "server/queue"],
    "server/site_factor": ["server/priority", "server/queue", "server/tracking"],
    "server/errors": [],
    "storage": [],
    "server/recalculation": ["server/errors", "server/priority", "server/slurm", "storage"],
    "server/ingest": ["server/errors", "server/priority", "server/slurm",
                      "server/recalculation", "storage"],
    "server/rebuild": ["server/errors", "server/priority", "server/slurm",
                       "server/recalculation", "server/ingest", "storage"],
    "server/reports": ["server/errors", "server/priority", "storage"],
    "server/retention": ["server/priority", "server/slurm", "server/recalculation", "storage"],
    "server/import": ["server/errors", "server/priority", "server/slurm",
                      "server/recalculation", "server/rebuild", "storage"],
    "server/simulation": ["server/errors", "server/priority", "server/slurm",
                          "server/recalculation", "server/ingest", "server/rebuild",
                          "server/import", "storage"],
    "server/rpc": ["proto", "server/errors", "server/priority", "server/slurm",
                   "server/recalculation", "server/ingest", "server/rebuild", "server/reports", "server/import",
                   "server/queue", "server/simulation", "server/tracking", "server/watching",
                   "server/site_factor", "storage"],
    "server": ["server/priority", "server/slurm", "server/recalculation", "server/ingest",
               "server/retention", "server/import", "server/rpc", "server/tracking", "server/site_factor",
               "storage"],
    "client": ["proto", "server/slurm"],
}

# Libraries with a home: nothing else may include them. The engine in
# server/priority gets by with the standard library and Abseil.
HOMES = {
    r"pqxx/": ["storage"],
    r"grpcpp?/": ["server/rpc", "server", "client"],
    r"google/protobuf/": ["server/rpc", "client"],
    r"spdlog/": ["server", "server/tracking", "server/site_factor", "server/recalculation", "server/ingest", "server/retention",
                 "server/import", "server/rpc", "storage"],
    r"CLI/": ["server", "client"],
    r"libsmartcols": ["client"],
}

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


def breaches(root):
    """Yields `file:line: what is wrong`."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        layer = folder_of(name)
        if layer is None or not path.is_file():
            continue
        is_build = path.name == "BUILD"
        if not is_build and path.suffix not in (".h", ".cc"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if is_build:
                if "visibility" in line:
                    continue
                for label in LABEL.findall(line):
                    target = folder_of(label)
                    if target and target != layer and target not in LAYERS[layer]:
                        if not label.startswith("tests"):
                            yield f"{name}:{number}: {layer} may not depend on {target}"
                continue
            match = INCLUDE.match(line)
            if not match:
                continue
            include = match.group(2)
            target = target_of(include)
            if target and target != layer and target not in LAYERS[layer]:
                yield f"{name}:{number}: {layer} may not include {target} ({include})"
            for library, homes in HOMES.items():
                if re.match(library, include) and layer not in homes:
                    yield f"{name}:{number}: {layer} may not include {include}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(breaches(root))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
