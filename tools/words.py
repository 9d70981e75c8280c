"""Checks the words of prose against the table "Words" of CONTRIBUTING.md.

usage: words.py [--all | --count] [FOLDER]     (default: the current folder)

Reads the lines that differ from main; with --all, or in a clone without main, the lines of every
tracked file. --count prints how often each term is found, the most frequent first.

Prose is Markdown outside code, comments, docstrings, and the string literals of product C++.
Text in backticks is code. Of the table's second column, terms in backticks are searched as whole
words; `*` is one to three words. A term matches in lower case and with its first letter upper
case; a term that begins with an upper-case letter matches as it is.
`words: allow` in a comment on the line permits a quotation.
"""

import collections
import io
import pathlib
import re
import subprocess
import sys
import tokenize

from rules import tree

TABLE = "CONTRIBUTING.md"
ALLOW = "words: allow"
# Records of the past, output of other programs, and texts that a checksum fixes.
SKIPPED = re.compile(r"(^|/)(testdata|corpus|captured|dist|node_modules|cases)/|^storage/migrations/|^third_party/|^proto/google/")

SLASHES = (".cc", ".h", ".go", ".ts", ".tsx", ".mjs", ".proto")
HASHES = (".sh", ".bzl", ".yaml", ".yml", ".toml", "BUILD", "WORKSPACE")

CODE_SPAN = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\([^)]*\)|https?://\S+")
QUOTE = r'"(?:\\.|[^"\\\n])*"'
TOKEN = re.compile(
    r'(?P<raw>R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)")|(?P<literal>' + QUOTE + r")"
    r"|(?P<other>'(?:\\.|[^'\\\n])*'(?!\w)|(?<![\w`])`(?:\\.|[^`\\])*`)"
    r"|(?P<comment>//[^\n]*|/\*(?:.|\n)*?\*/)")
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|JOIN|CREATE|ALTER)\b")
HASH = re.compile(r"^(?:[^\"'#]|\"[^\"]*\"|'[^']*')*?(?<!\S)#(?!!)(.*)")


def terms(root):
    """(pattern, term, what to write instead) of each term of the table."""
    for row in table(tree.lines_of(root / TABLE)):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        for term in CODE_SPAN.findall(cells[1]):
            yield pattern(term[1:-1]), term[1:-1], cells[0]


def table(lines):
    """The rows below the heading "Words", without the table's head."""
    here = False
    for line in lines:
        here = line == "## Words" if line.startswith("## ") else here
        if here and line.startswith("|") and not line.startswith(("|--", "| Write")):
            yield line


def pattern(term):
    words = [r"\w+(?: \w+){0,2}" if word == "*" else re.escape(word) for word in term.split()]
    if term[0].islower():
        words[0] = f"[{term[0]}{term[0].upper()}]" + words[0][1:]
    return re.compile(r"(?<![\w.\-])" + " ".join(words) + r"(?![\w(=\-])")


def markdown(text):
    fenced, ours = False, False
    for number, line in enumerate(text.splitlines(), 1):
        ours = line == "## Words" if line.startswith("## ") else ours
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.startswith(">") and not (ours and line.startswith("|")):
            yield number, line


def slashes(text, with_literals):
    for token in TOKEN.finditer(text):
        kind, found = token.lastgroup, token.group()
        literal = kind in ("raw", "mark", "literal")
        if kind == "comment" or (literal and with_literals and " " in found and not SQL.search(found)):
            first = text.count("\n", 0, token.start()) + 1
            yield from enumerate(found.splitlines(), first)


def hashes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = HASH.match(line)
        if match:
            yield number, match.group(1)


def python(text):
    """Comments and docstrings: strings that begin a statement."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        begins = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and begins):
            yield from enumerate(token.string.splitlines(), token.start[0])
        if token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING):
            before = token.type


def prose(name, text):
    """(line number, text) of the prose of a file."""
    if name.endswith(".md"):
        return markdown(text)
    if name.endswith(SLASHES):
        return slashes(text, name.endswith(tree.SOURCES) and name.startswith(tree.PRODUCT))
    if name.endswith(".py") or (text.startswith("#!") and "python" in text.split("\n", 1)[0]):
        return python(text)
    return hashes(text) if name.endswith(HASHES) or text.startswith("#!") else ()


def git(root, *arguments):
    return subprocess.run(["git", "-C", str(root), *arguments],
                          stdout=subprocess.PIPE, text=True, check=True).stdout


def changed_lines(root):
    """File -> the numbers of its lines that differ from main; None = all of them."""
    main_branch = main_of(root)
    if not main_branch:
        return every_line(root)
    base = git(root, "merge-base", "HEAD", main_branch).strip()
    found = {name: None for name in git(root, "ls-files", "--others", "--exclude-standard").splitlines()}
    for line in git(root, "diff", "-U0", "--no-color", "--no-ext-diff", "--no-prefix", base).splitlines():
        if line.startswith("+++ "):
            numbers = found.setdefault(line[4:], set())
        elif line.startswith("@@"):
            first, _, count = line.split("+", 1)[1].split(" ", 1)[0].partition(",")
            numbers.update(range(int(first), int(first) + int(count or 1)))
    return found


def main_of(root):
    """The main branch, here or at the origin; empty in a clone without it."""
    known = git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes").split()
    return next((name for name in ("main", "origin/main") if name in known), "")


def every_line(root):
    return {name: None for name in git(root, "ls-files").splitlines()}


def hits(root, files):
    """(file, line number, term, what to write instead) of each term in these lines of these files."""
    looked_for = list(terms(root))
    anything = re.compile("|".join(regex.pattern for regex, _, _ in looked_for))
    for name, numbers in sorted(files.items()):
        path = root / name
        if SKIPPED.search(name) or path.is_symlink() or not path.is_file() or tree.is_generated(path):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines()
        for number, words in prose(name, text):
            words = LINK.sub(" ", CODE_SPAN.sub(" ` ", words))
            if (numbers is not None and number not in numbers) or not anything.search(words):
                continue
            if ALLOW not in lines[number - 1]:
                yield from ((name, number, term, instead)
                            for regex, term, instead in looked_for if regex.search(words))


def main(arguments):
    folders = [argument for argument in arguments if not argument.startswith("--")]
    root = pathlib.Path(folders[0] if folders else ".").resolve()
    found = hits(root, every_line(root) if {"--all", "--count"} & set(arguments) else changed_lines(root))
    if "--count" in arguments:
        for term, count in collections.Counter(term for _, _, term, _ in found).most_common():
            print(f"{count:5} {term}")
        return 0
    return tree.report(f'{name}:{number}: got "{term}", want {instead}' for name, number, term, instead in found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
