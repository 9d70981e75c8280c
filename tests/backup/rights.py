"""priorityd-backup runs with all rights of PostgreSQL on a database that a role without special rights owns."""

import shutil

from site_of_backups import claim, owned, run

# With all rights it writes the file.
TRAP = """CREATE FUNCTION {} RETURNS bigint LANGUAGE plpgsql AS
$$ BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''touch {}'''; RETURN 1; END $$"""
TABLES = ("CREATE SCHEMA priorityd", "CREATE TABLE priorityd.cluster (id integer, name text, former_name text, ledger_horizon timestamptz)",
          "CREATE TABLE priorityd.usage_record (cluster_id integer, accepted_at timestamptz)", "INSERT INTO priorityd.cluster VALUES (1, 'c')",
          "INSERT INTO priorityd.usage_record VALUES (1, '2026-01-01')")
LEDGER = "import runpy, sys; print(runpy.run_path(sys.argv[1])['Session'](sys.argv[2]).ledger('2100-01-01'))"


def rights(folder):
    """The role leaves what would run with the rights of the superuser who reads the ledger."""
    home = owned(folder / "rights")
    data, trapped = home / "data", home / "trapped"
    run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
    run("pg_ctl", "-D", data, "-w", "-l", home / "postgres.log", "-o", f"-c listen_addresses= -k {home}", "start")

    def sql(user, database, *statements):
        words = [word for statement in statements for word in ("-c", statement)]
        run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", home, "-U", user, "-d", database, *words)

    def ledger():
        return run("/usr/bin/python3", "-c", LEDGER, shutil.which("priorityd-backup"), f"postgresql://postgres@/priorityd?host={home}", check=False)

    try:
        sql("postgres", "postgres", "CREATE ROLE priorityd LOGIN", "CREATE DATABASE priorityd OWNER priorityd")
        sql("priorityd", "priorityd", *TABLES, TRAP.format("public.hashtextextended(text, integer)", trapped))
        done = ledger()
        results = [claim("the ledger is read by PostgreSQL's own functions", done.stderr if done.returncode else "" if "'c -': '1 " in done.stdout else done.stdout),
                   claim("a function of the program's role is not executed", f"got {trapped}" if trapped.exists() else "")]
        sql("priorityd", "priorityd", TRAP.format("priorityd.trap()", trapped), "ALTER TABLE priorityd.usage_record RENAME TO kept",
            "CREATE VIEW priorityd.usage_record AS SELECT *, priorityd.trap() FROM priorityd.kept")
        done = ledger()
        results.append(claim("a view in the place of a table is refused", "" if done.returncode and "usage_record" in done.stderr else done.stdout + done.stderr))
        results.append(claim("nor is a function of a view executed", f"got {trapped}" if trapped.exists() else ""))
        return results
    finally:
        run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")


TESTS = [rights]
