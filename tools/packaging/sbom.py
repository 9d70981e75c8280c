"""What the packages are made of, as SPDX 2.3 in JSON: one document for a release."""

import datetime
import hashlib
import json
import pathlib
import re

from packaging import checkout, libraries
from packaging.stage import CONTROLLERS

HERE = pathlib.Path(__file__).resolve().parent
NAMESPACE = "https://spdx.org/spdxdocs/priorityd-{version}-{digest}"


def package(kind, name, version, locator, **more):
    """An SPDX package."""
    identifier = re.sub(r"[^A-Za-z0-9.-]", "-", f"SPDXRef-{kind}-{name}-{version}")
    return {"SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "copyrightText": "NOASSERTION", "supplier": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}],
            **more}


def owners():
    """{path: package} of every library that Debian packages of this host have."""
    found = {}
    for listing in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
        for line in listing.read_text(encoding="utf-8").splitlines():
            if ".so" in line:
                # /lib and /usr/lib are the same folder.
                found["/usr" + line.removeprefix("/usr")] = listing.stem.partition(":")[0]
    return found


def debian_packages(paths):
    """The Debian packages that libraries are from."""
    owner = owners()
    strangers = [path for path in paths if str(path.resolve()) not in owner]
    if strangers:
        raise checkout.Failed(f"sbom: {strangers[0]}: got no Debian package that has it, want one")
    found = {owner[str(path.resolve())] for path in paths}
    listed = checkout.output("dpkg-query", "--show", "--showformat=${Package} ${Version} ${Architecture}\\n", *sorted(found))
    return [package("Deb", name, version, f"pkg:deb/debian/{name}@{version}?arch={machine}&distro=bookworm")
            for name, version, machine in map(str.split, listed.splitlines())]


def go_modules(program):
    """The modules that a Go program is compiled of."""
    text = checkout.output("go", "version", "-m", program)
    return [package("Go", name, version, f"pkg:golang/{name}@{version}")
            for name, version in re.findall(r"^\tdep\t(\S+)\t(v\S+)", text, re.MULTILINE)
            if not name.startswith(("priorityd/", "priorityd.internal/"))]


def python_packages():
    """The libraries of priorityd-collect."""
    lines = (HERE / "runtime.txt").read_text(encoding="utf-8").splitlines()
    return [package("PyPI", name, version, f"pkg:pypi/{name}@{version}")
            for name, _, version in (line.partition("==") for line in lines if "==" in line)]


def document(stage, artifacts, seconds):
    parts = debian_packages(libraries.of_programs(stage / "bin")) + python_packages()
    modules = {one["SPDXID"]: one for name in CONTROLLERS if (stage / "bin" / name).exists() for one in go_modules(stage / "bin" / name)}
    parts += modules.values()
    own = [package("File", path.name, checkout.VERSION, f"pkg:generic/{path.name}@{checkout.VERSION}", packageFileName=path.name,
                   licenseDeclared="Apache-2.0",
                   checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}])
           for path in sorted(artifacts)]
    product = package("Source", "priorityd", checkout.VERSION, f"pkg:generic/priorityd@{checkout.VERSION}",
                      licenseDeclared="Apache-2.0")
    digest = hashlib.sha256(json.dumps([own, parts]).encode()).hexdigest()[:32]
    related = [("SPDXRef-DOCUMENT", "DESCRIBES", product["SPDXID"])]
    related += [(one["SPDXID"], "GENERATED_FROM", product["SPDXID"]) for one in own]
    related += [(product["SPDXID"], "DEPENDS_ON", part["SPDXID"]) for part in parts]
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"priorityd-{checkout.VERSION}",
        "documentNamespace": NAMESPACE.format(version=checkout.VERSION, digest=digest),
        "creationInfo": {"created": created, "creators": ["Tool: tools/build-packages"]},
        "packages": [product, *own, *parts],
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in related],
    }


def build(work, stage, out):
    """Writes the document about everything in `out`, and the checksums of all; returns their paths."""
    out = pathlib.Path(out)
    artifacts = [path for path in out.iterdir() if path.is_file()]
    text = json.dumps(document(stage, artifacts, checkout.epoch()), indent=1, sort_keys=True)
    checkout.write(out / f"priorityd-{checkout.VERSION}.spdx.json", text + "\n")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())]
    checkout.write(out / "SHA256SUMS", "".join(sums))
    return [out / f"priorityd-{checkout.VERSION}.spdx.json", out / "SHA256SUMS"]
