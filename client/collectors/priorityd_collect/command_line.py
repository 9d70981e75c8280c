"""The options of priorityd-collect."""

from __future__ import annotations

import argparse

from priorityd_collect import connection
from priorityd_collect.items import Fault
from priorityd_collect.mapping import KINDS, Mapping, read_mapping

_MOST_OF_BATCH = 100_000
_ABOUT = """Records usage that other tools have written down, each record exactly once.

Every record has an id made of what it is about, so the same log again, a run that was cut short and several
collectors at once change nothing: run it again after whatever happened."""
_EXAMPLES = """examples:
  priorityd-collect pbs /var/spool/pbs/server_priv/accounting --follow
  priorityd-collect sacct                 (runs sacct, from the last mark on)
  priorityd-collect csv jobs.csv --form form.toml --dry-run
docs/collectors.md has one for each source.

exit status: 0 all is recorded, 1 a source or a call failed, 2 the command line is wrong, 3 records are rejected."""


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line; a mistake ends the program with 2."""
    parser = argparse.ArgumentParser(
        prog="priorityd-collect",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    sources = parser.add_subparsers(dest="kind", required=True, metavar="SOURCE")
    _add_sacct(sources)
    _add_files(sources, "jobcomp", "logs of Slurm's jobcomp/filetxt", "sacct")
    _add_pbs(sources)
    _add_sge(sources)
    _add_files(sources, "lsf", "LSF's lsb.acct", "lsf")
    _add_condor(sources)
    csv = _add_files(sources, "csv", "tables, with a file that describes their columns", "csv")
    csv.add_argument("--form", required=True, metavar="FILE", help="the columns, in TOML")
    _add_prometheus(sources)
    _add_jupyterhub(sources)
    _add_files(sources, "swf", "traces in the Standard Workload Format", "swf")
    options = parser.parse_args(arguments)
    _check(parser, options)
    return options


def mapping_of(options: argparse.Namespace) -> Mapping:
    """The mapped names; those of the command line override those of the file."""
    mapping = read_mapping(options.map_file) if options.map_file else Mapping()
    for kind in KINDS:
        for item in getattr(options, f"map_{kind}"):
            mapping.add(kind, item)
    return mapping


def _add_sacct(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "output of `sacct -P`; without FILE it runs sacct, from --since on (default mark)"
    sacct = _add_files(sources, "sacct", about, "sacct", "*")
    sacct.add_argument("--program", default="sacct", metavar="FILE", help="the sacct to run (%(default)s)")


def _add_pbs(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    pbs = _add_files(
        sources, "pbs", "accounting logs of OpenPBS, PBS Professional and Torque; a folder means its logs", "pbs"
    )
    pbs.add_argument(
        "--amounts",
        choices=("allocated", "used"),
        default="allocated",
        help="charge the job's allocation (default) or its usage",
    )
    pbs.add_argument(
        "--account-from",
        choices=("account", "project", "group"),
        default="account",
        help="the attribute that names the account (%(default)s)",
    )


def _add_sge(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    sge = _add_files(sources, "sge", "accounting files of Grid Engine, of all vendors", "sge")
    sge.add_argument(
        "--account-from",
        choices=("project", "account", "department", "group"),
        default="project",
        help="the field that names the account (%(default)s)",
    )
    sge.add_argument(
        "--resource",
        action="append",
        default=[],
        metavar="NAME=TRES",
        help="charge the resource NAME, requested for each slot, as TRES; NAME=TRES/job if requested for the job",
    )


def _add_condor(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "HTCondor's history files, or output of condor_history -long; without FILE it runs condor_history"
    condor = _add_files(sources, "condor", about, "condor", "*")
    condor.add_argument("--program", default="condor_history", metavar="FILE", help="the condor_history to run")
    condor.add_argument(
        "--user-from",
        default="Owner",
        metavar="ATTRIBUTE",
        help="the attribute that names the user to charge (%(default)s)",
    )
    condor.add_argument(
        "--runs-since",
        metavar="TIME",
        help="charge jobs that first started since then by their runs, of JOB_EPOCH_HISTORY (condor_history -epochs); "
        "others whole (default all); give the same TIME each run",
    )


def _add_prometheus(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    prometheus = sources.add_parser("prometheus", help="range queries to a Prometheus", allow_abbrev=False)
    prometheus.add_argument(
        "--url", required=True, metavar="URL", help="the address of Prometheus, such as http://localhost:9090"
    )
    prometheus.add_argument("--queries", required=True, metavar="FILE", help="the queries, in TOML")
    prometheus.add_argument("--until", metavar="TIME", help="default now")
    prometheus.add_argument("--prometheus-token-file", default="", metavar="FILE", help="sent as a bearer token")
    _add_common(prometheus, "prometheus")
    prometheus.set_defaults(files=[], follow=False)


def _add_jupyterhub(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    hub = sources.add_parser("jupyterhub", help="the running servers of a JupyterHub", allow_abbrev=False)
    hub.add_argument("--url", required=True, metavar="URL", help="of the hub, such as http://localhost:8081/hub")
    hub.add_argument("--amounts", required=True, metavar="FILE", help="what a server holds, in TOML")
    hub.add_argument("--jupyterhub-token-file", required=True, metavar="FILE", help="the API token of a service")
    _add_common(hub, "jupyterhub")
    hub.set_defaults(files=[], follow=False)


def _add_files(
    sources: argparse._SubParsersAction[argparse.ArgumentParser], kind: str, about: str, source: str, count: str = "+"
) -> argparse.ArgumentParser:
    parser = sources.add_parser(kind, help=about, description=about, allow_abbrev=False)
    parser.add_argument("files", nargs=count, metavar="FILE", help="- is standard input; FILE.gz is read as well")
    parser.add_argument(
        "--follow", action="store_true", help="wait for more lines, also as files rotate, until stopped"
    )
    _add_common(parser, source)
    return parser


def _add_common(parser: argparse.ArgumentParser, source: str) -> None:
    parser.add_argument(
        "--source",
        default=source,
        metavar="NAME",
        help="the source of these records (%(default)s); one name for each log",
    )
    parser.add_argument(
        "--since",
        metavar="TIME",
        help="only jobs that ended since: a time, an age (7d), mark: the end of what this source has collected, or "
        "recorded: the end of its last record in the ledger",
    )
    parser.add_argument(
        "--overlap",
        default="1d",
        metavar="SPAN",
        help="how long before the mark, or the last record, to begin (%(default)s)",
    )
    parser.add_argument(
        "--mark-account", default="root", metavar="ACCOUNT", help="the account of the marks (%(default)s)"
    )
    parser.add_argument(
        "--time-zone", default="", metavar="NAME", help="of times without one; default that of this host"
    )
    parser.add_argument(
        "--dry-run", "--dry_run", action="store_true", help="print what would be recorded, and record nothing"
    )
    parser.add_argument(
        "--json", action="store_true", help="for programs: with --dry-run the records, as prioctl record reads them"
    )
    parser.add_argument(
        "--strict", action="store_true", help="reject what cannot be recorded in full, instead of counting it as lost"
    )
    parser.add_argument(
        "--rejected", default="", metavar="FILE", help="the file of rejected records; default rejected-SOURCE.jsonl"
    )
    parser.add_argument("--batch-size", type=int, default=1000, metavar="N", help="records sent at once (%(default)s)")
    for kind in KINDS:
        parser.add_argument(
            f"--map-{kind}",
            action="append",
            default=[],
            metavar="FROM=TO",
            help=f"{kind} FROM is TO here; * = any other, no TO = none",
        )
    parser.add_argument("--map-file", default="", metavar="FILE", help="the same in TOML, tables " + ", ".join(KINDS))
    connection.add_options(parser)


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if not 1 <= options.batch_size <= _MOST_OF_BATCH:
        parser.error(f"--batch-size: got {options.batch_size}, want 1 to {_MOST_OF_BATCH}")
    if options.follow and (not options.files or "-" in options.files):
        parser.error("--follow: got no FILE, want one to follow")
    if options.follow and options.dry_run:
        parser.error("--follow: got it with --dry-run, want one of the two")
    try:
        mapping_of(options)
    except Fault as fault:
        parser.error(str(fault))
