"""Checks that includes and Bazel dependencies are the arrows of the house.

usage: layers.py [FOLDER]     (default: the current folder)

Prints one line per breach and exits 1, or prints nothing and exits 0. LAYERS is
the rule: what each folder uses besides itself. A file belongs to the longest
folder that matches. tests/ may use everything.
"""

import re

import house

# Folder -> the project's folders that it uses, all of which stand below it.
# `proto` stands for the generated priority/v1 and google/rpc headers.
LAYERS = {
    "client/examples/batch_frontend": ["client/swf", "client", "proto"],
    "client/examples/site_factor": ["proto"],
    "client/slurm": ["client/slurm/tables", "server/slurm", "client", "proto", "server/numbers"],
    "client/prioctl": ["client/prioctl/policy", "client/prioctl/queue", "client/prioctl/site", "client/prioctl/slurm", "client/prioctl/sreport", "client/prioctl/usage", "client/prioctl/command", "client/prioctl/text", "client", "server/slurm"],
    "client/prioctl/site": ["client/prioctl/queue", "client/prioctl/usage", "client/prioctl/command", "client/prioctl/input", "client/prioctl/text", "client/prioctl/sacctmgr", "client/slurm/tables", "client", "proto"],
    "client/prioctl/policy": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text", "client/prioctl/replay", "client/slurm/tables", "client", "server/laboratory", "server/plan", "server/slurm", "proto", "server/numbers"],
    "client/prioctl/queue": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text", "client/slurm/tables", "client", "proto"],
    "client/prioctl/usage": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text", "client/pictures", "client/slurm/tables", "client", "proto", "server/numbers"],
    "client/prioctl/slurm": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text", "client/prioctl/jobs", "client/prioctl/sacctmgr", "client/slurm/tables", "client", "server/slurm", "proto", "server/numbers"],
    "client/prioctl/sreport": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text", "client/pictures", "client/slurm/tables", "client", "proto", "server/numbers"],
    "client/prioctl/command": ["client/prioctl/text", "client/slurm/tables", "client"],
    "client/prioctl/input": ["client/prioctl/text", "server/slurm", "proto", "server/numbers"],
    "client/prioctl/text": ["client/prioctl/jobs", "client", "proto", "server/numbers"],
    "client/prioctl/replay": ["client/pictures", "client/slurm/tables", "client/swf", "client", "server/laboratory", "server/plan", "server/priority", "server/slurm", "proto", "server/numbers"],
    "client/prioctl/jobs": ["server/slurm", "client", "proto"],
    "client/prioctl/sacctmgr": ["client/slurm/tables", "server/slurm", "client", "proto", "server/numbers"],
    "client/slurm/tables": ["server/slurm", "client", "proto", "server/numbers"],
    "client/pictures": [],
    "client/swf": ["server/numbers"],
    "client": ["proto"],
    "server": ["server/gateway", "server/metrics", "server/http", "server/rpc", "server/status", "server/identity", "server/site_factor", "server/administration",
               "server/queue/replication", "server/recalculation", "server/usage", "server/configuration", "server/authorization", "server/files", "server/threads", "storage/embedded_postgres", "storage", "server/quotas"],
    "server/gateway": ["server/http", "server/rpc", "server/slurm", "server/wire", "server/errors", "proto", "server/numbers"],
    "server/metrics": ["server/http", "server/rpc", "server/status", "server/recalculation", "server/queue/replication", "server/usage",
                       "server/queue/state", "server/priority", "server/authorization", "server/measures",
                       "server/threads", "storage", "server/quotas"],
    "server/http": ["server/files", "server/threads", "server/identity", "server/quotas"],
    "server/rpc": ["server/status", "server/identity", "server/simulation", "server/site_factor", "server/administration", "server/queue/watching",
                   "server/queue/replication", "server/recalculation", "server/usage", "server/configuration",
                   "server/budgets", "server/queue/state", "server/slurm", "server/explanation", "server/plan", "server/priority",
                   "server/authorization", "server/wire", "server/errors", "server/threads", "storage", "proto", "server/numbers", "server/quotas"],
    "server/status": ["server/threads", "storage"],
    "server/identity": ["server/slurm", "server/authorization", "server/errors", "server/files", "server/quotas"],
    "server/simulation": ["server/administration", "server/recalculation", "server/usage", "server/configuration",
                          "server/slurm", "server/priority", "server/errors", "storage"],
    "server/site_factor": ["server/queue/replication", "server/queue/state", "server/priority", "server/threads"],
    "server/administration": ["server/usage", "server/configuration", "server/slurm", "server/priority",
                              "server/errors", "server/threads", "storage", "server/numbers"],
    "server/queue/watching": ["server/queue/state", "server/explanation", "server/priority", "server/threads", "server/quotas"],
    "server/queue/replication": ["server/recalculation", "server/configuration", "server/queue/state",
                                 "server/priority", "server/threads", "storage", "server/quotas"],
    "server/recalculation": ["server/usage", "server/configuration", "server/budgets", "server/priority", "server/errors",
                             "server/threads", "storage"],
    "server/usage": ["server/configuration", "server/priority", "server/errors", "server/measures", "server/threads",
                     "storage", "server/quotas"],
    "server/configuration": ["server/slurm", "server/priority", "server/authorization", "server/errors", "storage"],
    "server/budgets": ["server/queue/state", "server/priority"],
    "server/queue/state": ["server/slurm", "server/explanation", "server/priority", "server/numbers", "server/quotas"],
    "server/slurm": ["server/priority", "server/errors", "server/numbers"],
    "server/explanation": ["server/priority", "server/numbers"],
    "server/laboratory": ["server/plan", "server/priority", "server/numbers"],
    "server/plan": [],
    "server/priority": [],
    "server/authorization": ["server/errors"],
    "server/quotas": ["server/errors"],
    "server/wire": ["server/errors"],
    "server/errors": [],
    "server/measures": [],
    "server/numbers": [],
    "server/files": [],
    "server/threads": [],
    "storage/embedded_postgres": ["storage"],
    "storage": [],
    "proto": [],
}

