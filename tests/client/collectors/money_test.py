"""What priorityd-money charges, against prices applied to the records themselves, quarter by quarter of an hour."""

from __future__ import annotations

import csv
import itertools
import json
import math
import pathlib
import random
import sys
import unittest
from decimal import Decimal
from fractions import Fraction
from unittest import mock

from google.protobuf.timestamp_pb2 import Timestamp
from priced import BOOK, PricedCase, Run, cents, naive_cost, second
from priorityd import v1
from priorityd_collect.items import Fault
from priorityd_money import focus
from priorityd_money.charges import apportion
from priorityd_money.granted import settings_of
from priorityd_money.price_book import read_price_book
from site_of_tests import Cluster

FOCUS_COLUMNS = pathlib.Path(__file__).parent / "data" / "focus_1_0_columns.csv"
FOCUS_FORMS = {
    "string": r"^\S(.*\S)?$",
    "decimal": r"^-?\d+(\.\d+)?$",
    "time": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
    "json": r"^\{.*\}$",
}
FOCUS_NEEDED_OF_USAGE = (
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedUnitPrice",
    "ListUnitPrice",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "SkuId",
    "SkuPriceId",
)


class MoneyTest(PricedCase):
    def test_statement_focus_and_parquet_are_the_price_of_the_records_to_the_cent(self):
        cluster, runs = self.cluster("money-sums"), self.random_runs()
        self.record(cluster, runs)
        begin, end = "2026-10-23T00:00:00", "2026-11-03T00:00:00"
        want = cents(naive_cost(runs, second(begin), second(end)))
        for by in (["account"], ["user"], ["qos"], ["account", "user"]):
            found, err = self.statement(cluster, begin, end, BOOK, *(word for name in by for word in ("--by", name)))
            self.assertEqual(Decimal(found["total"]), want)
            self.assertEqual(sum(Decimal(line["cost"]) for line in found["lines"]), want)
            self.assertEqual((err, found["unpriced_tres_hours"]), ("", {}))
        path = self.folder / "focus.csv"
        where = ("--prices", self.book(), "--from", begin, "--to", end, "--output", path)
        self.assertEqual(self.money(cluster, "focus", *where), (0, "", ""))
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(sum(Decimal(row["BilledCost"]) for row in rows), want)
        self.check_focus(rows)
        self.check_quantities(cluster, rows, second(begin), second(end))

    def check_quantities(self, cluster: Cluster, rows: list[dict[str, str]], begin: int, end: int) -> None:
        request = v1.ReportUsageRequest(
            cluster=cluster.name, start_time=Timestamp(seconds=begin), end_time=Timestamp(seconds=end)
        )
        (row,) = self.site.client.priority.ReportUsage(request).rows
        for tres in ("cpu", "gres/gpu"):
            found = sum(Decimal(r["ConsumedQuantity"]) for r in rows if r["ResourceName"] == tres)
            self.assertAlmostEqual(float(found), row.tres_seconds[tres] / 3600, delta=1e-9)

    def check_focus(self, rows: list[dict[str, str]]) -> None:
        """The requirements of FOCUS 1.0 on each column, and those between columns that usage has."""
        rules = {rule["column"]: rule for rule in csv.DictReader(FOCUS_COLUMNS.read_text().splitlines())}
        self.assertEqual({row["BillingPeriodStart"] for row in rows}, {"2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"})
        for row in rows:
            self.assertEqual(set(row), set(rules))
            for name, cell in row.items():
                self.check_focus_cell(rules[name], cell)
            self.assertRegex(row["BillingCurrency"], "^[A-Z]{3}$")
            self.check_focus_of_usage(row)

    def check_focus_cell(self, rule: dict[str, str], cell: str) -> None:
        if not cell:
            self.assertEqual(rule["nullable"], "yes", rule["column"])
            return
        self.assertRegex(cell, FOCUS_FORMS[rule["type"]], rule["column"])
        if rule["values"]:
            self.assertIn(cell, rule["values"].split("|"), rule["column"])

    def check_focus_of_usage(self, row: dict[str, str]) -> None:
        """Of a charge for usage that corrects nothing."""
        self.assertEqual((row["ChargeCategory"], row["ChargeClass"]), ("Usage", ""))
        for name in FOCUS_NEEDED_OF_USAGE:
            self.assertTrue(row[name], name)
        quantity = Decimal(row["PricingQuantity"])
        for cost, price in (("ListCost", "ListUnitPrice"), ("ContractedCost", "ContractedUnitPrice")):
            # The product itself; a cell has 18 decimals.
            self.assertLessEqual(
                abs(Fraction(quantity) * Fraction(row[price]) - Fraction(row[cost])), Fraction(1, 2 * 10**18)
            )
            self.assertLess(abs(Decimal(row["BilledCost"]) - Decimal(row[cost])), Decimal("0.01"))
        self.assertEqual(row["EffectiveCost"], row["BilledCost"])
        order = ("BillingPeriodStart", "ChargePeriodStart", "ChargePeriodEnd", "BillingPeriodEnd")
        periods = [row[name] for name in order]
        self.assertEqual(periods, sorted(periods))

    def test_parquet_has_what_csv_has(self):
        import pyarrow.parquet

        cluster = self.cluster("money-parquet")
        self.record(cluster, self.random_runs())
        paths = {form: self.folder / f"focus.{form}" for form in ("csv", "parquet")}
        where = ("--prices", self.book(), "--from", "2026-10-23", "--to", "2026-11-03")
        for form, path in paths.items():
            done = self.money(cluster, "focus", *where, "--output", path, "--format", form)
            self.assertEqual(done, (0, "", ""))
        with paths["csv"].open(newline="") as file:
            rows = list(csv.DictReader(file))
        found = pyarrow.parquet.read_table(paths["parquet"]).to_pylist()
        self.assertEqual(len(found), len(rows))
        for one, other in zip(found, rows, strict=True):
            for name in focus.COLUMNS:
                cell = Decimal(other[name]) if name in focus.DECIMALS else other[name] or None
                value = one[name].strftime("%Y-%m-%dT%H:%M:%SZ") if name in focus.TIMES else one[name]
                self.assertEqual(value, cell)

    def test_parquet_without_pyarrow_names_the_extra(self):
        with mock.patch.dict(sys.modules, {"pyarrow": None}), self.assertRaisesRegex(Fault, r"\[parquet\]"):
            focus.write_parquet(str(self.folder / "x"), [])

    def test_the_hour_that_comes_twice_is_charged_twice(self):
        cluster = self.cluster("money-clock")
        self.record(cluster, [Run("1", "amy", "p", second("2026-10-25"), second("2026-10-26"), {"cpu": 1})])
        book = 'currency="EUR"\ntime_zone="Europe/Berlin"\nfree=["billing"]\n'
        book += '[[price]]\ntres="cpu"\nhours="2-3"\nper_hour=1\n[[price]]\ntres="cpu"\nper_hour=0.1\n'
        found, _ = self.statement(cluster, "2026-10-25T00:00:00", "2026-10-26T00:00:00", book)
        self.assertEqual([line["tres_hours"] for line in found["lines"]], ["2", "23"])
        self.assertEqual(found["total"], "4.30")

    def test_usage_without_a_price_is_named_and_not_charged(self):
        cluster = self.cluster("money-missing")
        start = second("2026-10-20")
        self.record(cluster, [Run("1", "amy", "p", start, start + 3600, {"cpu": 2, "gres/gpu": 3})])
        book = 'currency="EUR"\nfree=["billing"]\n[[price]]\ntres="cpu"\nper_hour=1\n'
        found, err = self.statement(cluster, str(start), str(start + 3600), book)
        self.assertEqual((found["total"], found["unpriced_tres_hours"]), ("2.00", {"gres/gpu": "3"}))
        self.assertIn("warning: gres/gpu: 3 hours have no price", err)

    def test_an_account_that_neither_the_tree_nor_the_ledger_has_is_named(self):
        cluster = self.cluster("money-unknown")
        book = 'currency="EUR"\nfree=["billing"]\n[[price]]\ntres="cpu"\nper_hour=1\n'
        accounts = ("--account", "nosuch", "--account", "phys")
        found, err = self.statement(cluster, "2026-10-20", "2026-10-21", book, *accounts)
        self.assertEqual(found["total"], "0.00")
        self.assertIn("warning: --account: got nosuch, want an account of the cluster", err)
        self.assertNotIn("phys", err)

    def test_balances_are_what_open_ondemand_reads(self):
        cluster = self.cluster("money-balances")
        settings = {"Accounts": "chem", "TRES": "cpu", "Amount": "100h"}
        request = v1.UpdateGrantsRequest(
            cluster=cluster.name,
            names=["paper"],
            settings=[v1.Setting(name=name, value=value) for name, value in settings.items()],
            allow_missing=True,
        )
        self.site.client.admin.UpdateGrants(request)
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster.name))
        book = self.book('currency="EUR"\n[[price]]\ntres="cpu"\nper_hour=0.255\n')
        for arguments, unit, value in (((), "cpu hour", 100), (("--prices", book), "EUR", 25)):
            code, out, err = self.money(cluster, "balances", *arguments)
            self.assertEqual(code, 0, err)
            found = json.loads(out)
            self.assertEqual((found["version"], found["config"]), (1, {"unit": unit, "project_type": "grant"}))
            self.assertEqual(found["balances"], [{"user": "amy", "project": "paper", "value": value}])

    def test_a_grant_of_money_is_used_by_what_the_statement_charges(self):
        cluster = self.cluster("money-grant")
        book = 'currency="EUR"\nfree=["billing"]\n[[price]]\ntres="gres/gpu"\nper_hour=1.5\n'
        book += '[[price]]\ntres="cpu"\nper_hour=0.0201\n'
        code, out, err = self.money(cluster, "grant", "--prices", self.book(book), "--amount", "5000")
        self.assertEqual((code, out, err), (0, "TRES=cpu=0.0201,gres/gpu=1.5 Amount=5000h\n", ""))
        settings = dict(word.split("=", 1) for word in ["Accounts=chem", "Begin=2025-10-01T00:00:00Z", *out.split()])
        request = v1.UpdateGrantsRequest(
            cluster=cluster.name,
            names=["paper"],
            settings=[v1.Setting(name=name, value=value) for name, value in settings.items()],
            allow_missing=True,
        )
        self.site.client.admin.UpdateGrants(request)
        start = second("2025-10-20")
        self.record(cluster, [Run("1", "amy", "p", start, start + 7200, {"cpu": 64, "gres/gpu": 3})])
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster.name))
        found, _ = self.statement(cluster, str(start), str(start + 7200), book)
        self.assertEqual(found["total"], "11.57")  # 2 hours of 64 * 0.0201 + 3 * 1.5.
        code, out, err = self.money(cluster, "balances", "--prices", self.book(book))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out)["balances"], [{"user": "amy", "project": "paper", "value": 4988}])
        grants = self.site.client.priority.ListGrants(v1.ListGrantsRequest(cluster=cluster.name)).grants
        self.assertEqual(Decimal(grants[0].balance.left_tres_seconds) / 3600, Decimal(5000) - Decimal("11.5728"))

    def test_a_grant_of_money_has_one_price_for_each_tres(self):
        cpu = 'currency="EUR"\n[[price]]\ntres="cpu"\nper_hour=1\n'
        for text, want in (
            (cpu + 'hours="8-20"\n', r"price\[1\].hours: got a price of part of cpu"),
            (cpu + 'partition="big"\n', r"price\[1\].partition: got a price of part"),
            (cpu + "until=2026-01-01\n", r"price\[1\].until: got a price of part"),
            (cpu.replace("cpu", "billing"), r"price\[1\].tres: got 'billing', want a TRES other"),
            (cpu.replace("=1", "=0"), "got '0 TRES with a price above 0'"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(Fault, want):
                settings_of(read_price_book(str(self.book(text))), "5")
        book = read_price_book(str(self.book(cpu + '[[price]]\ntres="cpu"\nper_hour=2\nhours="8-20"\n')))
        self.assertEqual(settings_of(book, "12.5"), "TRES=cpu Amount=12.5h")
        for amount in ("0", "-1", "x", "nan", "1.2345678"):
            with self.subTest(amount=amount), self.assertRaisesRegex(Fault, "--amount: got"):
                settings_of(book, amount)

    def test_faults_name_file_key_found_and_wanted(self):
        good = 'currency="EUR"\n[[price]]\ntres="cpu"\nper_hour=1\n'
        for text, want in (
            ('currency="EUR"\n', "price: got"),
            (good.replace("EUR", "euro"), "currency: got 'euro', want three letters"),
            ("colour=1\n" + good, "colour: got 'an unknown key', want one of currency"),
            (good + "per_minute=1\n", r"price\[1\].per_minute: got 'an unknown key'"),
            (good.replace("=1", "=-1"), r"price\[1\].per_hour: got '-1', want a number, 0 or more"),
            (good.replace("=1", "=nan"), r"price\[1\].per_hour: got 'NaN'"),
            (good + 'hours="8"\n', r"price\[1\].hours: got '8', want full hours"),
            (good + 'days=["monday"]\n', r"price\[1\].days: got 'monday', want mon"),
            (good + 'from="soon"\n', r"price\[1\].from: got 'soon', want a time"),
            (good + "from=2026-02-01\nuntil=2026-01-01\n", r"price\[1\].until: got '2026-01-01', want a time after"),
            ('time_zone="Mars"\n' + good, "time_zone: got 'Mars', want an IANA name"),
            ('free=["cpu"]\n' + good, r"price\[1\].tres: got 'cpu', want a TRES that is not in `free`"),
            ("currency", "want TOML"),
            (good.replace("=1", "=" + "9" * 5000), "want TOML"),
            (good.replace("=1", "=1e" + "9" * 30), "want TOML"),
            ("x=" + "[" * 10**5, "want TOML"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(Fault, f"prices.toml: .*{want}"):
                read_price_book(str(self.book(text)))

    def test_a_rule_of_a_qos_is_for_usage_of_that_qos_alone(self):
        path = self.folder / "qos.toml"
        rule = '[[price]]\ntres = "cpu"\nper_hour = '
        path.write_text(f'currency = "EUR"\n{rule}2\nqos = ["high", "urgent"]\n{rule}1\n')
        book = read_price_book(str(path))
        self.assertTrue(book.needs_qos())
        found = {qos: book.rule("cpu", "", qos, 0) for qos in ("high", "urgent", "normal", "")}
        self.assertEqual(found, {"high": 0, "urgent": 0, "normal": 1, "": 1})
        self.assertIsNone(book.rule("gres/gpu", "", "high", 0))

    def test_rounded_lines_add_up_to_the_rounded_sum(self):
        draw = random.Random(7)
        for count in itertools.chain(range(20), [1000]):
            exact = [Fraction(draw.randrange(10**6), draw.randrange(1, 1000)) for _ in range(count)]
            found = apportion(exact)
            self.assertEqual(sum(found), math.floor(sum(exact, Fraction()) + Fraction(1, 2)))
            self.assertTrue(all(abs(a - b) < 1 for a, b in zip(exact, found, strict=True)))


if __name__ == "__main__":
    unittest.main()
