"""Charges as rows of FOCUS 1.0, the FinOps Open Cost and Usage Specification, in CSV or Parquet."""

from __future__ import annotations

import contextlib
import csv
import datetime
import decimal
import os
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from priorityd_collect.files import sync_folder
from priorityd_collect.items import Fault
from priorityd_money.charges import Charge, Charges, month_after
from priorityd_money.price_book import PriceBook
from priorityd_money.statement import hours, money

#: decimal128(38, 18) in Parquet.
DECIMALS = (
    "BilledCost",
    "EffectiveCost",
    "ListCost",
    "ContractedCost",
    "ConsumedQuantity",
    "PricingQuantity",
    "ListUnitPrice",
    "ContractedUnitPrice",
)
#: In UTC.
TIMES = ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd")
#: All mandatory and conditional columns of FOCUS 1.0; those that _row leaves out are null.
COLUMNS = (
    "AvailabilityZone",
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "CommitmentDiscountCategory",
    "CommitmentDiscountId",
    "CommitmentDiscountName",
    "CommitmentDiscountStatus",
    "CommitmentDiscountType",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedCost",
    "ContractedUnitPrice",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "ListUnitPrice",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "RegionName",
    "ResourceId",
    "ResourceName",
    "ResourceType",
    "ServiceCategory",
    "ServiceName",
    "SkuId",
    "SkuPriceId",
    "SubAccountId",
    "SubAccountName",
    "Tags",
)
Row = dict[str, Any]


def rows(charges: Charges, book: PriceBook) -> list[Row]:
    """A row of every charge line, whose BilledCost add up to the statement's total."""
    return [dict.fromkeys(COLUMNS) | _row(line, charges.cluster, book) for line in charges.lines]


def write_csv(path: str, table: list[Row]) -> None:
    """A null is an empty cell."""
    try:
        with _replacing(path) as part, open(part, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\r\n")
            writer.writerow(COLUMNS)
            writer.writerows([_cell(row[name]) for name in COLUMNS] for row in table)
    except OSError as error:
        raise Fault(f"--output {path}: {error.strerror}") from None


def write_parquet(path: str, table: list[Row]) -> None:
    """By pyarrow, which is an extra of the package."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise Fault(f"--format: got parquet and {error}, want pip install 'priorityd-collect[parquet]'") from None
    kinds = dict.fromkeys(COLUMNS, pyarrow.string())
    kinds |= dict.fromkeys(DECIMALS, pyarrow.decimal128(38, 18))
    kinds |= dict.fromkeys(TIMES, pyarrow.timestamp("s", tz="UTC"))
    try:
        columns = pyarrow.Table.from_pylist(table, schema=pyarrow.schema(list(kinds.items())))
        with _replacing(path) as part:
            pyarrow.parquet.write_table(columns, part)
    except (OSError, pyarrow.ArrowException) as error:
        raise Fault(f"--output {path}: {error}") from None


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[str]:
    """A file beside it, which takes its place once it is whole; what is no file, such as /dev/stdout, has none."""
    if os.path.exists(path) and not os.path.isfile(path):
        yield path
        return
    path = os.path.realpath(path)
    part = f"{path}.part"
    try:
        yield part
        with open(part, "rb") as whole:
            os.fsync(whole.fileno())
        os.replace(part, path)
        sync_folder(os.path.dirname(path))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def _row(line: Charge, cluster: str, book: PriceBook) -> Row:
    billed = Decimal(money(line.minor, book.digits))
    quantity = Decimal(hours(line.seconds))
    start = datetime.datetime.fromtimestamp(line.begin, book.zone)
    month = datetime.datetime(start.year, start.month, 1, tzinfo=book.zone)
    price = line.price.per_hour
    unit = f"{_unit(line.tres)}-Hours"
    sku = f"{cluster}/{line.tres}"
    return {
        **dict.fromkeys(("BilledCost", "EffectiveCost"), billed),
        **dict.fromkeys(("ListCost", "ContractedCost"), _exact_cost(quantity, price)),
        **dict.fromkeys(("ConsumedQuantity", "PricingQuantity"), quantity),
        **dict.fromkeys(("ConsumedUnit", "PricingUnit"), unit),
        **dict.fromkeys(("ListUnitPrice", "ContractedUnitPrice"), price),
        **dict.fromkeys(("ProviderName", "PublisherName", "InvoiceIssuerName"), book.provider),
        "BillingAccountId": cluster,
        "BillingAccountName": cluster,
        "BillingCurrency": book.currency,
        "BillingPeriodStart": _utc(month),
        "BillingPeriodEnd": _utc(month_after(month)),
        "ChargePeriodStart": _utc(start),
        "ChargePeriodEnd": _utc(datetime.datetime.fromtimestamp(line.end, book.zone)),
        "ChargeCategory": "Usage",
        "ChargeDescription": f"{line.tres} of {line.account} on {cluster} at {price:f} {book.currency} an hour",
        "ChargeFrequency": "Usage-Based",
        "PricingCategory": "Standard",
        "ResourceId": sku,
        "ResourceName": line.tres,
        "ResourceType": "TRES",
        "ServiceCategory": "Compute",
        "ServiceName": "Batch computing",
        "SkuId": sku,
        "SkuPriceId": f"{sku}/{book.prices.index(line.price) + 1}",
        "SubAccountId": line.account,
        "SubAccountName": line.account,
    }


def _exact_cost(quantity: Decimal, price: Decimal) -> Decimal:
    """The cost that FOCUS requires beside a unit price: the product, not rounded to the billed amount."""
    with decimal.localcontext(prec=76):
        return (quantity * price).quantize(Decimal("1e-18")).normalize()


def _unit(tres: str) -> str:
    """FOCUS units have capitals, no space and no slash."""
    return re.sub("[^A-Za-z0-9]", "-", tres).upper()


def _utc(of: datetime.datetime) -> datetime.datetime:
    return of.astimezone(datetime.UTC)


def _cell(value: object) -> str:
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, Decimal):
        return f"{value:f}"
    return "" if value is None else str(value)
