"""A portable archive: the programs with every library, glibc too, for Linux hosts of other distributions."""

import pathlib
import shutil

from packaging import checkout, libraries

FILES = ("LICENSE", "CHANGELOG.md", "README.md")
SYSTEMD = ("priorityd.service", "priorityd.sysusers", "priorityd.tmpfiles", "priorityd-slurm-observe.service",
           "priorityd-slurm-drive.service", "priorityd-slurm.default", "priorityd-memory-generator")
TOOLS = ("sacct", "sacctmgr", "scancel", "scontrol", "seff", "sinfo", "sprio", "squeue", "sreport", "sshare")
# The host's modules for names of users and groups are in its own folders.
STARTER = """\
#!/bin/sh
root=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$root/lib/{loader}" --argv0 "$(basename "$0")" \\
  --library-path "$root/lib:/lib64:/usr/lib64" "$root/libexec/{program}" "$@"
"""
ABOUT = """\
priorityd {version} for Linux on x86-64, kernel {kernel} or later. Nothing else is needed: lib has every
library of the programs, glibc too, which bin/* start them with. Unpack it where you like, as
/opt/priorityd, and call bin/priorityd and bin/prioctl; slurm has prioctl under the names of Slurm's
tools. A database: PostgreSQL 15 or later, with --database_url, or its programs on this host for
--data_dir. systemd has the units, with /usr/bin for bin; etc has the configuration file.

With the host's own glibc, without bin, the programs would need version {glibc}.
"""


def fill(root, stage):
    """Fills the folder that the archive is made of."""
    programs = [name for name in libraries.PROGRAMS if (stage / "bin" / name).exists()]
    needed = libraries.of_programs(stage / "bin")
    loader = next(path for path in needed if libraries.is_loader(path))
    for path in needed:
        copy(path.resolve(), root / "lib" / path.name, 0o755 if libraries.is_loader(path) else 0o644)
    for name in programs:
        copy(stage / "bin" / name, root / "libexec" / name, 0o755)
        checkout.write(root / "bin" / name, STARTER.format(loader=loader.name, program=name), 0o755)
    for tool in TOOLS:
        starter = STARTER.format(loader=loader.name, program="prioctl")
        checkout.write(root / "slurm" / tool, starter, 0o755)
    shutil.copytree(stage / "man", root / "share/man")
    copy(stage / "etc/priorityd.conf", root / "etc/priorityd.conf", 0o644)
    for name in SYSTEMD:
        copy(checkout.ROOT / "deploy/systemd" / name, root / "systemd" / name, 0o644)
    for name in FILES:
        copy(checkout.ROOT / name, root / name, 0o644)
    check(root, loader)


def check(root, loader):
    """Every library and every version of a symbol is inside; writes the file that says what the host needs."""
    files = [*(root / "lib").iterdir(), *(root / "libexec").iterdir()]
    unmet = libraries.unmet(files)
    if unmet:
        raise checkout.Failed(f"archive: {unmet[0][0]}: got no {unmet[0][1]} in the archive, want it inside")
    kernel = libraries.oldest_kernel(root / "lib" / loader.name) or libraries.oldest_kernel(root / "lib/libc.so.6")
    checkout.write(root / "INSTALL", ABOUT.format(version=checkout.VERSION, kernel=kernel, glibc=libraries.lowest_glibc(files)))


def copy(source, target, mode):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def pack(folder, archive, seconds):
    """Packs a folder so that the same files give the same bytes."""
    checkout.run("tar", "--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{seconds}",
                 "--use-compress-program=gzip --no-name --best", f"--file={archive}", f"--directory={folder.parent}", folder.name)


def build(work, stage, out):
    """Writes the archive into `out`; returns its path."""
    root = work / f"priorityd-{checkout.VERSION}-linux-x86_64"
    fill(root, stage)
    path = pathlib.Path(out) / f"{root.name}.tar.gz"
    pack(root, path, checkout.epoch())
    return [path]
