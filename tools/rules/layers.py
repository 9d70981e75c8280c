"""Includes and Bazel dependencies are the arrows of LAYERS.

LAYERS has what each folder uses besides itself. A file belongs to the longest
folder that matches. tests/ may use everything.
"""

import re

from rules import tree

# Folder -> the project's folders that it uses, all of which are below it.
# `proto` means the generated priority/v1 and google/rpc headers.
LAYERS = {
    "client/examples/batch_frontend": ["client/swf", "client", "proto"],
    "client/examples/site_factor": ["proto"],
    "client/slurm": ["client/slurm/tables", "client", "engine/slurm/dump", "engine/slurm/tables",
                     "engine/slurm/words", "engine/numbers", "proto"],
    "client/prioctl": ["client/prioctl/site", "client/prioctl/policy", "client/prioctl/forecast",
                       "client/prioctl/grants", "client/prioctl/queue", "client/prioctl/usage",
                       "client/prioctl/slurm", "client/prioctl/sreport", "client/prioctl/command",
                       "client/prioctl/text", "client", "engine/slurm/words"],
    "client/prioctl/site": ["client/prioctl/grants", "client/prioctl/queue", "client/prioctl/usage", "client/prioctl/command",
                            "client/prioctl/input", "client/prioctl/text", "client/prioctl/jobs",
                            "client/prioctl/sacctmgr", "client/slurm/tables", "client", "engine/numbers",
                            "proto"],
    "client/prioctl/policy": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text",
                              "client/prioctl/replay", "client/prioctl/sacctmgr", "client/slurm/tables", "client",
                              "engine/laboratory", "engine/plan", "engine/grants", "engine/slurm/words", "engine/numbers",
                              "proto"],
    "client/prioctl/forecast": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text",
                                "client/prioctl/replay", "client/swf", "client", "engine/forecast",
                                "engine/laboratory", "proto", "engine/slurm/words"],
    "client/prioctl/grants": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text",
                              "client/prioctl/jobs", "client/prioctl/sacctmgr", "client/slurm/tables", "client", "engine/grants",
                              "engine/priority/site", "proto"],
    "client/prioctl/queue": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text",
                             "client/prioctl/script", "client/prioctl/jobs", "client/slurm/tables", "client",
                             "proto"],
    "client/prioctl/usage": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text",
                             "client/slurm/tables", "client/pictures", "client", "engine/grants", "engine/priority/site", "engine/numbers", "proto"],
    "client/prioctl/slurm": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text",
                             "client/prioctl/nodes", "client/prioctl/jobs", "client/prioctl/sacctmgr",
                             "client/slurm/tables", "client", "engine/slurm/conf", "engine/slurm/words",
                             "engine/numbers", "proto"],
    "client/prioctl/sreport": ["client/prioctl/command", "client/prioctl/input", "client/prioctl/text",
                               "client/slurm/tables", "client/pictures", "client", "engine/numbers", "proto"],
    "client/prioctl/command": ["client/prioctl/text", "client/slurm/tables", "client"],
    "client/prioctl/input": ["client/prioctl/text", "engine/slurm/conf", "engine/slurm/words", "engine/json",
                             "engine/numbers", "proto"],
    "client/prioctl/text": ["client/prioctl/jobs", "client", "engine/numbers", "proto"],
    "client/prioctl/replay": ["client/slurm/tables", "client/pictures", "client/swf", "client",
                              "engine/forecast", "engine/laboratory", "engine/grants", "engine/plan", "engine/slurm/dump", "engine/slurm/conf",
                              "engine/slurm/words", "engine/priority/fair_share", "engine/priority/site", "engine/scheduling",
                              "engine/numbers", "proto"],
    "client/prioctl/script": ["client/slurm/tables", "client", "engine/slurm/words", "proto"],
    "client/prioctl/nodes": ["client/prioctl/jobs", "engine/slurm/conf", "engine/slurm/words", "engine/numbers", "proto"],
    "client/prioctl/jobs": ["client", "engine/slurm/words", "engine/numbers", "proto"],
    "client/prioctl/sacctmgr": ["client/slurm/tables", "client", "engine/slurm/words", "engine/numbers", "proto"],
    "client/slurm/tables": ["client", "engine/slurm/words", "engine/numbers", "proto"],
    "client/pictures": [],
    "client/swf": ["engine/numbers"],
    "client": ["proto"],
    "server": ["server/flags", "server/logging", "server/gateway", "server/metrics", "server/forecasts",
               "server/sign_in", "server/http", "server/api", "server/api/status", "server/api/site_factor",
               "server/transport", "server/status", "server/identity", "server/site_factor",
               "server/administration", "server/backups", "server/queue/replication",
               "server/recalculation", "server/usage", "server/configuration", "server/quotas",
               "server/files", "server/threads", "storage/embedded_postgres", "storage"],
    "server/flags": ["server/logging", "server/quotas", "server/site_factor"],
    "server/logging": ["server/transport", "server/recalculation", "server/authorization", "server/threads"],
    "server/gateway": ["server/sign_in", "server/http", "server/transport", "server/identity",
                       "server/authorization", "server/wire", "engine/slurm/dump", "engine/slurm/words",
                       "engine/errors", "engine/json", "engine/numbers", "proto"],
    "server/metrics": ["server/http", "server/api", "server/forecasts", "server/transport", "server/status", "server/identity",
                       "server/queue/replication", "server/recalculation", "server/usage", "server/grants", "server/budgets",
                       "server/queue/state", "server/authorization", "server/quotas", "server/measures", "server/threads", "engine/grants",
                       "engine/priority/snapshot", "engine/priority/limits", "engine/priority/fair_share",
                       "engine/priority/site", "storage"],
    "server/sign_in": ["server/http", "server/identity", "engine/errors"],
    "server/http": ["server/identity", "server/quotas", "server/files", "server/threads"],
    "server/api": ["server/api/administration", "server/api/status", "server/api/caller",
                   "server/api/simulation", "server/api/shares", "server/api/budgets", "server/api/domains", "server/api/grants", "server/api/aliases", "server/api/plans",
                   "server/api/forecasts", "server/forecasts",
                   "server/api/policy", "server/api/explanation", "server/api/ranking",
                   "server/api/site_factor", "server/api/queue", "server/api/usage", "server/api/shared",
                   "server/transport", "server/messages", "server/site_factor", "server/administration",
                   "server/backups", "server/queue/replication", "server/recalculation", "server/usage", "server/configuration",
                   "server/queue/state", "server/authorization", "server/quotas", "server/threads",
                   "engine/scheduling", "engine/priority/snapshot", "engine/priority/site", "storage", "proto"],
    "server/api/administration": ["server/api/policy", "server/api/shared", "server/transport",
                                  "server/messages", "server/administration", "server/backups", "server/recalculation",
                                  "server/configuration",
                                  "server/authorization", "engine/priority/jobs", "engine/priority/snapshot",
                                  "engine/priority/site", "engine/errors", "storage", "proto"],
    "server/api/status": ["server/transport", "server/messages", "server/status", "server/queue/replication",
                          "server/recalculation", "server/usage", "server/queue/state", "server/threads", "storage",
                          "proto"],
    "server/api/caller": ["server/transport", "server/messages", "server/recalculation", "server/authorization",
                          "engine/priority/fair_share", "proto"],
    "server/api/simulation": ["server/api/forecasts", "server/forecasts", "server/api/policy", "server/api/grants", "server/api/shared", "server/transport", "server/messages",
                              "server/simulation", "server/grants", "server/queue/state", "server/authorization",
                              "engine/scheduling", "engine/explanation", "engine/slurm/conf", "engine/slurm/words",
                              "engine/priority/limits", "engine/priority/fair_share", "engine/priority/site",
                              "engine/priority/ranking", "engine/priority/snapshot", "engine/errors", "storage",
                              "proto"],
    "server/api/shares": ["server/api/budgets", "server/api/shared", "server/transport", "server/messages",
                          "server/recalculation", "server/configuration", "server/budgets",
                          "server/authorization", "engine/explanation", "engine/priority/snapshot",
                          "engine/priority/fair_share", "engine/priority/site", "storage", "proto"],
    "server/api/domains": ["server/api/shared", "server/transport", "server/messages", "server/status",
                           "server/administration", "server/recalculation", "engine/priority/site", "engine/errors", "storage", "proto"],
    "server/api/grants": ["server/api/shared", "server/messages", "server/administration", "server/grants",
                          "server/budgets", "server/queue/state", "server/authorization", "engine/grants",
                          "engine/priority/snapshot", "engine/priority/limits", "engine/priority/fair_share",
                          "engine/priority/site", "engine/numbers", "engine/errors", "storage", "proto"],
    "server/api/aliases": ["server/api/shared", "server/messages", "server/administration",
                           "engine/errors", "storage", "proto"],
    "server/api/budgets": ["server/api/explanation", "server/api/shared", "server/transport", "server/messages",
                           "server/usage", "server/grants", "server/configuration", "server/budgets", "server/queue/state",
                           "server/authorization", "engine/explanation", "engine/grants", "engine/priority/jobs", "engine/priority/snapshot",
                           "engine/priority/limits", "engine/priority/site", "engine/errors", "storage", "proto"],
    "server/api/plans": ["server/api/policy", "server/api/shared", "server/transport", "server/messages",
                         "server/queue/state", "server/threads", "engine/scheduling", "engine/plan",
                         "engine/slurm/conf", "engine/slurm/words", "engine/priority/ranking",
                         "engine/priority/snapshot", "engine/priority/site", "engine/errors", "storage",
                         "proto"],
    "server/api/policy": ["server/api/site_factor", "server/api/shared", "server/transport", "server/messages",
                          "server/simulation", "server/site_factor", "server/administration",
                          "server/recalculation", "server/configuration", "engine/explanation",
                          "engine/slurm/conf", "engine/slurm/words", "engine/priority/snapshot",
                          "engine/priority/site", "engine/errors", "storage", "proto"],
    "server/api/explanation": ["server/api/site_factor", "server/api/shared", "server/transport",
                               "server/messages", "server/site_factor", "server/queue/replication",
                               "server/queue/state", "server/authorization", "engine/explanation", "engine/priority/jobs",
                               "engine/priority/snapshot", "engine/priority/site", "engine/errors", "proto"],
    "server/api/ranking": ["server/api/forecasts", "server/api/shared", "server/transport", "server/messages",
                           "server/forecasts", "server/queue/watching",
                           "server/queue/replication", "server/recalculation", "server/queue/state",
                           "server/quotas", "server/threads", "engine/priority/ranking",
                           "engine/priority/snapshot", "engine/errors", "proto"],
    "server/api/site_factor": ["server/api/queue", "server/transport", "server/messages", "server/site_factor",
                               "server/queue/state", "server/files", "engine/slurm/conf", "engine/slurm/words",
                               "storage", "proto"],
    "server/api/queue": ["server/api/shared", "server/transport", "server/messages", "server/administration",
                         "server/queue/replication",
                         "server/usage", "server/budgets", "server/configuration", "server/queue/state",
                         "server/authorization", "engine/priority/jobs",
                         "engine/priority/snapshot", "engine/priority/fair_share", "engine/errors", "storage", "proto"],
    "server/api/usage": ["server/api/shared", "server/transport", "server/messages", "server/recalculation",
                         "server/usage", "server/configuration", "server/authorization", "server/wire",
                         "engine/priority/site", "engine/errors", "storage", "proto"],
    "server/api/forecasts": ["server/api/shared", "server/transport", "server/messages", "server/forecasts",
                             "server/queue/watching", "server/queue/state", "server/threads",
                             "engine/scheduling", "engine/explanation",
                             "engine/forecast", "engine/priority/jobs", "engine/priority/snapshot",
                             "engine/errors", "proto"],
    "server/api/shared": ["server/transport", "server/messages", "server/administration",
                          "server/recalculation", "server/usage", "server/configuration", "server/queue/state",
                          "server/authorization", "engine/explanation", "engine/grants", "engine/slurm/words", "engine/priority/ranking",
                          "engine/priority/jobs", "engine/priority/snapshot", "engine/priority/fair_share",
                          "engine/priority/site", "engine/errors", "engine/numbers", "storage", "proto"],
    "server/transport": ["server/messages", "server/identity", "server/recalculation", "server/configuration",
                         "server/queue/state", "server/authorization", "server/quotas", "server/wire",
                         "server/files", "server/threads", "engine/priority/jobs", "engine/priority/snapshot",
                         "engine/priority/fair_share", "engine/priority/site", "engine/errors", "storage",
                         "proto"],
    "server/messages": ["engine/errors", "proto"],
    "server/status": ["server/threads", "engine/priority/snapshot", "engine/priority/site", "storage"],
    "server/identity": ["server/authorization", "server/quotas", "server/files", "engine/slurm/conf",
                        "engine/slurm/words", "engine/errors"],
    "server/simulation": ["server/administration", "server/recalculation", "server/domains", "server/usage",
                          "server/grants", "server/configuration", "engine/slurm/conf", "engine/slurm/words",
                          "engine/priority/ranking", "engine/priority/jobs", "engine/priority/snapshot",
                          "engine/priority/site", "engine/errors", "storage"],
    "server/forecasts": ["server/configuration", "server/queue/replication", "server/queue/state",
                         "server/threads", "engine/scheduling", "engine/forecast", "engine/plan",
                         "engine/priority/ranking", "engine/priority/jobs", "engine/priority/snapshot",
                         "storage"],
    "server/site_factor": ["server/queue/replication", "server/queue/state", "server/threads",
                           "engine/priority/snapshot"],
    "server/backups": ["server/usage", "server/files", "engine/errors", "storage/embedded_postgres", "storage"],
    "server/queue/watching": ["server/queue/state", "server/quotas", "server/threads", "engine/explanation",
                              "engine/priority/ranking", "engine/priority/jobs", "engine/priority/snapshot",
                              "engine/priority/limits"],
    "server/queue/replication": ["server/recalculation", "server/usage", "server/configuration",
                                 "server/queue/state", "server/quotas", "server/threads",
                                 "engine/priority/jobs", "engine/priority/snapshot", "storage"],
    "server/recalculation": ["server/administration", "server/domains", "server/usage", "server/grants", "server/configuration", "server/budgets",
                             "server/threads", "engine/priority/jobs", "engine/priority/snapshot", "engine/priority/limits",
                             "engine/priority/fair_share", "engine/priority/site", "engine/errors", "storage"],
    "server/domains": ["server/usage", "server/configuration", "engine/priority/snapshot", "engine/priority/fair_share",
                       "engine/errors", "storage"],
    "server/administration": ["server/usage", "server/grants", "server/configuration", "server/threads", "engine/slurm/dump",
                              "engine/slurm/conf", "engine/slurm/tables", "engine/slurm/words",
                              "engine/priority/fair_share", "engine/priority/site", "engine/errors",
                              "engine/numbers", "engine/grants", "storage"],
    "server/usage": ["server/configuration", "server/quotas", "server/measures", "server/threads",
                     "engine/priority/jobs", "engine/priority/snapshot", "engine/priority/fair_share",
                     "engine/priority/site", "engine/errors", "storage"],
    "server/grants": ["server/budgets", "engine/grants", "engine/slurm/dump", "engine/slurm/words",
                      "engine/priority/fair_share", "engine/priority/site", "storage"],
    "server/configuration": ["server/authorization", "engine/slurm/dump", "engine/slurm/conf",
                             "engine/slurm/words", "engine/priority/snapshot", "engine/priority/fair_share",
                             "engine/priority/site", "engine/errors", "storage"],
    "server/budgets": ["server/queue/state", "engine/grants", "engine/priority/jobs", "engine/priority/snapshot",
                       "engine/priority/limits", "engine/priority/fair_share", "engine/priority/site",
                       "engine/numbers"],
    "server/queue/state": ["server/quotas", "engine/explanation", "engine/slurm/conf", "engine/slurm/words",
                           "engine/priority/ranking", "engine/priority/jobs", "engine/priority/snapshot",
                           "engine/priority/limits", "engine/priority/site", "engine/numbers"],
    "server/authorization": ["engine/errors"],
    "server/quotas": ["engine/errors"],
    "server/wire": ["engine/errors"],
    "server/measures": [],
    "server/files": [],
    "server/threads": [],
    "engine/scheduling": ["engine/explanation", "engine/plan", "engine/priority/ranking",
                          "engine/priority/jobs", "engine/priority/snapshot", "engine/priority/limits",
                          "engine/priority/site", "engine/numbers",
                          "engine/slurm/words"],
    "engine/explanation": ["engine/priority/ranking", "engine/priority/jobs", "engine/priority/snapshot",
                           "engine/priority/limits", "engine/priority/fair_share", "engine/priority/site",
                           "engine/numbers"],
    "engine/laboratory": ["engine/plan", "engine/grants", "engine/priority/ranking", "engine/priority/jobs",
                          "engine/priority/snapshot", "engine/priority/limits", "engine/priority/fair_share",
                          "engine/priority/site"],
    "engine/forecast": ["engine/numbers"],
    "engine/plan": ["engine/numbers"],
    "engine/grants": ["engine/slurm/dump", "engine/slurm/words", "engine/priority/site", "engine/errors", "engine/numbers"],
    "engine/slurm/dump": ["engine/slurm/conf", "engine/slurm/tables", "engine/slurm/words",
                          "engine/priority/fair_share", "engine/priority/site", "engine/numbers"],
    "engine/slurm/conf": ["engine/slurm/words", "engine/priority/site", "engine/errors"],
    "engine/slurm/tables": ["engine/slurm/words"],
    "engine/slurm/words": ["engine/priority/site", "engine/errors"],
    "engine/priority/ranking": ["engine/priority/jobs", "engine/priority/snapshot", "engine/priority/limits",
                                "engine/priority/site"],
    "engine/priority/jobs": ["engine/priority/snapshot", "engine/priority/limits", "engine/priority/fair_share",
                             "engine/priority/site"],
    "engine/priority/snapshot": ["engine/priority/limits", "engine/priority/fair_share", "engine/priority/site"],
    "engine/priority/limits": ["engine/priority/fair_share", "engine/priority/site"],
    "engine/priority/fair_share": ["engine/priority/site"],
    "engine/priority/site": [],
    "engine/errors": [],
    "engine/json": [],
    "engine/numbers": [],
    "storage/embedded_postgres": ["storage"],
    "storage": [],
    "proto": [],
}

