"""Checks that the API still serves clients of the last release.

usage: proto_breaking.py [--keep] [FOLDER]     (default: the current folder)

Compares FOLDER/proto with the descriptor set of the last release, kept in
proto/release/priority_v1.binpb: no message, field, enum, value, service or method
of it may be gone, renamed, renumbered or of another type. What is new is fine.
--keep writes that file: a part of making a release.
"""

import pathlib
import subprocess
import sys

from google.protobuf import descriptor_pb2

KEPT = "proto/release/priority_v1.binpb"
INCLUDE = "/usr/include"  # google/protobuf/*.proto, of Debian's libprotobuf-dev


def descriptor_set(root):
    """The serialized FileDescriptorSet of the tree's .proto files."""
    files = sorted(path.relative_to(root / "proto").as_posix() for path in (root / "proto").rglob("*.proto"))
    return subprocess.run(
        ["protoc", "-I", str(root / "proto"), "-I", INCLUDE, "--descriptor_set_out=/dev/stdout", *files],
        stdout=subprocess.PIPE, check=True).stdout


def field_facts(message, name):
    for field in message.field:
        label, kind = field.Label.Name(field.label), field.Type.Name(field.type)
        oneof = ["in oneof", message.oneof_decl[field.oneof_index].name] if field.HasField("oneof_index") else []
        yield f"{name}: field {field.number}", " ".join(filter(None, [label, kind, field.type_name, field.name, *oneof]))


def type_facts(scope, messages, enums):
    for enum in enums:
        yield f"enum {scope}.{enum.name}", ""
        yield from ((f"enum {scope}.{enum.name}: value {value.number} {value.name}", "") for value in enum.value)
    for message in messages:
        name = f"{scope}.{message.name}"
        yield f"message {name}", ""
        yield from field_facts(message, f"message {name}")
        yield from type_facts(name, message.nested_type, message.enum_type)


def service_facts(scope, services):
    for service in services:
        yield f"service {scope}.{service.name}", ""
        for method in service.method:
            sent, answered = ("stream " * on for on in (method.client_streaming, method.server_streaming))
            yield (f"service {scope}.{service.name}: method {method.name}",
                   f"{sent}{method.input_type} -> {answered}{method.output_type}")


def facts_of(binary):
    """Everything that a client relies on, and its form."""
    facts = {}
    for file in descriptor_pb2.FileDescriptorSet.FromString(binary).file:
        facts.update(type_facts(file.package, file.message_type, file.enum_type))
        facts.update(service_facts(file.package, file.service))
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
