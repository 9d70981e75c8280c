"""Links of Markdown that are written for the repository, for a site that has docs/ alone."""

import os
import posixpath
import re

# [text](target) outside of code; target without spaces.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")
# Where the sources can be read, as https://HOST/OWNER/NAME/blob/BRANCH. Without it paths are text.
SOURCE_URL = "PRIORITYD_SOURCE_URL"


def site_name(path):
    """The name on the site of a file of the repository, if it can be a page or picture of it."""
    top = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
    if path in top:
        return top[path]
    return path[len("docs/"):] if path.startswith("docs/") else ""


def rewritten(markdown, source, page, site, root):
    """(text, faults): links from `source`, a path of the repository, as they are from `page` of the site.

    A link to a file that the site has is relative to the page. One to another file of the repository
    becomes its path, or a link below PRIORITYD_SOURCE_URL. A target that is in neither is a fault.
    """
    faults = []

    def replaced(match):
        image, text, target = match.groups()
        path, mark, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match.group(0)
        inside = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        name = site_name(inside)
        if name in site:
            return f"{image}[{text}]({posixpath.relpath(name, posixpath.dirname(page) or '.')}{mark}{anchor})"
        if posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) in site and source.startswith("docs/"):
            return match.group(0)
        if not (root / inside).exists():
            faults.append(f"{source}: link to {target}: got no such file, want one of the repository")
        base = os.environ.get(SOURCE_URL)
        return f"[{text}]({base.rstrip('/')}/{inside}{mark}{anchor})" if base else text
    return outside_code(markdown, lambda text: LINK.sub(replaced, text)), faults


def outside_code(markdown, change):
    """The text, changed outside of fenced code; a link may go over the end of a line."""
    parts, code = [[]], [False]
    for line in markdown.split("\n"):
        fence = FENCE.match(line)
        if fence and not code[-1]:
            parts.append([])
            code.append(True)
        parts[-1].append(line)
        if fence and code[-1] and len(parts[-1]) > 1:
            parts.append([])
            code.append(False)
    return "\n".join("\n".join(part) if inside else change("\n".join(part))
                     for part, inside in zip(parts, code) if part)
