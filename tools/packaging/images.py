"""OCI images without a daemon: a program, the libraries that it needs, and no more; user 65532."""

import datetime
import pathlib
import shutil

from packaging import checkout, libraries

USER = "65532"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
PASSWD = f"root:x:0:0:root:/:/sbin/nologin\nnonroot:x:{USER}:{USER}:nonroot:/nonexistent:/sbin/nologin\n"
GROUP = f"root:x:0:\nnonroot:x:{USER}:\n"
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
ZONES = pathlib.Path("/usr/share/zoneinfo")
# Image -> its programs, the first of which it starts, and the arguments without which it is of no use.
IMAGES = {
    "priorityd": (("priorityd",), ()),
    "priorityd-tools": (("prioctl", "priorityd-slurm"), ("--help",)),
    "priorityd-kubernetes": (("priorityd-kubernetes", "priorityd-weights"), ()),
}
DYNAMIC = ("priorityd", "prioctl", "priorityd-slurm")


def fill(root, stage, programs):
    """Fills the root of an image; the libraries have their paths of this host."""
    for name in programs:
        copy(stage / "bin" / name, root / "usr/bin" / name, 0o755)
    for path in libraries.of_programs(stage / "bin", [name for name in programs if name in DYNAMIC]):
        copy(path.resolve(), root / str(path).lstrip("/"), 0o755)
    checkout.write(root / "etc/passwd", PASSWD)
    checkout.write(root / "etc/group", GROUP)
    checkout.write(root / "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    copy(CERTIFICATES, root / "etc/ssl/certs/ca-certificates.crt", 0o644)
    if "priorityd-kubernetes" not in programs:
        shutil.copytree(ZONES, root / "usr/share/zoneinfo", symlinks=True, ignore=shutil.ignore_patterns("right", "posix"))
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)


def copy(source, target, mode):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def image(work, name, stage, seconds, architecture):
    """Writes the image `name` as an OCI layout below `work`; returns its folder."""
    programs, arguments = IMAGES[name]
    root, layout = work / "root" / name, work / name
    fill(root, stage, programs)
    checkout.set_times(root, seconds)
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    tag = f"{layout}:{checkout.VERSION}"
    checkout.run("umoci", "init", f"--layout={layout}")
    checkout.run("umoci", "new", f"--image={tag}")
    checkout.run("umoci", "insert", "--rootless", f"--image={tag}", f"--history.created={created}",
                 f"--history.created_by=tools/build-packages", root, "/")
    checkout.run("umoci", "config", f"--image={tag}", f"--config.user={USER}:{USER}", f"--architecture={architecture}",
                 "--os=linux", f"--created={created}", f"--history.created={created}", "--config.workingdir=/",
                 f"--config.entrypoint=/usr/bin/{programs[0]}", *(f"--config.cmd={word}" for word in arguments),
                 f"--config.label=org.opencontainers.image.version={checkout.VERSION}",
                 "--config.label=org.opencontainers.image.licenses=Apache-2.0")
    checkout.run("umoci", "gc", f"--layout={layout}")
    return layout


def build(work, stage, out, architecture=None):
    """Writes an OCI archive of each image into `out`; returns their paths."""
    seconds = checkout.epoch()
    machine = checkout.output("uname", "-m").strip()
    architecture = architecture or ARCHITECTURES.get(machine, machine)
    paths = []
    for name, (programs, _) in IMAGES.items():
        if all((stage / "bin" / program).exists() for program in programs):
            layout = image(work, name, stage, seconds, architecture)
            path = pathlib.Path(out) / f"{name}-{checkout.VERSION}-{architecture}.oci.tar"
            # The content of the layout itself, as skopeo and podman read it.
            checkout.run("tar", "--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rwX,go+rX",
                         f"--mtime=@{seconds}", f"--file={path}", f"--directory={layout}", ".")
            paths.append(path)
    return paths
