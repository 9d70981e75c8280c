"""An acknowledgement says that the synchronous standby has the record, also when the record is known already."""

import time

import load
import small_site
from point_in_time import free_port
from site_of_backups import claim, client, owned, run, server

import priorityd

ATTEMPTS = 5


def standby(folder):
    """A commit that no standby confirms is cut short: it is visible on the primary, and may be lost with it."""
    home, port = owned(folder / "standby"), free_port()
    data = home / "data"
    run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
    with open(data / "postgresql.conf", "a", encoding="utf-8") as settings:
        settings.write(f"port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{home}'\n")
    run("pg_ctl", "-D", data, "-w", "-l", home / "postgres.log", "start")
    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"

    def sql(*statements):
        words = [word for statement in statements for word in ("-c", statement)]
        return run("psql", "-XAtq", "-d", url, *words, PGOPTIONS="-c synchronous_commit=local").stdout.strip()

    try:
        with server(home / "log", f"--database_url={url}") as address, client(address) as collector:
            small_site.load_into(collector)
            sql("ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()")
            try:
                return _without_standby(collector, address, sql)
            finally:
                sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
    finally:
        run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")


def _without_standby(collector, address, sql):
    batch = load.Sender("source", priorityd.Options(address=address, cluster=small_site.CLUSTER)).batch(1)
    answers = []
    for _ in range(ATTEMPTS):
        try:
            answers.append(collector.priority.RecordUsage(batch, timeout=3).duplicates)
        except priorityd.PriorityError:
            pass
        sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        time.sleep(0.5)
    there = sql("SELECT count(*) FROM priorityd.usage_record")
    return [claim("a commit that is cut short is visible on the primary", "" if there == str(load.RECORDS) else f"got {there} records"),
            claim("no answer says so while no standby has it", f"got {answers} duplicates" if answers else "")]


TESTS = [standby]
