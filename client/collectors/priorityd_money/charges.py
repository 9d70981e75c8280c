"""Usage of the ledger, priced exactly and rounded once."""

from __future__ import annotations

import collections
import datetime
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from google.protobuf.timestamp_pb2 import Timestamp

import priorityd
from priorityd import v1
from priorityd_collect.items import Fault, unexpected
from priorityd_collect.quantities import Zone
from priorityd_money.price_book import Price, PriceBook, cost

_MOST_BUCKETS = 50_000


@dataclass(frozen=True)
class Charge:
    """A line: usage under one rule."""

    begin: int
    end: int
    account: str
    user: str
    qos: str
    tres: str
    price: Price
    #: TRES-seconds, exact.
    seconds: Fraction
    #: In minor units of the currency; all lines add up to the rounded total.
    minor: int

    def exact(self) -> Fraction:
        """The cost before it is rounded."""
        return cost(self.seconds, self.price.per_hour)


@dataclass(frozen=True)
class Charges:
    """All lines, and usage without a price: TRES-seconds by TRES."""

    lines: list[Charge]
    unpriced: dict[str, Fraction]
    cluster: str

    def total(self) -> int:
        """In minor units."""
        return sum(line.minor for line in self.lines)


@dataclass(frozen=True)
class Question:
    """The usage to price, and the division into lines."""

    cluster: str
    begin: int
    end: int
    accounts: tuple[str, ...]
    #: Of account, user and qos.
    by: frozenset[str]
    by_month: bool = False


def price_usage(client: priorityd.Client, book: PriceBook, question: Question) -> Charges:
    """Read the report that the price book needs, and price it."""
    months = _months(question, book.zone) if question.by_month else [question.begin, question.end]
    sums: dict[tuple[int, int, str, str, str, str, int], Fraction] = collections.defaultdict(Fraction)
    unpriced: dict[str, Fraction] = collections.defaultdict(Fraction)
    cluster = question.cluster
    for page in priorityd.pages(client.priority.ReportUsage, _request(book, question, months)):
        cluster = page.cluster or cluster
        for row in page.rows:
            month = max(index for index, second in enumerate(months[:-1]) if second <= row.start_time.seconds)
            for tres, seconds in _amounts(row):
                rule = book.rule(tres, row.partition, row.qos, row.start_time.seconds)
                if rule is not None:
                    sums[(months[month], months[month + 1], *_group(row, question), tres, rule)] += seconds
                elif tres not in book.free:
                    unpriced[tres] += seconds
    lines = [Charge(*key[:-1], book.prices[key[-1]], seconds, 0) for key, seconds in sorted(sums.items())]
    return Charges(_rounded(lines, book.digits), dict(sorted(unpriced.items())), cluster)


def apportion(exact: list[Fraction]) -> list[int]:
    """Whole numbers whose sum is the sum rounded half up: each rounded down, the largest remainders up.

    Of equal remainders the earlier one is rounded up.
    """
    whole = [math.floor(value) for value in exact]
    missing = math.floor(sum(exact, Fraction()) + Fraction(1, 2)) - sum(whole)
    order = sorted(range(len(exact)), key=lambda index: whole[index] - exact[index])
    for index in order[:missing]:
        whole[index] += 1
    return whole


def _rounded(lines: list[Charge], digits: int) -> list[Charge]:
    minor = apportion([line.exact() * 10**digits for line in lines])
    return [
        Charge(line.begin, line.end, line.account, line.user, line.qos, line.tres, line.price, line.seconds, value)
        for line, value in zip(lines, minor, strict=True)
    ]


def _amounts(row: v1.UsageReportRow) -> Iterator[tuple[str, Fraction]]:
    for tres, seconds in row.tres_seconds.items():
        if not math.isfinite(seconds):
            raise Fault(f"ReportUsage {tres}: got {seconds}, want a finite number")
        if seconds:
            yield tres, Fraction(Decimal(repr(seconds)))


def _group(row: v1.UsageReportRow, question: Question) -> tuple[str, str, str]:
    by = question.by
    return (
        row.account if "account" in by else "",
        row.user if "user" in by else "",
        row.qos if "qos" in by else "",
    )


def _request(book: PriceBook, question: Question, months: list[int]) -> v1.ReportUsageRequest:
    groupings = {
        v1.REPORT_GROUPING_ACCOUNT: "account" in question.by,
        v1.REPORT_GROUPING_USER: "user" in question.by,
        v1.REPORT_GROUPING_QOS: "qos" in question.by or book.needs_qos(),
        v1.REPORT_GROUPING_JOB: book.needs_jobs(),
    }
    request = v1.ReportUsageRequest(
        cluster=question.cluster,
        start_time=Timestamp(seconds=question.begin),
        end_time=Timestamp(seconds=question.end),
        group_by=[grouping for grouping, needed in groupings.items() if needed],
        accounts=question.accounts,
        page_size=100_000,
    )
    cuts = [*book.cuts(question.begin, question.end), *months[1:-1]]
    if cuts:
        request.bucket_length.seconds = _length(cuts, question)
    return request


def _length(cuts: list[int], question: Question) -> int:
    """The longest buckets, counted from the begin, none of which contains a cut."""
    length = math.gcd(*(cut - question.begin for cut in cuts))
    if (question.end - question.begin) / length > _MOST_BUCKETS:
        want = f"a full hour, and at most {_MOST_BUCKETS} parts up to --to"
        raise unexpected("--from", f"parts of {length} s, by the hours of the price book", want)
    return length


def _months(question: Question, zone: Zone) -> list[int]:
    """Begin, the midnights at which months begin, end."""
    day = datetime.datetime.fromtimestamp(question.begin, zone).replace(day=1)
    found = [question.begin]
    while found[-1] < question.end:
        day = month_after(day)
        found.append(min(int(day.timestamp()), question.end))
    return found


def month_after(of: datetime.datetime) -> datetime.datetime:
    """The midnight at which the next month begins."""
    return datetime.datetime(of.year + of.month // 12, of.month % 12 + 1, 1, tzinfo=of.tzinfo)
