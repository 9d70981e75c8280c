"""No range-for reads through an accessor of a function's result.

`for (x : Answer(request).rows())` destroys the answer before the first row is read,
where Answer returns a value: the answer gets a name first. The names distinguish
functions, in PascalCase, from accessors, which return references. (A data member, as in
`Answer(request).rows`, keeps the answer alive.)
"""

import re

from rules import tree

FOR = re.compile(r"\bfor \(")
FUNCTION = re.compile(r"\b[A-Z]\w*\(")


def closing(text, at):
    """The place of the parenthesis that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return len(text)


def range_of(head):
    """What the loop goes over; empty where it is no range-for."""
    parts = re.split(r"(?<!:):(?!:)", head, maxsplit=1)
    return parts[1] if len(parts) == 2 and ";" not in parts[0] else ""


def is_argument(expression, at):
    """Whether this place is inside parentheses or braces, where what is made lives long enough."""
    before = expression[:at]
    return any(before.count(opens) > before.count(closes) for opens, closes in ("()", "{}"))


def dangles(expression):
    for call in FUNCTION.finditer(expression):
        if is_argument(expression, call.start()):
            continue
        if re.match(r"\s*(\.|->)\s*\w+\(", expression[closing(expression, call.end() - 1) + 1 :]):
            return True
    return False


def breaches(root):
    for name in tree.files(root, tree.SOURCES):
        text = (root / name).read_text(encoding="utf-8")
        for loop in FOR.finditer(text):
            head = text[loop.end() : closing(text, loop.end() - 1)]
            if dangles(range_of(head)):
                line = text.count("\n", 0, loop.start()) + 1
                yield f"{name}:{line}: the loop calls an accessor of what a function returns; name that first"

