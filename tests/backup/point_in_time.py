"""pgBackRest: a restore to a moment, under two replicas that keep running."""

import os
import socket
import time

import load
import small_site
from site_of_backups import ROOT, account, await_batches, claim, client, difference, ledger, owned, run, senders, server

import priorityd


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


class Database:
    """A PostgreSQL that archives by deploy/backup/pgbackrest.conf, with other folders."""

    def __init__(self, folder):
        self.folder = owned(folder)
        self.port = free_port()
        self.data = self.folder / "data"
        os.environ.update(PGBACKREST_CONFIG=str(ROOT / "deploy" / "backup" / "pgbackrest.conf"), PGBACKREST_REPO1_PATH=str(owned(self.folder / "repository")),
                          PGBACKREST_SPOOL_PATH=str(owned(self.folder / "spool")), PGBACKREST_LOCK_PATH=str(owned(self.folder / "lock")))
        os.environ.update(PGBACKREST_PG1_PATH=str(self.data), PGBACKREST_PG1_PORT=str(self.port), PGBACKREST_PG1_SOCKET_PATH=str(self.folder))
        run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--data-checksums", "--no-sync")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{self.folder}'\narchive_mode = on\n"
                           "archive_command = 'pgbackrest --stanza=priorityd archive-push %p'\narchive_timeout = 60s\nmax_connections = 150\n")
        self.start()
        self.sql("CREATE ROLE priorityd LOGIN", "postgres")
        self.sql("CREATE DATABASE priorityd OWNER priorityd", "postgres")

    def start(self):
        run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "postgres.log", "start")

    def stop(self):
        run("pg_ctl", "-D", self.data, "-w", "-m", "fast", "stop")

    def url(self, user="priorityd", database="priorityd"):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def sql(self, statement, database="priorityd"):
        return run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url("postgres", database), "-c", statement).stdout.strip()


def point_in_time(folder):
    """A mistake is undone: the database goes back to the moment before it, and collectors send the rest again."""
    database = Database(folder / "pgbackrest")
    run("pgbackrest", "--stanza=priorityd", "stanza-create")
    run("pgbackrest", "--stanza=priorityd", "check")
    results = []
    try:
        with server(database.folder / "replica1.log", f"--database_url={database.url()}") as one, \
             server(database.folder / "replica2.log", f"--database_url={database.url()}") as two:
            with client(one) as first:
                small_site.load_into(first)
            results = _restore_under(database, f"{one},{two}")
    finally:
        database.stop()
    return results


def _restore_under(database, address):
    results = []
    ranker = load.Ranker(priorityd.Options(address=address, cluster=small_site.CLUSTER))
    ranker.start()
    with senders(address, "before") as before:
        await_batches(before)
        done = run("priorityd-backup", "create", "--stanza", "priorityd", "--type", "full", "--database", database.url("postgres"), check=False)
        results.append(claim("a backup is made while usage is recorded", done.stderr if done.returncode else ""))
        await_batches(before)
    done = run("priorityd-backup", "verify", "--stanza", "priorityd", "--database", database.url("postgres"), check=False)
    print(done.stdout, end="")
    results.append(claim("a restore of it has the ledger of that time, and its usage", done.stderr if done.returncode else ""))
    moment = database.sql("SELECT clock_timestamp()")
    time.sleep(1)
    with senders(address, "after") as after:
        await_batches(after)
    database.sql("DELETE FROM priorityd.usage_record WHERE source = 'before'")  # The mistake.
    database.sql("SELECT pg_switch_wal()")

    begin = time.monotonic()
    database.stop()
    run("pgbackrest", "--stanza=priorityd", "--delta", "--type=time", f"--target={moment}", "--target-action=promote", "restore")
    database.start()
    until_open = time.monotonic() - begin
    while database.sql("SELECT pg_is_in_recovery()") == "t":
        time.sleep(0.1)
    results.append(claim("the database has what was acknowledged before the moment, and nothing after it", difference(ledger(database.url()), account(*before))))
    results += _sent_again(database, address, [*before, *after])
    took = time.monotonic() - begin
    ranker.end()
    gap = ranker.longest_gap(begin, time.monotonic())
    print(f"restored in {until_open:.1f} s, everything recorded again after {took:.1f} s; rankings waited {gap:.2f} s at most")
    results.append(claim("rankings were answered meanwhile", "" if gap < 2 and not ranker.errors else f"{gap} s, {ranker.errors[:3]}"))
    return results


def _sent_again(database, address, started):
    """Collectors send all of it; what was restored is not counted again."""
    duplicates = accepted = 0
    with client(address) as collector:
        for sender in started:
            for batch in sender.batches:
                answer = _patiently(collector, batch)
                duplicates, accepted = duplicates + answer.duplicates, accepted + answer.accepted
        want = account(*started)
        results = [claim("restored records are duplicates, the others are accepted",
                         difference((duplicates, accepted), (want["before"][0], want["after"][0]))),
                   claim("nothing is lost, and nothing counted twice", difference(ledger(database.url()), want))]
    for one in address.split(","):
        done = run("prioctl", "--server", one, "--cluster", small_site.CLUSTER, "rebuild-usage", "--validate-only", check=False)
        results.append(claim(f"usage is that of the ledger at {one}", done.stdout + done.stderr if done.returncode else ""))
    return results


def _patiently(collector, batch):
    while True:
        try:
            return collector.priority.RecordUsage(batch)
        except priorityd.PriorityError as error:
            if not priorityd.is_transient(error):
                raise
            time.sleep(0.2)


TESTS = [point_in_time]
