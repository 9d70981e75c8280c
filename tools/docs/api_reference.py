"""The reference of the gRPC API: one page for each file of proto/priority/v1, out of its comments."""

import pathlib
import tempfile

import grpc_tools
from google.protobuf import descriptor_pb2
from grpc_tools import protoc

FIELD = descriptor_pb2.FieldDescriptorProto
# Numbers of the fields that a path of SourceCodeInfo steps through.
MESSAGE, ENUM, SERVICE = 4, 5, 6  # Of a file.
MESSAGE_FIELD, NESTED_MESSAGE, NESTED_ENUM = 2, 3, 4  # Of a message.
VALUE, METHOD = 2, 2  # Of an enum, of a service.


def compiled(proto):
    """The files of priority/v1 as descriptors, with their comments."""
    sources = sorted(str(path.relative_to(proto)) for path in proto.glob("priority/v1/*.proto"))
    with tempfile.NamedTemporaryFile() as out:
        known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
        status = protoc.main(["protoc", f"-I{proto}", f"-I{known}", "--include_source_info",
                              f"--descriptor_set_out={out.name}", *sources])
        if status != 0:
            raise ValueError(f"protoc: got exit status {status}, want 0")
        return descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out.name).read_bytes()).file


def pages(proto):
    """Name -> Markdown."""
    files = compiled(proto)
    homes = {}
    for file in files:
        for entry in [*file.message_type, *file.enum_type]:
            name_homes(entry, f".{file.package}.{entry.name}", page_name(file), homes)
    found = {page_name(file): "\n".join(page(file, homes)) for file in files}
    found["index.md"] = "\n".join(index(files))
    return found


def page_name(file):
    return pathlib.PurePosixPath(file.name).stem + ".md"


def name_homes(entry, full, home, homes):
    homes[full] = home
    for nested in [*getattr(entry, "nested_type", ()), *(entry.enum_type if hasattr(entry, "nested_type") else ())]:
        name_homes(nested, f"{full}.{nested.name}", home, homes)


def index(files):
    yield "# gRPC API"
    yield ""
    yield ("Generated from the comments of `proto/priority/v1`. [The guide](../api.md) shows how the calls work together; "
           "[JSON over HTTP](../http.md) has the same messages.")
    # Frontends first, then operators.
    for file in sorted(files, key=lambda file: not file.name.endswith("priority_service.proto")):
        comments = comments_of(file)
        for number, service in enumerate(file.service):
            yield f"\n## {service.name}\n\n{comments.get((SERVICE, number), '')}\n"
            yield "| call | what |\n|---|---|"
            for m, method in enumerate(service.method):
                what = first_sentence(comments.get((SERVICE, number, METHOD, m), ""))
                yield f"| [{method.name}]({page_name(file)}#{anchor(service.name + '.' + method.name)}) | {what} |"


def page(file, homes):
    comments = comments_of(file)
    title = pathlib.PurePosixPath(file.name).name
    yield f"# {title}\n\nPackage `{file.package}`, file `proto/{file.name}`.\n"
    for number, service in enumerate(file.service):
        yield from service_part(service, (SERVICE, number), comments, homes)
    for number, message in enumerate(file.message_type):
        yield from message_part(message, message.name, (MESSAGE, number), comments, homes)
    for number, enum in enumerate(file.enum_type):
        yield from enum_part(enum, enum.name, (ENUM, number), comments)


def service_part(service, path, comments, homes):
    yield f"## {service.name}\n\n{comments.get(path, '')}\n"
    for number, method in enumerate(service.method):
        name = f"{service.name}.{method.name}"
        yield f"### {method.name} {{ #{anchor(name)} }}\n"
        request = ("stream " if method.client_streaming else "") + linked(method.input_type, homes)
        answer = ("stream " if method.server_streaming else "") + linked(method.output_type, homes)
        yield f"{request} → {answer}\n\n{comments.get((*path, METHOD, number), '')}\n"


def message_part(message, name, path, comments, homes):
    yield f"## {name} {{ #{anchor(name)} }}\n\n{comments.get(path, '')}\n"
    entries = {f"{nested.name}": nested for nested in message.nested_type if nested.options.map_entry}
    if message.field:
        yield "| field | type | meaning |\n|---|---|---|"
    for number, field in enumerate(message.field):
        text = comments.get((*path, MESSAGE_FIELD, number), "")
        yield f"| `{field.name}` | {type_of(field, entries, homes)} | {cell(text)} |"
    yield ""
    for number, nested in enumerate(message.nested_type):
        if not nested.options.map_entry:
            yield from message_part(nested, f"{name}.{nested.name}", (*path, NESTED_MESSAGE, number), comments, homes)
    for number, enum in enumerate(message.enum_type):
        yield from enum_part(enum, f"{name}.{enum.name}", (*path, NESTED_ENUM, number), comments)


def enum_part(enum, name, path, comments):
    yield f"## {name} {{ #{anchor(name)} }}\n\n{comments.get(path, '')}\n"
    yield "| value | number | meaning |\n|---|---|---|"
    for number, value in enumerate(enum.value):
        yield f"| `{value.name}` | {value.number} | {cell(comments.get((*path, VALUE, number), ''))} |"
    yield ""


def type_of(field, entries, homes):
    entry = entries.get(field.type_name.rpartition(".")[2])
    if entry is not None:
        key, value = (type_of(part, {}, homes) for part in entry.field)
        return f"map of {key} to {value}"
    name = linked(field.type_name, homes) if field.type_name else FIELD.Type.Name(field.type)[len("TYPE_"):].lower()
    prefix = "list of " if field.label == FIELD.LABEL_REPEATED else "optional " if field.proto3_optional else ""
    return prefix + name


def linked(full, homes):
    short = full.removeprefix(".priority.v1.").removeprefix(".google.protobuf.").lstrip(".")
    return f"[{short}]({homes[full]}#{anchor(short)})" if full in homes else f"`{short}`"


def anchor(name):
    return name.lower().replace(".", "-")


def comments_of(file):
    """Path -> the comment above what is there, as Markdown: paragraphs stay, lines are joined."""
    return {tuple(place.path): markdown(place.leading_comments or place.trailing_comments)
            for place in file.source_code_info.location if place.leading_comments or place.trailing_comments}


def markdown(comment):
    paragraphs = "\n".join(line.removeprefix(" ").rstrip() for line in comment.split("\n")).strip().split("\n\n")
    return "\n\n".join(" ".join(part.split("\n")) if not part.startswith(" ") else part for part in paragraphs).replace("<", "&lt;")


def cell(text):
    return text.replace("\n\n", "<br>").replace("\n", " ").replace("|", "\\|")


def first_sentence(text):
    return cell(text.split("\n\n")[0].split(". ")[0].rstrip(".") + ".") if text else ""
