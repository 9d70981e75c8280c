"""Everything that packages hold and that is not in the checkout: programs, man pages, configuration."""

import os
import pathlib
import shutil
import sys
import tempfile

from packaging import checkout, cpp_library

sys.path.insert(0, str(checkout.ROOT / "tools"))
from docs import command_pages  # noqa: E402

PROGRAMS = {"priorityd": "//server:priorityd", "prioctl": "//client:prioctl",
            "priorityd-slurm": "//client/slurm:priorityd-slurm"}
CONTROLLERS = ("priorityd-kubernetes", "priorityd-weights")
ABOUT = {
    "priorityd": "job priority as a service",
    "priorityd-slurm": "priorityd beside a running Slurm",
    "priorityd-kubernetes": "priorityd for Kubernetes",
    "priorityd-allocations": "bring grants into agreement with a file of allocations",
    "priorityd-collect": "record what batch systems have written down",
    "priorityd-events": "send priorityd's events as webhooks",
    "priorityd-money": "price usage of priorityd's ledger",
    "priorityd-sync": "bring accounts and users into agreement with a directory",
    "priorityd-weights": "fair-share as weights of other schedulers' queues",
}
# The settings of the package; everything else in the file is a comment.
SETTINGS = {
    "data_dir": "/var/lib/priorityd",
    "listen": "unix:/run/priorityd/grpc.socket",
    "socket_mode": "0660",
    "socket_group": "priorityd",
    "log_format": "journal",
}
NOT_SETTINGS = ("help", "version", "config", "check_config", "migrate_only", "contract")
HEADING = """\
# Configuration of priorityd: each flag of `priorityd --help` by its name, `name = value`. A flag
# without a value is its name alone; a flag that is repeatable has a line for each value. A line that
# begins with # is a comment. After a change:
#
#   priorityd --config=/etc/priorityd/priorityd.conf --check_config
#   systemctl restart priorityd        (reload is enough for the log level)
#
# Root and the members of group priorityd may use the socket below, as administrators, until there is
# an auth_file. Read /usr/share/doc/priorityd/production.md of priorityd-doc before other hosts may.
"""


def compile_programs(to, binaries):
    """Puts the programs into `to`: from the folder `binaries`, or compiled."""
    to.mkdir(parents=True)
    if binaries is None:
        checkout.run("bazel", "build", "-c", "opt", *PROGRAMS.values(), cpp_library.TARGET)
    for name, target in PROGRAMS.items():
        shutil.copyfile(compiled(target, name, binaries), to / name)
        (to / name).chmod(0o755)
        checkout.run("strip", "--strip-unneeded", to / name)


def compiled(target, name, binaries):
    """The file `name` that Bazel made for a target, or that is in the folder `binaries`."""
    folder = target.strip("/").partition(":")[0]
    return binaries / name if binaries else checkout.ROOT / "bazel-bin" / folder / name


def compile_controllers(to):
    """Compiles the programs for Kubernetes, which need nothing but the kernel."""
    for name in CONTROLLERS:
        checkout.run("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags=-s -w -buildid=",
                     "-o", to / name, f"./cmd/{name}",
                     folder=checkout.ROOT / "client/kubernetes", CGO_ENABLED="0", GOTOOLCHAIN="local",
                     **{name: os.environ[name] for name in ("GOPROXY", "GOMODCACHE", "GOCACHE", "GOFLAGS") if name in os.environ})


def man_page(program, about, section, to, seconds):
    """A man page of the --help of a program."""
    checkout.write(to / f"{program.name}.{section}",
                   checkout.output("help2man", "--no-info", "--no-discard-stderr", f"--name={about}", f"--section={section}",
                                   f"--version-string={checkout.VERSION}", program, SOURCE_DATE_EPOCH=str(seconds)))


def man_pages(programs, to, seconds):
    """Pages of every program and of each command of prioctl."""
    for name in ("priorityd", "priorityd-slurm", *CONTROLLERS):
        if (programs / name).exists():
            man_page(programs / name, ABOUT[name], 8, to, seconds)
    prioctl = programs / "prioctl"
    checkout.write(to / "prioctl.1", checkout.output(prioctl, "man"))
    with tempfile.TemporaryDirectory() as folder:
        for name, _, about in commands(checkout.output(prioctl, "--help")):
            # help2man names a page after its program.
            program = pathlib.Path(folder) / f"prioctl-{name}"
            checkout.write(program, f'#!/bin/sh\nexec {prioctl} {name} "$@"\n', 0o755)
            if name not in ("completion", "man", "collect"):
                man_page(program, about, 1, to, seconds)


def collector_pages(stage):
    """Pages of the collectors, which are in Python."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("priorityd-allocations", "priorityd-collect", "priorityd-events", "priorityd-money",
                     "priorityd-sync"):
            starter = (stage / "collect/bin" / name).read_text(encoding="utf-8")
            program = pathlib.Path(folder) / name
            checkout.write(program, starter.replace("/usr/lib/priorityd-collect", str(stage / "collect/lib")), 0o755)
            man_page(program, ABOUT[name], 1, stage / "man", checkout.epoch())
        for cache in (stage / "collect").rglob("__pycache__"):
            shutil.rmtree(cache)


def commands(help_text):
    """[name, "", description] of each command in a --help."""
    return [entry for title, lines in command_pages.sections(help_text) if title == "Subcommands"
            for entry in command_pages.entries(lines)]


def configuration(help_text):
    """priorityd.conf out of `priorityd --help`: every flag with its description, most of them comments."""
    groups = {title: [] for title in command_pages.FLAG_GROUPS}
    for flag, value, description in command_pages.options(help_text):
        if flag.lstrip("-") not in NOT_SETTINGS:
            groups[command_pages.group_of(flag)].append((flag.lstrip("-"), value, description))
    text = [HEADING]
    for title, flags in groups.items():
        if flags:
            text.append(f"\n# ---- {title} ----\n")
            text += [setting(*flag) for flag in flags]
    return "".join(text)


def setting(name, value, description):
    """The lines of one flag."""
    about, default, _ = command_pages.value_and_default(value)
    about = about.partition("(Env:")[0].strip()
    lines = "".join(f"# {line}\n" for line in wrapped(description + "."))
    if name in SETTINGS:
        return f"\n{lines}{name} = {SETTINGS[name]}\n"
    return f"\n{lines}#{name}{f' = {default or about}' if about else ''}\n"


def wrapped(text, width=98):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) + 1 > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def fill(stage, binaries, with_controller):
    """Fills the folder `stage`."""
    seconds = checkout.epoch()
    programs = stage / "bin"
    compile_programs(programs, binaries)
    if with_controller:
        compile_controllers(programs)
    library = compiled(cpp_library.TARGET, cpp_library.ARCHIVE, binaries)
    if library.exists():
        cpp_library.fill(stage / "dev", library)
    man_pages(programs, stage / "man", seconds)
    help_text = checkout.output(programs / "priorityd", "--help", COLUMNS="100")
    checkout.write(stage / "etc/priorityd.conf", configuration(help_text))
    for shell, name in (("bash", "prioctl"), ("zsh", "_prioctl"), ("fish", "prioctl.fish")):
        checkout.write(stage / "completion" / shell / name, checkout.output(programs / "prioctl", "completion", shell))
