"""The checkout that packages are built from: its version, its time, its files, and commands."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Failed(Exception):
    """Why there is no package."""


def output(*command, folder=ROOT, **environment):
    """What a command printed."""
    return run(*command, folder=folder, stdout=subprocess.PIPE, **environment).stdout


def run(*command, folder=ROOT, stdout=None, **environment):
    """Runs a command in an environment that no user's differs from."""
    try:
        return subprocess.run([str(word) for word in command], cwd=folder, env={**ENVIRONMENT, **environment}, check=True,
                              stdout=stdout, text=True)
    except FileNotFoundError as error:
        raise Failed(f"{command[0]}: got no such program, want it installed (tools/packages-build)") from error
    except subprocess.CalledProcessError as error:
        raise Failed(f"{command[0]}: exit status {error.returncode}: {' '.join(map(str, command))}") from error


def epoch():
    """SOURCE_DATE_EPOCH of the environment, or the time of the last commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))


def files(*folders):
    """Paths of the checkout's files, those that git knows or would take."""
    listed = output("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *folders)
    return sorted(path for path in listed.split("\0") if path and (ROOT / path).exists())


def copy(paths, to):
    """Copies files of the checkout below `to`, with modes that no umask changes."""
    for path in paths:
        target = to / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
        target.chmod(0o755 if os.access(ROOT / path, os.X_OK) else 0o644)


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def set_times(folder, seconds):
    """Gives everything below `folder` the same time."""
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (seconds, seconds), follow_symlinks=False)
