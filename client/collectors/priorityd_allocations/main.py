"""priorityd-allocations: grants from files of allocations."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import grpc

import priorityd
from priorityd import printable, v1
from priorityd_allocations.agreement import Grants, Plan, revoked
from priorityd_allocations.coldfront import read_coldfront
from priorityd_allocations.csv_file import read_csv
from priorityd_allocations.entries import SETTINGS, Entries, Reading, Wanted, component, setting_name
from priorityd_allocations.export import losses, write_csv
from priorityd_allocations.waldur import read_waldur
from priorityd_collect.connection import add_options, client_options
from priorityd_collect.items import Fault, unexpected

_ABOUT = """Brings the grants of a cluster into agreement with a file of allocations: a CSV, or JSON of Waldur or
ColdFront. Exports them as such a CSV."""
#: Format: how it is read, and the prefix of its grants.
_FORMATS: dict[str, tuple[Callable[[Reading], Entries], str]] = {
    "csv": (read_csv, ""),
    "waldur": (read_waldur, "waldur-"),
    "coldfront": (read_coldfront, "coldfront-"),
}
_MOST_FAULTS_LISTED = 50


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 = done, 1 = something in the file was refused or a call failed, 2 = a wrong command line."""
    options = _parse(arguments)
    try:
        if options.command == "export":
            return _export(options)
        result = _read(options)
        if options.command == "show":
            _refuse_faults(result.faults)
            return _show(result)
        with priorityd.Client(client_options(options)) as client:
            return _apply(options, result, Grants(client, options.cluster, options.comment))
    except (Fault, priorityd.PriorityError) as error:
        _report(str(error))
        return 1


def _read(options: argparse.Namespace) -> Entries:
    read, _ = _FORMATS[options.format]
    components = dict(map(component, options.component))
    result = read(Reading(options.file, options.prefix, options.resource, components))
    extra = dict(map(_setting, options.set))
    result.wanted = [_with(one, extra) for one in result.wanted]
    _refuse_twice(result)
    return result


def _refuse_faults(faults: list[Fault]) -> None:
    if faults:
        raise Fault(_list(faults, "nothing was done"))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    found = setting_name(name)
    if not (found and equals):
        raise unexpected("--set", text, f"NAME=VALUE, NAME one of {', '.join(SETTINGS)}")
    return found, value


def _with(one: Wanted, extra: dict[str, str]) -> Wanted:
    for name in extra:
        if name in one.settings:
            raise Fault(f"--set {name}: got it, and the file has a {name} as well, want one of the two", one.place)
    return Wanted(one.name, {**one.settings, **extra}, one.place)


def _refuse_twice(result: Entries) -> None:
    places: dict[str, str] = {}
    for one in result.wanted:
        first = places.setdefault(one.name, one.place)
        if first is not one.place:
            result.faults.append(
                Fault(f"grant {one.name}: got it twice, the first at {first}, want it once", one.place)
            )


def _export(options: argparse.Namespace) -> int:
    with priorityd.Client(client_options(options)) as client:
        cluster = Grants(client, options.cluster, "")
        grants = _of_operators(cluster, cluster.listed(), options.prefix)
    write_csv(grants, options.prefix, sys.stdout)
    for line in losses(grants, options.prefix):
        _report(line)
    return 0


def _of_operators(cluster: Grants, grants: list[v1.Grant], prefix: str) -> list[v1.Grant]:
    """Leave out the limits by coordinators, which apply would make grants of operators."""
    try:
        limits = cluster.by_coordinators()
    except priorityd.PriorityError as error:
        if error.code != grpc.StatusCode.PERMISSION_DENIED:
            raise
        _report("limits by coordinators may be in the file as other grants: only operators can leave them out")
        return grants
    kept = [grant for grant in grants if grant.name not in limits]
    left_out = sum(grant.name in limits and grant.name.startswith(prefix) for grant in grants)
    if left_out:
        _report(f"{left_out} limits by coordinators are not in the file")
    return kept


def _show(result: Entries) -> int:
    for one in result.wanted:
        print(one.command())
    for skipped in result.skipped:
        print(f"# skipped: {skipped.place}: {skipped.why}")
    return 0


