"""A second build of the same commit, elsewhere, which must be equal byte for byte."""

import filecmp
import shutil
import subprocess

from packaging import checkout

# Of diffoscope's report on one file; what differs first says why.
MOST_BYTES = 20_000
SIGNATURE = ".asc"  # Has a time of its own.


def require_commit():
    """A checkout without changes, of which a clone has the same files."""
    changed = checkout.output("git", "status", "--porcelain").splitlines()
    if changed:
        raise checkout.Failed(f"--twice: got a change that is not committed, {changed[0][3:]}, want a commit to build again")


def again(arguments, work):
    """Builds the commit with the same arguments in a clone, whose other path has Bazel compile everything, under
    another umask; returns the folder with the files."""
    require_commit()
    checkout.run("git", "clone", "--quiet", "--no-local", checkout.ROOT, work / "checkout")
    out = work / "packages"
    checkout.run("sh", "-c", 'umask 077; exec "$@"', "sh", work / "checkout/tools/build-packages", "--out", out, *arguments,
                 folder=work / "checkout")
    return out


def names(folder):
    return {path.name for path in folder.iterdir() if path.suffix != SIGNATURE}


def differences(first, second):
    """Names of files that one of two folders lacks, or that differ in a byte; signatures are not compared."""
    common = names(first) & names(second)
    _, different, unreadable = filecmp.cmpfiles(first, second, common, shallow=False)
    return sorted((names(first) ^ names(second)) | {*different, *unreadable})


def explain(first, second, name):
    """What differs between the two files of a name, as text."""
    for folder in (first, second):
        if not (folder / name).exists():
            return f"{name}: only one build has it\n"
    if shutil.which("diffoscope") is None:
        return subprocess.run(["cmp", first / name, second / name], check=False, stdout=subprocess.PIPE, text=True).stdout
    done = subprocess.run(["diffoscope", "--no-progress", f"--max-text-report-size={MOST_BYTES}", first / name, second / name],
                          check=False, stdout=subprocess.PIPE, text=True)
    return done.stdout


def compare(first, second):
    """Raises Failed, after printing what differs, unless two folders of packages are equal."""
    different = differences(first, second)
    for name in different:
        print(explain(first, second, name), end="", flush=True)
    if different:
        raise checkout.Failed(f"--twice: got two builds that differ in {', '.join(different)}, want them equal")
    print(f"two builds are equal: {len(names(first))} files")
