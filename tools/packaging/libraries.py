"""The shared libraries that programs need: the list that the archive, the images and the SBOM share."""

import pathlib
import re

from packaging import checkout

PROGRAMS = ("priorityd", "prioctl", "priorityd-slurm")
LOADER = "ld-linux"
FOUND = re.compile(r"^\s*(?:\S+ => )?(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)
MISSING = re.compile(r"^\s*(\S+) => not found$", re.MULTILINE)
NEEDED = re.compile(r"0x[0-9a-f]+:?\s*\(?Name:?\s*(\S+)")


def of_program(program):
    """Paths of the libraries that a program loads, the loader of glibc among them."""
    text = checkout.output("ldd", program)
    missing = MISSING.findall(text)
    if missing:
        raise checkout.Failed(f"{program}: got no {', '.join(missing)}, want every library")
    return sorted({pathlib.Path(path) for path in FOUND.findall(text)})


def of_programs(folder, names=PROGRAMS):
    """The same of several programs of a folder."""
    return sorted({path for name in names if (folder / name).exists() for path in of_program(folder / name)})


def is_loader(path):
    return path.name.startswith(LOADER)


def versions(path, section):
    """{(library, version)} of the symbols that a file requires, or {version} of those that it defines."""
    text = checkout.output("readelf", "--wide", "--version-info", path)
    found, inside, library = set(), False, ""
    for line in text.splitlines():
        if line.startswith("Version "):
            inside = line.startswith(f"Version {section} section")
        elif inside and (match := re.search(r"File: (\S+)", line)):
            library = match[1]
        elif inside and (match := re.search(r"Name: (\S+)", line)):
            found.add((library, match[1]) if section == "needs" else match[1])
    return found


def needed(path):
    """Names of the libraries that a file names itself."""
    return set(re.findall(r"\(NEEDED\).*\[(\S+)\]", checkout.output("readelf", "--wide", "--dynamic", path)))


def unmet(paths):
    """What files of a closed set need and none of them has: (file, library or library and version)."""
    by_name = {path.name: path for path in paths}
    defined = {path.name: versions(path, "definition") for path in paths}
    wrong = [(path.name, name) for path in paths for name in sorted(needed(path)) if name not in by_name]
    for path in paths:
        wrong += [(path.name, f"{library} {version}") for library, version in sorted(versions(path, "needs"))
                  if version not in defined.get(library, ())]
    return wrong


def lowest_glibc(paths):
    """The newest version of glibc's symbols that files need, as 2.36: what a host's own glibc would have to be."""
    found = [version for path in paths for _, version in versions(path, "needs")]
    numbers = [tuple(map(int, match[1].split("."))) for version in found if (match := re.fullmatch(r"GLIBC_([\d.]+)", version))]
    return ".".join(map(str, max(numbers)))


def oldest_kernel(path):
    """The oldest Linux that a file's ABI note permits, as 3.2.0."""
    match = re.search(r"OS: Linux, ABI: ([\d.]+)", checkout.output("readelf", "--notes", path))
    return match[1] if match else ""
