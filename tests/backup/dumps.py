"""Dumps of an embedded PostgreSQL."""

import json

import small_site
from site_of_backups import account, await_batches, claim, client, difference, ledger, owned, run, senders, server


def dumps(folder):
    """Backups of a busy priorityd; each is checked by a restore, and damage is found."""
    home = owned(folder / "embedded")
    backups = home / "backups"
    url = f"postgresql:///priorityd?host={home}/data/socket&user=priorityd"
    results = []
    with server(home / "log", f"--data_dir={home / 'data'}") as address:
        with client(address) as first:
            small_site.load_into(first)
        with senders(address, "early") as early:
            await_batches(early)
        with senders(address, "late") as late:
            await_batches(late)
            results.append(_step("a backup is made while usage is recorded", "create", "--folder", backups, "--database", url))
            await_batches(late)
            results.append(_step("a restore of it has the same content and usage", "verify", "--folder", backups))
        results += _restored(home, address, backups, account(*early), account(*late))
        results += _kept(backups, url)
        results += _damaged(backups)
        results.append(claim("the ledger has what was acknowledged", difference(ledger(url), account(*early, *late))))
    return results


def _step(what, *words):
    done = run("priorityd-backup", *words, check=False)
    print(done.stdout, end="")
    return claim(what, done.stderr if done.returncode else "")


def _names(backups):
    return sorted(path.stem for path in backups.glob("*.dump"))


def _restored(home, address, backups, early, late):
    """Restores the dump as docs/backup.md says, into another data_dir."""
    with server(home / "restored.log", f"--data_dir={home / 'restored'}"):
        url = f"postgresql:///priorityd?host={home}/restored/socket&user=priorityd"
        run("pg_restore", "--clean", "--if-exists", "--single-transaction", "--exit-on-error", "-d", url, backups / f"{_names(backups)[-1]}.dump")
        got = ledger(url)
    whole = {source: got.get(source) for source in early}
    records = got.get("late", (0, 0))[0]
    return [claim("what was acknowledged before the backup is in a restored data_dir", difference(whole, early)),
            claim("of what was recorded meanwhile it has whole batches", "" if 0 < records < late["late"][0] and records % 5 == 0 else f"got {records} records")]


def _kept(backups, url):
    verified = _names(backups)[-1]
    results = []
    for _ in range(2):
        run("sleep", "1.1")
        results.append(_step("another backup is made", "create", "--folder", backups, "--database", url, "--keep", "1"))
    kept = _names(backups)
    results.append(claim("--keep=1 keeps the newest backup, and the newest verified one", "" if len(kept) == 2 and kept[0] == verified else f"got {kept}"))
    listed = run("priorityd-backup", "list", "--folder", backups).stdout
    results.append(claim("list shows which was verified", "" if [("never" in line) for line in listed.splitlines()] == [False, True] else listed))
    return results


def _damaged(backups):
    name = _names(backups)[-1]
    manifest = backups / f"{name}.json"
    before = manifest.read_text()
    changed = json.loads(before)
    rows, _, digest = changed["tables"]["usage_record"].partition(" ")
    changed["tables"]["usage_record"] = f"{int(rows) + 1} {digest}"
    manifest.write_text(json.dumps(changed))
    missing = run("priorityd-backup", "verify", "--folder", backups, check=False)
    manifest.write_text(before)
    dump = backups / f"{name}.dump"
    content = bytearray(dump.read_bytes())
    for at in range(len(content) // 2, len(content) // 2 + 64):
        content[at] ^= 0xFF
    dump.write_bytes(content)
    damaged = run("priorityd-backup", "verify", "--folder", backups, check=False)
    return [claim("a backup that lacks a record is not good", "" if missing.returncode == 1 and "usage_record: got" in missing.stderr else str(missing)),
            claim("a damaged backup is not good", "" if damaged.returncode == 1 else str(damaged))]


TESTS = [dumps]
