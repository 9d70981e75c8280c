"""Flags files and functions that are probably too long.

usage: sizes.py [--functions] [FOLDER]     (default: the current folder)

A file that is not generated and has more than 400 lines probably holds more than one idea: it is
split by idea, or has a comment with `sizes: allow` and the reason. With --functions, also those of engine, server,
storage and client as universal-ctags finds them: at most 60 lines each, and no longer at the
median and at the 90th percentile than they are; prints the three numbers.
"""

import pathlib
import subprocess
import sys

import house

FILE_LINES = 400
ALLOWED = "sizes: allow"
MEDIAN_LINES, P90_LINES, FUNCTION_LINES = 7, 19, 60
CODE = (".cc", ".h", ".proto", ".sql", ".py", ".pyi", ".go", ".sh", ".ts", ".bzl")
SKIPPED = ("bazel-", ".")


def code_files(root):
    """Files of code by their suffix, and scripts by their first line."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(SKIPPED) or "/node_modules/" in name or not path.is_file():
            continue
        if path.suffix in CODE or (not path.suffix and path.read_bytes()[:2] == b"#!"):
            yield name


def file_breaches(root):
    for name in code_files(root):
        lines = house.lines_of(root / name)
        if len(lines) <= FILE_LINES or house.is_generated(root / name):
            continue
        if not any(ALLOWED in line for line in lines):
            yield (f"{name}:{FILE_LINES + 1}: {len(lines)} lines: split it by idea above {FILE_LINES}, or say in"
                   f" a comment with `{ALLOWED}` why it is one idea")


def functions(root):
    """(lines, where) of every function, ascending."""
    tags = subprocess.run(
        ["ctags", "--languages=C++", "--c++-kinds=f", "--fields=+ne", "-f", "-", "-L", "-"],
        input="\n".join(house.product_files(root)), cwd=root, capture_output=True, text=True, check=True).stdout
    found = []
    for line in tags.splitlines():
        cells = line.split("\t")
        fields = dict(cell.split(":", 1) for cell in cells[3:] if ":" in cell)
        if "end" in fields:
            found.append((int(fields["end"]) - int(fields["line"]) + 1, f"{cells[1]}:{fields['line']}: {cells[0]}"))
    return sorted(found)


def function_breaches(root):
    found = functions(root)
    if not found:
        return
    median, p90 = found[len(found) // 2][0], found[len(found) * 9 // 10][0]
    print(f"functions: median {median}, p90 {p90}, longest {found[-1][0]} lines", file=sys.stderr)
    for lines, where in found:
        if lines > FUNCTION_LINES:
            yield f"{where} has {lines} lines, at most {FUNCTION_LINES}"
    if median > MEDIAN_LINES:
        yield f"functions: median {median} lines, at most {MEDIAN_LINES}"
    if p90 > P90_LINES:
        yield f"functions: p90 {p90} lines, at most {P90_LINES}"


def main(arguments):
    folders = [argument for argument in arguments if argument != "--functions"]
    root = pathlib.Path(folders[0] if folders else ".").resolve()
    found = list(file_breaches(root))
    if "--functions" in arguments:
        found += function_breaches(root)
    return house.report(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
