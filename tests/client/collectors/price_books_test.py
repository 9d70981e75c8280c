"""Grants of money by price books, against prices applied to the records themselves."""

from __future__ import annotations

import dataclasses
import datetime
import json
import random
import unittest
from decimal import Decimal
from fractions import Fraction

from priced import BOOK, PricedCase, cents, naive_cost, second
from priorityd import v1
from priorityd_collect.items import Fault
from priorityd_money.price_book import read_price_book
from priorityd_money.stored import lines_of
from site_of_tests import Cluster


def utc(second: int) -> str:
    return datetime.datetime.fromtimestamp(second, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class PriceBooksTest(PricedCase):
    def grant(self, cluster: Cluster, **settings: str) -> None:
        request = v1.UpdateGrantsRequest(
            cluster=cluster.name,
            names=["paper"],
            settings=[v1.Setting(name=name, value=value) for name, value in settings.items()],
            allow_missing=True,
        )
        self.site.client.admin.UpdateGrants(request)

    def set_prices(self, cluster: Cluster, text: str, begin: str) -> None:
        code, out, err = self.money(cluster, "book", "--prices", self.book(text), "--name", "eur", "--begin", begin)
        self.assertEqual((code, err), (0, ""))
        file = v1.File(kind=v1.FILE_KIND_PRIORITYD, name="own", content=out)
        self.site.client.admin.Import(v1.ImportRequest(cluster=cluster.name, files=[file]))

    def spent(self, cluster: Cluster) -> list[Fraction]:
        """In each window of the grant, of 10,000 each, in the currency."""
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster.name))
        request = v1.GetGrantStatementRequest(cluster=cluster.name, name="paper")
        windows = self.site.client.priority.GetGrantStatement(request).windows
        return [10_000 - Fraction(window.left_tres_seconds) / 3600 for window in windows]

    def test_each_window_of_a_grant_of_a_price_book_is_what_the_statement_charges(self):
        cluster = self.cluster("money-book")
        self.set_prices(cluster, BOOK, "2025-01-01")
        begin, end = second("2025-10-25T12:15"), second("2025-11-05")
        self.grant(cluster, Accounts="chem", TRES="price/eur", Amount="10000", Begin=utc(begin), End=utc(end))
        year = second("2026-10-22") - second("2025-10-22")
        runs = [dataclasses.replace(run, start=run.start - year, end=run.end - year) for run in self.random_runs()]
        random.Random(1).shuffle(runs)
        self.record(cluster, runs[:30])
        self.spent(cluster)
        self.record(cluster, runs[30:])  # Late.
        of_chem = [run for run in runs if run.user == "amy"]
        exact = naive_cost(of_chem, begin, end)
        self.assertEqual(self.spent(cluster), [exact])
        found, _ = self.statement(cluster, str(begin), str(end), BOOK, "--account", "chem")
        self.assertEqual(Decimal(found["total"]), cents(exact))

    def test_a_price_book_cannot_have_what_the_service_refuses(self):
        price = 'currency="EUR"\n[[price]]\ntres="cpu"\nper_hour='
        for text, name, begin, want in (
            (price + "1000000.5\n", "eur", "2026-01-01", "per_hour: got 1000000.5, want at most 1000000"),
            (price + "0.0000000000001\n", "eur", "2026-01-01", "per_hour: got 1E-13, want at most"),
            (price + "1\n", "a,b", "2026-01-01", "--name: got 'a,b', want a name"),
            (price + "1\n", "eur", "2026-01-01T00:01:00", "--begin: got '2026-01-01T00:01:00', want a full quarter"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(Fault, want):
                lines_of(read_price_book(str(self.book(text))), name, begin)

    def test_balances_of_a_price_book_are_in_its_currency(self):
        cluster = self.cluster("money-left")
        self.set_prices(cluster, BOOK, "2025-01-01")
        self.grant(cluster, Accounts="chem", TRES="price/eur", Amount="12.75")
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster.name))
        code, out, err = self.money(cluster, "balances", "--prices", self.book())
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out)["balances"], [{"user": "amy", "project": "paper", "value": 12}])
        code, _, err = self.money(cluster, "balances")
        self.assertEqual(code, 1)
        self.assertIn("--prices: got 'none', want the price book", err)


if __name__ == "__main__":
    unittest.main()
