"""A file of more than 400 lines says why it is one idea; no function of the product has more than 60.

A long file that is not generated is split by idea, or has a comment with `sizes: allow` and the
reason. Functions are those that universal-ctags finds.
"""

from rules import tree

FILE_LINES, FUNCTION_LINES = 400, 60
ALLOWED = "sizes: allow"
CODE = (".cc", ".h", ".proto", ".sql", ".py", ".pyi", ".go", ".sh", ".ts", ".bzl", "")


def file_breaches(root):
    for name in tree.files(root, CODE):
        lines = tree.lines_of(root / name)
        if len(lines) <= FILE_LINES or tree.is_generated(root / name):
            continue
        if not any(ALLOWED in line for line in lines):
            yield (f"{name}:{FILE_LINES + 1}: {len(lines)} lines: split it by idea above {FILE_LINES}, or say in"
                   f" a comment with `{ALLOWED}` why it is one idea")


def function_breaches(root):
    for function in tree.functions(root, tree.product_files(root)):
        lines = int(function.get("end", function["line"])) - int(function["line"]) + 1
        if lines > FUNCTION_LINES:
            yield (f"{function['path']}:{function['line']}: {function['name']} has {lines} lines, "
                   f"at most {FUNCTION_LINES}")


def breaches(root):
    yield from file_breaches(root)
    yield from function_breaches(root)
