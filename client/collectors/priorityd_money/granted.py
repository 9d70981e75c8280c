"""A grant of an amount of money, as a grant of the sum of TRES whose weights are the prices."""

from __future__ import annotations

from decimal import Decimal

from priorityd_collect.items import Fault, unexpected
from priorityd_money.price_book import Price, PriceBook

#: As of the service.
_MOST_TERMS = 20
_LEAST_PRICE, _MOST_PRICE = Decimal("1e-9"), Decimal("1e9")


def sum_of(book: PriceBook) -> str:
    """The TRES of such a grant, as the service writes it: an hour of it is a unit of the currency.

    A fault names the rule by which a price depends on more than the TRES: grants have one weight for each.
    """
    prices: dict[str, Decimal] = {}
    for number, price in enumerate(book.prices, 1):
        if price.tres not in prices:
            prices[price.tres] = _price_alone(price, f"price[{number}]")
    terms = [f"{tres}={_weight(price)}" for tres, price in sorted(prices.items()) if price]
    if not 0 < len(terms) <= _MOST_TERMS:
        raise unexpected("price", f"{len(terms)} TRES with a price above 0", f"1 to {_MOST_TERMS} for a grant")
    return terms[0].removesuffix("=1") if len(terms) == 1 else ",".join(terms)


def is_sum_of(tres: str, book: PriceBook) -> bool:
    """Whether an hour of the TRES of a grant is a unit of the currency."""
    try:
        return tres == sum_of(book)
    except Fault:
        return False


def settings_of(book: PriceBook, amount: str) -> str:
    """The settings TRES and Amount, as `prioctl grant create` takes them."""
    try:
        found = Decimal(amount)
    except ArithmeticError:
        found = Decimal(0)
    if not found.is_finite() or not 0 < found < 10**12 or _decimals(found) > 6:
        raise unexpected("--amount", amount, "an amount of the currency above 0, with at most 6 decimals")
    return f"TRES={sum_of(book)} Amount={found:f}h"


def _price_alone(price: Price, place: str) -> Decimal:
    narrow = {
        "partition": price.partitions,
        "qos": price.qos,
        "hours": price.hours,
        "days": price.days,
        "from": price.begin > float("-inf"),
        "until": price.end < float("inf"),
    }
    for key, is_given in narrow.items():
        if is_given:
            want = "prices without it, or TRES=price/NAME by the verb `book`"
            raise Fault(f"{place}.{key}: got a price of part of {price.tres}, want {want}")
    if price.tres == "billing":
        raise unexpected(f"{place}.tres", price.tres, "a TRES other than billing for a grant")
    if price.per_hour and not _LEAST_PRICE <= price.per_hour <= _MOST_PRICE:
        raise unexpected(f"{place}.per_hour", price.per_hour, "0, or 1e-9 to 1e9, for a grant")
    return price.per_hour


def _weight(price: Decimal) -> str:
    # The shortest text of the nearest double, which is the weight.
    text = format(Decimal(repr(float(price))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimals(found: Decimal) -> int:
    exponent = found.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
