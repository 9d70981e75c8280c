"""Debian packages, by debhelper."""

import datetime
import shutil

from packaging import checkout

FOLDERS = ("deploy", "docs", "client/kubernetes/charts", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")
# Files of deploy/systemd under the names that debhelper looks for.
SYSTEMD = {
    "priorityd.service": "priorityd.service",
    "priorityd.sysusers": "priorityd.sysusers",
    "priorityd.tmpfiles": "priorityd.tmpfiles",
    "priorityd-collect@.service": "priorityd-collect@.service",
    "priorityd-collect@.timer": "priorityd-collect@.timer",
    "priorityd-collect.sysusers": "priorityd-collect.sysusers",
    "priorityd-kubernetes.service": "priorityd-kubernetes.service",
    "priorityd-slurm.default": "priorityd-slurm.default",
}
# Packages that are left out where the stage has no such file.
OPTIONAL = {"priorityd-kubernetes": "bin/priorityd-kubernetes", "priorityd-collect": "collect", "libpriorityd-dev": "dev"}


def changelog(seconds):
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return (f"priorityd ({checkout.VERSION}) bookworm; urgency=medium\n\n"
            f"  * Release {checkout.VERSION}; CHANGELOG.md has what changed.\n\n"
            f" -- The priorityd authors <noreply@priorityd.invalid>  {date:%a, %d %b %Y %H:%M:%S +0000}\n")


def source(tree, stage, seconds):
    """The tree that dpkg-buildpackage reads: the stage, parts of the checkout, and debian/."""
    checkout.copy(checkout.files(*FOLDERS), tree)
    shutil.copytree(stage, tree / "stage", symlinks=True)
    shutil.move(tree / "deploy/debian", tree / "debian")
    for name, target in SYSTEMD.items():
        shutil.copy(tree / "deploy/systemd" / name, tree / "debian" / target)
    checkout.write(tree / "debian/changelog", changelog(seconds))


def without(tree, package):
    """Takes a package out of debian/control."""
    control = tree / "debian/control"
    paragraphs = control.read_text(encoding="utf-8").strip().split("\n\n")
    kept = [text for text in paragraphs if f"Package: {package}\n" not in text + "\n"]
    control.write_text("\n\n".join(kept) + "\n", encoding="utf-8")


def build(work, stage, out):
    """Writes the packages into `out`; returns their paths."""
    seconds = checkout.epoch()
    tree = work / f"priorityd-{checkout.VERSION}"
    source(tree, stage, seconds)
    for package, file in OPTIONAL.items():
        if not (stage / file).exists():
            without(tree, package)
    checkout.set_times(tree, seconds)
    checkout.run("dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps", "-us", "-uc",
                 folder=tree, SOURCE_DATE_EPOCH=str(seconds), DEB_BUILD_OPTIONS="noautodbgsym")
    packages = sorted(work.glob("*.deb"))
    checkout.run("lintian", "--fail-on=error,warning", *packages)
    return [shutil.copy(package, out) for package in packages]
