"""Loads a dump of ours into the real sacctmgr, and compares what that dumps then with a real dump."""

import difflib
import pathlib
import re

import daemons
import site_verbs
from transcript import Transcript

COPY = "copy"


def compare(arguments):
    ours, theirs = (pathlib.Path(argument).resolve() for argument in arguments)
    with daemons.RealSlurm() as slurm:
        site_verbs.begin(Transcript(slurm, slurm.home / "begin.txt"))
        slurm.start_controller()
        for name in qos_names(ours):
            slurm.run(f"sacctmgr -i add qos {name}")
        loaded = slurm.run(f"sacctmgr -i load file={ours} cluster={COPY}")
        print(loaded.stdout + loaded.stderr)
        again = slurm.run(f"sacctmgr -i load file={ours} cluster={COPY}")
        slurm.must(f"sacctmgr dump {COPY} file={slurm.home}/copy.cfg")
        differences = list(difflib.unified_diff(lines(theirs), lines(slurm.home / "copy.cfg"), "wanted", "loaded", lineterm="", n=0))
    print("\n".join(differences))
    good = loaded.returncode == 0 and not differences and "Nothing new added" in again.stdout + again.stderr
    print("the real sacctmgr holds the same" if good else f"differs; a second load said: {again.stdout}{again.stderr}")
    return 0 if good else 1


def qos_names(path):
    """QOS are not in a dump: those that it names have to be there before."""
    return {name.strip("+-") for names in re.findall(r"(?:QOS|DefaultQOS)='([^']*)'", path.read_text())
            for name in names.split(",") if name}


def lines(path):
    """A dump's lines without its head and the name of its cluster, each with the QOS list that it comes to."""
    kept = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    qos, parent, result = {}, "root", []
    for line in kept:
        kind, name = re.match(r"(\w+) - '([^']*)'", line).groups()
        if kind == "Parent":
            parent = name
        else:
            listed = qos_list(line, qos.get(parent, []))
            if kind != "User":
                qos["root" if kind == "Cluster" else name] = listed
            line = re.sub(r":QOS='[^']*'", "", line) + f":QOS={sorted(listed)}"
        result.append(re.sub(r"^Cluster - '[^']*'", "Cluster - ''", line))
    return result


def qos_list(line, inherited):
    written = re.search(r":QOS='([^']*)'", line)
    names = written[1].split(",") if written else []
    changed = any(name[:1] in "+-" for name in names)
    listed = set(inherited) if changed or not names else set()
    for name in names:
        (listed.discard if name.startswith("-") else listed.add)(name.lstrip("+-"))
    return listed
