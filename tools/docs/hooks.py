"""What the docs site has beside docs/*.md: pages that are generated, and links that leave docs/.

MkDocs calls the functions named on_*. Each raises PluginError, or logs a warning that --strict makes an
error, where a page or a link is wrong.
"""

import logging
import os
import pathlib
import sys

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import api_reference  # noqa: E402
import command_pages  # noqa: E402
import links  # noqa: E402

log = logging.getLogger("mkdocs.plugins.docs")

# Pages that are a section alone: the list of the pages of their section is hidden.
ALONE = ("index.md", "tutorial.md")
# Pages of the top folder, by their name on the site.
TOP_PAGES = {"index.md": "README.md", "changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}


def binary(name):
    folder = os.environ.get("PRIORITYD_DOCS_BINARIES")
    path = ROOT / (folder or "bazel-bin") / name
    if not path.exists():
        raise PluginError(f"{path} is not there: run tools/build-docs")
    return str(path)


def generated_pages():
    """Name -> text of every page that is not a file of docs/."""
    pages = {name: (ROOT / source).read_text(encoding="utf-8") for name, source in TOP_PAGES.items()}
    pages["flags.md"] = command_pages.flags_page(binary("server/priorityd"))
    pages["prioctl.md"] = command_pages.commands_page(binary("client/prioctl"))
    pages |= {f"api/{name}": text for name, text in api_reference.pages(ROOT / "proto").items()}
    return pages


def on_config(config):
    """Fills the sections of the navigation that end in / with the pages of that folder."""
    generated = generated_pages()
    config.extra["generated"] = generated
    adr = sorted(path.name for path in (ROOT / "docs/adr").glob("*.md"))
    pages = {"api/": sorted(name for name in generated if name.startswith("api/")),
             "adr/": [f"adr/{name}" for name in adr]}
    config.nav = expanded(config.nav, pages)
    return config


def expanded(nav, pages):
    if isinstance(nav, str):
        found = pages.get(nav, nav)
        # A section's own page comes first.
        return found if isinstance(found, str) else sorted(found, key=lambda n: (not n.endswith(("index.md", "README.md")), n))
    if isinstance(nav, list):
        return [expanded(entry, pages) for entry in nav]
    return {title: expanded(entry, pages) for title, entry in nav.items()}


def on_files(files, config):
    for name, text in config.extra["generated"].items():
        files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, "site.css", content=(HERE / "site.css").read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri in ALONE:
        page.meta["hide"] = ["navigation"]
    source = TOP_PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    site = {file.src_uri for file in files}
    text, faults = links.rewritten(markdown, source, page.file.src_uri, site, ROOT)
    for fault in faults:
        log.warning(fault)
    return text
