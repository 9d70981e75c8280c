"""The Go client library as a module proxy serves it, so that `go get` has a place to get it from."""

import datetime
import json
import pathlib
import zipfile

from packaging import archive, checkout

MODULE = "priorityd.internal/client"
FOLDER = "client/go"


def version():
    return f"v{checkout.VERSION}"


def files():
    """(name inside the module, path of the checkout) of each file; tests too, as Go's own zips have them."""
    own = [(path.removeprefix(FOLDER + "/"), path) for path in checkout.files(FOLDER)]
    return sorted([*own, ("LICENSE", "LICENSE")])


def write_zip(path, seconds):
    """The module's zip: the same files give the same bytes."""
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).timetuple()[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, source in files():
            entry = zipfile.ZipInfo(f"{MODULE}@{version()}/{name}", moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            out.writestr(entry, (checkout.ROOT / source).read_bytes())


def fill(proxy, seconds):
    """Fills a folder as GOPROXY=file:// and a web server show it."""
    folder = proxy / MODULE / "@v"
    folder.mkdir(parents=True)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    checkout.write(folder / "list", version() + "\n")
    checkout.write(folder / f"{version()}.info", json.dumps({"Version": version(), "Time": moment}) + "\n")
    checkout.write(folder / f"{version()}.mod", (checkout.ROOT / FOLDER / "go.mod").read_text(encoding="utf-8"))
    write_zip(folder / f"{version()}.zip", seconds)
    (folder / f"{version()}.zip").chmod(0o644)


def build(work, _, out):
    """Writes the proxy's folder, packed, into `out`; returns its path."""
    root = work / f"priorityd-{checkout.VERSION}-goproxy"
    fill(root, checkout.epoch())
    path = pathlib.Path(out) / f"{root.name}.tar.gz"
    archive.pack(root, path, checkout.epoch())
    return [path]
