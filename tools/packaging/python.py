"""The Python packages as wheels and sdists, and priorityd-collect with the libraries that it needs."""

import pathlib
import shutil
import subprocess

from packaging import checkout

PROJECTS = ("client/python", "client/collectors")
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {"priorityd-allocations": "priorityd_allocations.main",
            "priorityd-collect": "priorityd_collect.main", "priorityd-events": "priorityd_events.main",
            "priorityd-money": "priorityd_money.main", "priorityd-sync": "priorityd_sync.main"}
STARTER = """\
#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/usr/lib/priorityd-collect")
from {module} import main  # noqa: E402

sys.exit(main())
"""
# Written by pip, about the machine that it ran on.
NOTES_OF_PIP = ("direct_url.json", "INSTALLER", "REQUESTED", "RECORD")


def interpreter():
    """Python in an environment with what builds the packages."""
    folder = checkout.ROOT / ".cache/packaging"
    wanted = HERE / "requirements.txt"
    installed = folder / "installed.txt"
    if not installed.exists() or installed.read_bytes() != wanted.read_bytes():
        shutil.rmtree(folder, ignore_errors=True)
        checkout.run("/usr/bin/python3", "-m", "venv", folder)
        checkout.run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted)
        shutil.copyfile(wanted, installed)
    return folder / "bin/python"


def distributions(work, to):
    """Builds the wheels and sdists into `to`, from a copy outside of the checkout; checks them."""
    python, seconds = interpreter(), str(checkout.epoch())
    to.mkdir(parents=True, exist_ok=True)
    for project in PROJECTS:
        checkout.copy(checkout.files(project), work)
        # The wheel is built from the sdist, which is therefore complete.
        checkout.run(python, "-m", "build", "--no-isolation", "--outdir", to, work / project, folder=work,
                     SOURCE_DATE_EPOCH=seconds, stdout=subprocess.DEVNULL)
    built = sorted(to.iterdir())
    checkout.run(python, "-m", "twine", "check", "--strict", *built)
    return built


def collectors(work, to):
    """Puts priorityd-collect and its libraries into `to`, as the Debian package has them."""
    wheels = work / "wheels"
    distributions(work, wheels)
    python = interpreter()
    library = to / "lib"
    checkout.run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile",
                 "--only-binary=:all:", "--no-deps", "--target", library, "--find-links", wheels, "-r", HERE / "runtime.txt",
                 *(f"{name}=={checkout.VERSION}" for name in ("priorityd", "priorityd-collect")))
    shutil.rmtree(library / "bin", ignore_errors=True)
    for name in NOTES_OF_PIP:
        for path in library.glob(f"*.dist-info/{name}"):
            path.unlink()
    for name, module in PROGRAMS.items():
        checkout.write(to / "bin" / name, STARTER.format(module=module), 0o755)


def build(work, stage, out):
    """Writes the wheels and sdists into `out`; returns their paths."""
    return [shutil.copy(path, out) for path in distributions(work, work / "built")]