# Libraries with a home: nothing else may include them. engine/ gets by with the standard
# library and Abseil, apart from engine/json.
HOMES = {
    r"pqxx/": ["storage/embedded_postgres", "storage"],
    r"grpcpp?/": ["client/examples/site_factor", "client", "server/gateway", "server/api/ranking",
                  "server/api/site_factor", "server/api/usage", "server/transport"],
    r"google/protobuf/": ["client/examples/batch_frontend", "client/slurm", "client/prioctl/forecast",
                         "client/prioctl/queue",
                          "client/prioctl/input", "client/prioctl/text", "client/prioctl/jobs",
                          "client/prioctl/sacctmgr", "client/slurm/tables", "client", "server/gateway",
                          "server/api/administration", "server/api/simulation", "server/api/budgets",
                          "server/api/plans", "server/api/ranking", "server/api/queue", "server/api/usage",
                          "server/api/shared", "server/transport", "server/messages", "server/wire", "engine/json"],
    r"spdlog/": ["server", "server/logging", "server/api", "server/api/shared", "server/transport", "server/identity",
                 "server/sign_in", "server/http", "server/forecasts", "server/site_factor", "server/administration",
                 "server/backups",
                 "server/queue/replication", "server/recalculation", "server/usage", "server/configuration",
                 "server/threads", "storage/embedded_postgres",
                 "storage"],
    r"prometheus/": ["server/metrics"],
    r"boost/": ["server/http"],
    r"openssl/": ["server/sign_in", "server/http", "server/identity", "server/backups"],
    r"curl/": ["server/sign_in"],
    r"nlohmann/": ["client/prioctl/replay", "server/gateway", "server/sign_in", "engine/json"],
    r"CLI/": ["client/examples/batch_frontend", "client/examples/site_factor", "client/slurm",
              "client/prioctl", "client/prioctl/policy", "client/prioctl/slurm", "client/prioctl/command",
              "server/flags"],
    r"munge\.h": ["client", "server/identity"],
    r"(cjose/|jansson\.h)": ["server/identity"],
    r"utf8proc": ["engine/slurm/words", "client/pictures"],
    r"libsmartcols": ["client/prioctl/text"],
}

# Folders without a clock, a thread, a lock or a file: what they compute comes
# from what they are given.
PURE = [folder for folder in LAYERS if folder.startswith("engine/")] + ["server/authorization", "server/wire"]
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
                yield f"tools/rules/layers.py:1: {target} does not stand below {folder}"
            elif (root / folder).is_dir() and target not in drawn.get(folder, set()):
                yield f"tools/rules/layers.py:1: {folder} does not use {target}"


def breaches(root):
    """Yields `file:line: what is wrong`."""
    yield from include_breaches(root)
    yield from dependency_breaches(root)
    yield from table_breaches(root)

