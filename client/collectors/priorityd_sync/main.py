"""priorityd-sync: accounts and users from LDAP, SCIM or a CSV."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import priorityd
from priorityd import printable
from priorityd_collect.connection import add_options, client_options
from priorityd_collect.items import Fault, unexpected
from priorityd_sync.application import Application, stopped
from priorityd_sync.comparison import Plan, compare
from priorityd_sync.csv_source import read_csv
from priorityd_sync.directory import Directory
from priorityd_sync.ldap_source import read_ldap
from priorityd_sync.rules import Rules, read_rules
from priorityd_sync.scim_source import read_scim
from priorityd_sync.state import State, locked, read_state, write_state
from priorityd_sync.tables import Table, text
from priorityd_sync.tree import Tree, read_tree

_ABOUT = """Brings the accounts and users of a cluster into agreement with the groups of a directory: LDAP, SCIM 2.0 or
a CSV. docs/sync.md of priorityd describes the file of rules."""
_SOURCES: dict[str, Callable[[Table], Directory]] = {"ldap": read_ldap, "scim": read_scim, "csv": read_csv}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 = done, 1 = the source or the service refused something, 2 = a wrong command line."""
    options = _parse(arguments)
    try:
        rules = read_rules(options.rules)
        with locked(rules.state), priorityd.Client(client_options(options)) as client:
            return _run(options, rules, client)
    except (Fault, priorityd.PriorityError) as error:
        _report(str(error))
        return 1


def _run(options: argparse.Namespace, rules: Rules, client: priorityd.Client) -> int:
    wanted = rules.apply(_read(rules))
    tree = read_tree(client, options.cluster)
    before = read_state(rules.state, tree.cluster)
    plan = compare(wanted, before, tree, options.new_logins, options.adopt)
    plan.refuse_many_deletions(before, options.allow_deletions, options.delete)
    if options.command == "show":
        return _show(options, plan)
    if options.yes:
        _make(options, rules, client, tree, before, plan)
    _print(options, plan)
    return 0


def _read(rules: Rules) -> Directory:
    kind = text(rules.source, "kind", place="source.")
    if kind not in _SOURCES:
        raise unexpected("source.kind", kind, ", ".join(_SOURCES))
    return _SOURCES[kind](rules.source)


def _show(options: argparse.Namespace, plan: Plan) -> int:
    for line in plan.commands(options.delete):
        print(printable(line))
    if not options.delete:
        for line in plan.deletion_lines("# --delete: -"):
            print(printable(line))
    _print_notes(plan)
    return 0


def _make(
    options: argparse.Namespace, rules: Rules, client: priorityd.Client, tree: Tree, before: State, plan: Plan
) -> None:
    """The state is written first: what a run that dies has created is known to have been created here."""
    write_state(rules.state, _either(before, plan.state))
    application = Application(client, tree.cluster, tree.etag, options.comment)
    planned = plan.changes() + (plan.deletions() + len(plan.defaults)) * options.delete
    try:
        application.change(plan)
        if options.delete:
            application.delete(plan)
    except priorityd.PriorityError as error:
        raise stopped(error, application.made, planned) from error
    write_state(rules.state, plan.after_deletions() if options.delete else plan.state)


def _either(before: State, after: State) -> State:
    """The union of both states; where both have an entry, the earlier one."""
    return State(
        before.cluster,
        {**after.accounts, **before.accounts},
        {**after.logins, **before.logins},
        before.members | after.members,
        {**after.admins, **before.admins},
        before.lacking,
    )


def _print(options: argparse.Namespace, plan: Plan) -> None:
    for line in plan.lines():
        print(printable(line))
    for line in plan.deletion_lines("-" if options.delete else "? --delete:"):
        print(printable(line))
    _print_notes(plan)
    made = "made" if options.yes else "to make, and none was made: --yes makes them"
    count = plan.changes() + plan.deletions() * options.delete
    left = "" if options.delete else f"; {plan.deletions()} deletions left out"
    print(f"{count} changes {made}{left}")


def _print_notes(plan: Plan) -> None:
    for question in plan.questions:
        print(f"# ? {printable(question)}")
    for note in plan.notes:
        print(f"# {printable(note)}")


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="priorityd-sync",
        description=_ABOUT,
        epilog="Example: priorityd-sync apply /etc/priorityd/sync.toml --yes",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    about = "print the commands that remove the difference"
    _add_common(commands.add_parser("show", help=about, description=about, allow_abbrev=False))
    about = "create accounts and users, so that they are those of the source"
    apply = commands.add_parser("apply", help=about, description=about, allow_abbrev=False)
    _add_common(apply)
    apply.add_argument("--dry-run", action="store_true", help="only print what would change (default)")
    apply.add_argument("--yes", action="store_true", help="make the changes")
    apply.add_argument("--comment", default="priorityd-sync", metavar="TEXT", help="the reason, for the audit")
    options = parser.parse_args(arguments)
    if options.command == "apply" and options.yes and options.dry_run:
        parser.error("--yes: got it with --dry-run, want one of the two")
    return options


def _add_common(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("rules", metavar="RULES", help="the file of rules, in TOML")
    add("--delete", action="store_true", help="delete what this program has made, and the source lacks")
    add(
        "--allow-deletions",
        type=int,
        default=0,
        metavar="N",
        help="follow a source that lacks so many; default 10, or a tenth of what this program has made",
    )
    add("--new-logins", action="store_true", help="a user with another login is a new user, without the usage")
    add("--adopt", action="store_true", help="count existing associations that the source has as made by this program")
    add_options(parser)


def _report(words: str) -> None:
    for line in words.splitlines():
        print(f"priorityd-sync: {printable(line)}", file=sys.stderr, flush=True)
