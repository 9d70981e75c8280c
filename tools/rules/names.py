"""No call can bind to a function of the same name in the file beside it.

Files of a folder are compiled as one (docs/adr/0050-files-are-compiled-together.md), so the functions of their
unnamed namespaces overload each other. Where two have as many parameters, of types that take the
same arguments, a changed signature in one file would make its calls take the other's function,
without an error. All numbers take the same arguments, and all texts.
"""

import collections
import itertools
import re

from rules import tree

KINDS = {
    "number": re.compile(r"bool|char|float|double|(unsigned )?(int|short|long)( long| double)?|(std::)?(u?int\d+_t|s?size_t)"),
    "text": re.compile(r"std::string|(absl|std)::string_view|char \*"),
}
NESTED = re.compile(r"[<(][^<>()]*[>)]")


def types(signature):
    """`(const std::string & name,int count = 1)` -> ("std::string", "int")."""
    text = signature.strip()[1:-1]
    while NESTED.search(text):
        text = NESTED.sub("", text)
    return tuple(type_of(parameter) for parameter in text.split(",") if parameter.strip())


def type_of(parameter):
    words = re.sub(r"\bconst\b|&|=.*", " ", parameter).split()
    return " ".join(words[:-1] if len(words) > 1 and re.fullmatch(r"\w+", words[-1]) else words)


def kind_of(name):
    return next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(name)), name)


def is_together(root, name):
    """Whether the folder's files are compiled together."""
    build = root / tree.parent(name) / "BUILD"
    return build.is_file() and "together.bzl" in build.read_text(encoding="utf-8")


def breaches(root):
    """Yields `file:line: what is wrong`."""
    alike = collections.defaultdict(list)
    for function in tree.functions(root, [name for name in tree.files(root, (".cc",)) if is_together(root, name)]):
        if "__anon" in function.get("namespace", ""):
            function["types"] = types(function.get("signature", "()"))
            kinds = tuple(map(kind_of, function["types"]))
            alike[tree.parent(function["path"]), function["name"], kinds].append(function)
    for functions in alike.values():
        for one, other in itertools.combinations(functions, 2):
            if one["path"] != other["path"] and one["types"] != other["types"]:
                yield (f"{one['path']}:{one['line']}: a call of {one['name']}{one['signature']} may bind to "
                       f"{one['name']}{other['signature']} of {other['path']}")
