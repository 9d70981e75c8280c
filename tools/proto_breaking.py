"""Checks that the API still serves clients of the last release.

usage: proto_breaking.py [--keep] [FOLDER]     (default: the current folder)

Compares FOLDER/proto with the descriptor set of the last release, kept in
proto/release/priority_v1.binpb: no message, field, enum, value, service or method
of it may be gone, renamed, renumbered or of another type. What is new is fine.
--keep writes that file: a part of making a release.
"""

import pathlib
import re
import subprocess
import sys

KEPT = "proto/release/priority_v1.binpb"
INCLUDE = "/usr/include"  # google/protobuf/*.proto, of Debian's libprotobuf-dev
TOKEN = re.compile(r'(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<brace>[{}])|(?P<word>[A-Za-z0-9_.+-]+)')


def descriptor_set(root):
    """The serialized FileDescriptorSet of the tree's .proto files."""
    files = sorted(path.relative_to(root / "proto").as_posix() for path in (root / "proto").rglob("*.proto"))
    return subprocess.run(
        ["protoc", "-I", str(root / "proto"), "-I", INCLUDE, "--descriptor_set_out=/dev/stdout", *files],
        stdout=subprocess.PIPE, check=True).stdout


def as_text(binary):
    return subprocess.run(
        ["protoc", "-I", INCLUDE, "--decode=google.protobuf.FileDescriptorSet", "google/protobuf/descriptor.proto"],
        input=binary, stdout=subprocess.PIPE, check=True).stdout.decode()


def parse(text):
    """A message in text format as a dictionary of lists."""
    stack = [{}]
    key = None
    for match in TOKEN.finditer(text):
        token = match.group()
        if token == "}":
            stack.pop()
        elif key is None:
            key = token
        else:
            value = {} if token == "{" else token.strip('"')
            stack[-1].setdefault(key, []).append(value)
            if token == "{":
                stack.append(value)
            key = None
    return stack[0]


def first(message, key, default=""):
    return message.get(key, [default])[0]


def add_field(facts, owner, message, field):
    oneofs = [first(o, "name") for o in message.get("oneof_decl", [])]
    index = first(field, "oneof_index", None)
    facts[f"{owner}: field {first(field, 'number')}"] = " ".join(filter(None, [
        first(field, "label"), first(field, "type"), first(field, "type_name"), first(field, "name"),
        "in oneof " + oneofs[int(index)] if index is not None else ""]))


def add_enum(facts, scope, enum):
    name = f"{scope}.{first(enum, 'name')}"
    facts[f"enum {name}"] = ""
    for value in enum.get("value", []):
        facts[f"enum {name}: value {first(value, 'number', '0')} {first(value, 'name')}"] = ""


def add_message(facts, scope, message):
    name = f"{scope}.{first(message, 'name')}"
    facts[f"message {name}"] = ""
    for field in message.get("field", []):
        add_field(facts, f"message {name}", message, field)
    for nested in message.get("nested_type", []):
        add_message(facts, name, nested)
    for enum in message.get("enum_type", []):
        add_enum(facts, name, enum)


def add_service(facts, scope, service):
    name = f"{scope}.{first(service, 'name')}"
    facts[f"service {name}"] = ""
    for method in service.get("method", []):
        stream = {side: "stream " if first(method, f"{side}_streaming") == "true" else ""
                  for side in ("client", "server")}
        facts[f"service {name}: method {first(method, 'name')}"] = (
            f"{stream['client']}{first(method, 'input_type')} -> {stream['server']}{first(method, 'output_type')}")


def facts_of(binary):
    """What a client relies on -> how it is."""
    facts = {}
    for file in parse(as_text(binary)).get("file", []):
        scope = first(file, "package")
        for message in file.get("message_type", []):
            add_message(facts, scope, message)
        for enum in file.get("enum_type", []):
            add_enum(facts, scope, enum)
        for service in file.get("service", []):
            add_service(facts, scope, service)
    return facts


def breaches(root):
    kept, now = facts_of((root / KEPT).read_bytes()), facts_of(descriptor_set(root))
    if not kept:
        yield f"{KEPT}: holds nothing"
    for thing, how in kept.items():
        if thing not in now:
            yield f"proto: {thing} {how} is gone".replace("  ", " ")
        elif now[thing] != how:
            yield f"proto: {thing}: got {now[thing]}, want {how}"


def main(arguments):
    folders = [argument for argument in arguments if argument != "--keep"]
    root = pathlib.Path(folders[0] if folders else ".").resolve()
    if "--keep" in arguments:
        (root / KEPT).parent.mkdir(exist_ok=True)
        (root / KEPT).write_bytes(descriptor_set(root))
        return 0
    found = list(breaches(root))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