# Libraries with a home: nothing else may include them. The engine in
# server/priority gets by with the standard library and Abseil.
HOMES = {
    r"pqxx/": ["storage", "storage/embedded_postgres"],
    r"grpcpp?/": ["server/gateway", "server/rpc", "client", "client/examples/site_factor"],
    r"google/protobuf/": ["server/gateway", "server/rpc", "server/wire", "client", "client/prioctl/queue", "client/prioctl/input", "client/prioctl/text", "client/prioctl/jobs", "client/prioctl/sacctmgr", "client/slurm", "client/slurm/tables", "client/examples/batch_frontend"],
    r"spdlog/": ["server", "server/administration", "server/configuration", "server/identity", "server/queue/replication", "server/recalculation", "server/rpc", "server/site_factor",
                 "server/usage", "storage", "storage/embedded_postgres"],
    r"prometheus/": ["server/metrics"],
    r"boost/": ["server/http"],
    r"openssl/": ["server/http", "server/identity"],
    r"nlohmann/": ["server/gateway", "client/prioctl/replay"],
    r"CLI/": ["server", "client/prioctl", "client/prioctl/policy", "client/prioctl/slurm", "client/prioctl/command", "client/slurm", "client/examples/batch_frontend", "client/examples/site_factor"],
    r"munge\.h": ["server/identity", "client"],
    r"(cjose/|jansson\.h)": ["server/identity"],
    r"libsmartcols": ["client/prioctl/text"],
}

# Folders without a clock, a thread, a lock or a file: what they compute comes
# from what they are given.
PURE = ["server/laboratory", "server/plan", "server/priority", "server/explanation", "server/slurm", "server/authorization", "server/wire"]
IMPURE = re.compile(r"(thread|mutex|condition_variable|fstream|filesystem|absl/synchronization/.*|absl/time/clock\.h)$")

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
        folder = house.parent(folder)
    return folder


def includes(root, suffixes=house.SOURCES):
    """Yields (file, line number, what is included) of the product."""
    for name in house.product_files(root, suffixes):
        for number, line in enumerate(house.lines_of(root / name), 1):
            match = INCLUDE.match(line)
            if match:
                yield name, number, match.group(2)


def labels(root, package):
    """Yields (line number, folder) of the labels in a BUILD file."""
    for number, line in enumerate(house.lines_of(root / package / "BUILD"), 1):
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
        package = package_of(root, house.parent(name))
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
                      for top in house.PRODUCT for path in (root / top).rglob("BUILD"))
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
                yield f"tools/layers.py:1: {target} does not stand below {folder}"
            elif (root / folder).is_dir() and target not in drawn.get(folder, set()):
                yield f"tools/layers.py:1: {folder} does not use {target}"


def breaches(root):
    """Yields `file:line: what is wrong`."""
    yield from include_breaches(root)
    yield from dependency_breaches(root)
    yield from table_breaches(root)


if __name__ == "__main__":
    house.main(breaches)
