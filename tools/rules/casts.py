"""No double is cast to an integer of 64 bits by itself.

Such a cast is undefined beyond 64 bits: a usage of 3e19 was printed as 0.
engine/numbers/whole_number.h has functions that print and convert any double. A double is
known by its name: a field of type double in a .proto file, a variable or a member declared
`double` in the same file or its header, or a function of <cmath>.
"""

import pathlib
import re

from rules import loops, tree

HOME = "engine/numbers/whole_number.h"
CAST = re.compile(r"\bstatic_cast<(?:std::)?(?:u?int64_t|u?intmax_t|(?:unsigned )?long(?: long)?)>\(")
ROUNDED = re.compile(r"\b(?:std::)?(?:ll?round|ll?rint)\(")
MATHEMATICS = re.compile(r"\bstd::(?:round|floor|ceil|trunc|nearbyint|rint|fmin|fmax|fabs|log2?|exp2?|pow)\(")
FIELD = re.compile(r"\bdouble (\w+) = \d+")
MAP_FIELD = re.compile(r"\bmap<\w+, double> (\w+) = \d+")
DECLARED = re.compile(r"\b(?:double|std::optional<double>)&? (\w+)\b(?!\()")


def fields_of_messages(root):
    """Names of the accessors of proto fields that are doubles."""
    found = set()
    for path in (root / "proto").rglob("*.proto"):
        text = path.read_text(encoding="utf-8")
        found |= set(FIELD.findall(text)) | set(MAP_FIELD.findall(text))
    return found


def declared_in(root, name):
    header = pathlib.Path(name).with_suffix(".h")
    texts = [(root / path).read_text(encoding="utf-8")
             for path in {pathlib.Path(name), header} if (root / path).is_file()]
    return {found for text in texts for found in DECLARED.findall(text)}


def is_double(argument, accessors, declared):
    # What a name selects of is not what is cast.
    words = re.findall(r"\b(\w+)\b(\(\))?(?!\s*(?:\.|->|\())", argument)
    named = any((called and word in accessors) or (not called and word in declared) for word, called in words)
    return bool(named or MATHEMATICS.search(argument))


def breaches(root):
    accessors = fields_of_messages(root)
    for name in tree.product_files(root):
        if name == HOME:
            continue
        text = (root / name).read_text(encoding="utf-8")
        declared = declared_in(root, name)
        for cast in CAST.finditer(text):
            argument = text[cast.end() : loops.closing(text, cast.end() - 1)]
            if is_double(argument, accessors, declared):
                yield breach(name, text, cast.start())
        for call in ROUNDED.finditer(text):
            yield breach(name, text, call.start())


def breach(name, text, at):
    line = text.count("\n", 0, at) + 1
    return f"{name}:{line}: got a cast of a double to 64 bits, want a function of {HOME}"

