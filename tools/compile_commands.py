"""Writes compile_commands.json from `bazel aquery --output=jsonproto`.

usage: bazel aquery ... | compile_commands.py EXECUTION_ROOT
"""

import json
import os
import sys

commands = []
for action in json.load(sys.stdin)["actions"]:
    arguments = action["arguments"]
    source = next((a for a in arguments if a.endswith(".cc")), None)
    if source is None or source.startswith(("bazel-out", "external")):
        continue
    commands.append({
        "directory": sys.argv[1],
        "file": os.path.join(os.getcwd(), source),
        # clang does not know this flag of g++.
        "arguments": ["g++"] + [a for a in arguments[1:] if a != "-fno-canonical-system-headers"],
    })
with open("compile_commands.json", "w", encoding="utf-8") as out:
    json.dump(commands, out, indent=1)
