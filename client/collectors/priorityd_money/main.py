"""priorityd-money: prices usage of the ledger by a price book."""

from __future__ import annotations

import argparse
import math
import sys

import priorityd
from priorityd import printable, v1
from priorityd_collect.connection import add_options, client_options
from priorityd_collect.items import Fault, unexpected
from priorityd_collect.quantities import moment
from priorityd_money import focus
from priorityd_money.balances import balances
from priorityd_money.charges import Charges, Question, price_usage
from priorityd_money.granted import settings_of
from priorityd_money.price_book import PriceBook, read_price_book
from priorityd_money.statement import as_cells, as_json, as_table, hours
from priorityd_money.stored import lines_of

_ABOUT = """Prices usage of priorityd's ledger by a price book: a statement in currency, an export in FOCUS 1.0, and the
balances of grants for Open OnDemand. docs/money.md of priorityd describes the price book."""

_LONGEST = 3660 * 86400


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 = done, 1 = an error."""
    options = _parse(arguments)
    try:
        with priorityd.Client(client_options(options)) as client:
            options.run(options, client)
    except (Fault, priorityd.PriorityError) as error:
        _report(str(error))
        return 1
    return 0


def _statement(options: argparse.Namespace, client: priorityd.Client) -> None:
    book = read_price_book(options.prices)
    by = list(dict.fromkeys(options.by or ["account"]))
    charges = _charges(options, client, book, frozenset(by))
    form = as_json if options.json else as_cells if options.parsable else as_table
    print(form(charges, book, by))


def _focus(options: argparse.Namespace, client: priorityd.Client) -> None:
    book = read_price_book(options.prices)
    charges = _charges(options, client, book, frozenset(["account"]), by_month=True)
    write = focus.write_parquet if options.format == "parquet" else focus.write_csv
    write(options.output, focus.rows(charges, book))


def _balances(options: argparse.Namespace, client: priorityd.Client) -> None:
    book = read_price_book(options.prices) if options.prices else None
    print(balances(client, options.cluster, options.tres, book))


def _grant(options: argparse.Namespace, _client: priorityd.Client) -> None:
    print(settings_of(read_price_book(options.prices), options.amount))


def _book(options: argparse.Namespace, _client: priorityd.Client) -> None:
    print(lines_of(read_price_book(options.prices), options.name, options.begin))


def _charges(
    options: argparse.Namespace,
    client: priorityd.Client,
    book: PriceBook,
    by: frozenset[str],
    by_month: bool = False,
) -> Charges:
    begin, end = _times(options, book)
    accounts = tuple(options.account or ())
    charges = price_usage(client, book, Question(options.cluster, begin, end, accounts, by, by_month))
    for account in _unknown(client, options.cluster, set(accounts) - {line.account for line in charges.lines}):
        _report(f"warning: --account: got {printable(account)}, want an account of the cluster")
    for tres, seconds in charges.unpriced.items():
        _report(f"warning: {tres}: {hours(seconds, 6)} hours have no price and are not charged")
    return charges


def _unknown(client: priorityd.Client, cluster: str, accounts: set[str]) -> list[str]:
    """Return which of these are not in the tree; none, if the caller cannot read it."""
    if not accounts:
        return []
    request = v1.ListAssociationsRequest(cluster=cluster, where=v1.AssociationFilter(accounts=sorted(accounts)))
    try:
        found = {
            row.account for page in priorityd.pages(client.admin.ListAssociations, request) for row in page.associations
        }
    except priorityd.PriorityError:
        return []
    return sorted(accounts - found)


def _times(options: argparse.Namespace, book: PriceBook) -> tuple[int, int]:
    begin, end = _second(options.begin, "--from", book), _second(options.end, "--to", book)
    if begin <= 0:
        raise unexpected("--from", options.begin, "a time after 1970-01-01")
    if not begin < end <= begin + _LONGEST:
        raise unexpected("--to", options.end, "a time after --from, at most 10 years later")
    return begin, end


def _second(text: str, what: str, book: PriceBook) -> int:
    if text.isdecimal() and len(text) == 8:
        raise unexpected(what, text, "a date such as 2026-10-01")  # Not seconds of 1970.
    found = moment(text, book.zone, what)
    if not math.isfinite(found) or found % 1:
        raise unexpected(what, text, "a full second")
    return int(found)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="priorityd-money",
        description=_ABOUT,
        epilog="Example: priorityd-money statement --prices prices.toml --from 2026-10-01 --to 2026-11-01",
        allow_abbrev=False,
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    statement = verbs.add_parser("statement", help="what usage costs, by account, user or QOS", allow_abbrev=False)
    _add_usage(statement)
    statement.add_argument("--by", action="append", choices=("account", "user", "qos"), help="again for several")
    form = statement.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON; amounts are texts")
    form.add_argument("-P", "--parsable", action="store_true", help="print cells with | between them, without sums")
    statement.set_defaults(run=_statement)
    export = verbs.add_parser("focus", help="write charges as FOCUS 1.0", allow_abbrev=False)
    _add_usage(export)
    export.add_argument("--format", choices=("csv", "parquet"), default="csv", help="(%(default)s)")
    export.add_argument("--output", required=True, metavar="FILE", help="the file; it is overwritten")
    export.set_defaults(run=_focus)
    left = verbs.add_parser("balances", help="print what is left of grants, for Open OnDemand", allow_abbrev=False)
    left.add_argument("--prices", default="", metavar="FILE", help="print currency instead of TRES-hours")
    left.add_argument("--tres", default="", metavar="TRES", help="only grants of this TRES")
    left.set_defaults(run=_balances)
    grant = verbs.add_parser("grant", help="print the settings of a grant of an amount of money", allow_abbrev=False)
    grant.add_argument("--prices", required=True, metavar="FILE", help="the price book, in TOML")
    grant.add_argument("--amount", required=True, metavar="N", help="in the currency, such as 5000")
    grant.set_defaults(run=_grant)
    book = verbs.add_parser("book", help="print the price book for `prioctl import priorityd`", allow_abbrev=False)
    book.add_argument("--prices", required=True, metavar="FILE", help="the price book, in TOML")
    book.add_argument("--name", required=True, help="its name: grants of it have TRES=price/NAME")
    book.add_argument("--begin", required=True, metavar="TIME", help="when these prices begin, in its time zone")
    book.set_defaults(run=_book)
    for verb in (statement, export, left, grant, book):
        add_options(verb)
    return parser.parse_args(arguments)


def _add_usage(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--prices", required=True, metavar="FILE", help="the price book, in TOML")
    add("--from", dest="begin", required=True, metavar="TIME", help="in the price book's time zone, inclusive")
    add("--to", dest="end", required=True, metavar="TIME", help="exclusive")
    add("--account", action="append", metavar="NAME", help="only usage charged to this account directly; several")


def _report(text: str) -> None:
    print(f"priorityd-money: {printable(' '.join(text.splitlines()))}", file=sys.stderr, flush=True)