def _apply(options: argparse.Namespace, result: Entries, grants: Grants) -> int:
    if options.revoke_missing and not (result.wanted or result.skipped or result.faults):
        raise Fault(f"{options.file}: got no entry, want one at least with --revoke-missing")
    try:
        plan = grants.plan(result.wanted, options.prefix)
    except priorityd.PriorityError:
        _refuse_faults(result.faults)
        raise
    _refuse_faults(result.faults and result.faults + plan.faults)
    if plan.faults:
        raise Fault(_list(plan.faults, "nothing was changed"))
    if options.yes:
        _change(grants, plan, options.revoke_missing)
    else:
        for _, line in plan.changes:
            print(printable(line))
    _print_summary(options, result, plan)
    return 0


def _change(grants: Grants, plan: Plan, revokes: bool) -> None:
    done = 0
    try:
        for line in grants.apply(plan, revokes):
            print(printable(line), flush=True)
            done += 1
    except priorityd.PriorityError as error:
        total = len(plan.changes) + len(plan.missing) * revokes
        raise Fault(f"{error}; {done} of {total} changes were made, want the command again") from error


def _print_summary(options: argparse.Namespace, result: Entries, plan: Plan) -> None:
    for name in plan.missing:
        if not options.revoke_missing:
            print(f"? {printable(name)}: the file does not have it; --revoke-missing revokes it")
        elif not options.yes:
            print(printable(revoked(name)))
    for skipped in result.skipped:
        print(f"# skipped: {skipped.place}: {skipped.why}")
    for warning in plan.warnings:
        print(f"! {printable(warning)}")
    made = "made" if options.yes else "to make, and none was made: --yes makes them"
    count = len(plan.changes) + len(plan.missing) * options.revoke_missing
    print(f"{count} changes {made}; {plan.unchanged} grants unchanged, {len(result.skipped)} limits or entries skipped")


def _list(faults: list[Fault], end: str) -> str:
    listed = [str(fault) for fault in faults[:_MOST_FAULTS_LISTED]]
    if len(faults) > len(listed):
        listed.append(f"and {len(faults) - len(listed)} others")
    return "\n".join([*listed, end])


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="priorityd-allocations",
        description=_ABOUT,
        epilog="Example: priorityd-allocations apply --format csv quarter.csv --yes",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_common(_command(commands, "show", "print the commands that create the grants of the file"))
    apply = _command(commands, "apply", "create and change grants, so that they are those of the file")
    _add_common(apply)
    apply.add_argument("--dry-run", action="store_true", help="only print what would change (default)")
    apply.add_argument("--yes", action="store_true", help="make the changes")
    apply.add_argument(
        "--revoke-missing", action="store_true", help="revoke the grants with the prefix that the file does not have"
    )
    apply.add_argument("--comment", default="priorityd-allocations", metavar="TEXT", help="the reason, for the audit")
    add_options(apply)
    export = _command(commands, "export", "print the grants in force and to come as a CSV, which apply reads")
    export.add_argument("--prefix", default="", metavar="TEXT", help="only grants with it; the file has names without")
    add_options(export)
    options = parser.parse_args(arguments)
    if options.command == "export":
        return options
    if options.prefix is None:
        options.prefix = _FORMATS[options.format][1]
    _check(parser, options)
    return options


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, about: str
) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=about, description=about, allow_abbrev=False)


def _add_common(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the allocations; - is standard input, and FILE.gz is read as well")
    add("--format", required=True, choices=tuple(_FORMATS))
    add("--prefix", metavar="TEXT", help="of the names of the grants; default waldur-, coldfront-, none for a CSV")
    add("--resource", default="", metavar="NAME", help="only of this resource of ColdFront, or offering of Waldur")
    add(
        "--component",
        action="append",
        default=[],
        metavar="NAME=TRES:FACTOR",
        help="a component of Waldur's marketplace: TRES-minutes = limit * FACTOR; NAME= grants nothing",
    )
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of all grants, as Window=quarter")


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.resource and options.format == "csv":
        parser.error("--resource: got it with --format csv, want it with waldur or coldfront")
    if options.component and options.format != "waldur":
        parser.error(f"--component: got it with --format {options.format}, want it with waldur")
    if options.command == "apply" and options.yes and options.dry_run:
        parser.error("--yes: got it with --dry-run, want one of the two")
    if options.command == "apply" and options.revoke_missing and not options.prefix:
        parser.error("--revoke-missing: got it without --prefix, want the prefix of the grants that the file has")


def _report(text: str) -> None:
    for line in text.splitlines():
        print(f"priorityd-allocations: {printable(line)}", file=sys.stderr, flush=True)
