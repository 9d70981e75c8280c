"""Claims that the tests of packages count, and what their parts share."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
CACHE = ROOT / ".cache/packages-test"
PBS = ("11/22/2026 10:00:00;E;1234.pbs;user=ann group=g account=chem queue=main ctime=1795341600 qtime=1795341600 etime=1795341600 "
       "start=1795341600 exec_host=n1/0*4 exec_vnode=(n1:ncpus=4:mem=4194304kb) Resource_List.ncpus=4 Resource_List.mem=4gb "
       "session=1 end=1795345200 Exit_status=0 resources_used.cput=01:00:00 resources_used.walltime=01:00:00\n")
counts = {"passed": 0, "failed": 0}


def check(claim, holds, detail=""):
    """Counts a claim; prints it where it is wrong."""
    counts["passed" if holds else "failed"] += 1
    print(f"{'ok' if holds else 'FAILED'}: {claim}" + (f"\n{detail}" if not holds else ""), flush=True)


def one(packages, pattern):
    """The only file of a pattern."""
    found = sorted(packages.glob(pattern))
    if len(found) != 1:
        raise RuntimeError(f"{packages}/{pattern}: got {len(found)} files, want one")
    return found[0]


def inside(root, *command):
    """Runs a command with another root."""
    return subprocess.run(["chroot", root, *command], text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def build(out):
    subprocess.run([ROOT / "tools/build-packages", "--out", out], check=True)


def closing_line():
    """Prints the tally; returns the exit status."""
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0
