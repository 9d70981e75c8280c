"""No file has more than 400 lines, and no function of the product more than 60.

Files of code and scripts are counted, generated ones aside; functions as universal-ctags finds them.
"""

from rules import tree

FILE_LINES, FUNCTION_LINES = 400, 60
CODE = (".cc", ".h", ".proto", ".sql", ".py", ".pyi", ".go", ".sh", ".ts", ".bzl", "")


def file_breaches(root):
    for name in tree.files(root, CODE):
        count = len(tree.lines_of(root / name))
        if count > FILE_LINES and not tree.is_generated(root / name):
            yield f"{name}:{FILE_LINES + 1}: {count} lines, at most {FILE_LINES}"


def function_breaches(root):
    for function in tree.functions(root, tree.product_files(root)):
        lines = int(function.get("end", function["line"])) - int(function["line"]) + 1
        if lines > FUNCTION_LINES:
            yield (f"{function['path']}:{function['line']}: {function['name']} has {lines} lines, "
                   f"at most {FUNCTION_LINES}")


def breaches(root):
    yield from file_breaches(root)
    yield from function_breaches(root)
