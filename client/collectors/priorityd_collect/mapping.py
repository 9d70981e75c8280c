"""Maps the names of users, accounts, partitions, QOS and TRES in a log to those in priorityd."""

from __future__ import annotations

from dataclasses import dataclass, field

from priorityd import v1
from priorityd_collect.files import read_toml
from priorityd_collect.items import unexpected

#: The key of every name without its own key.
ANY = "*"
KINDS = ("user", "account", "partition", "qos", "tres")


@dataclass
class Mapping:
    """A map of names; an empty target leaves the name out, so that the service's default applies."""

    names: dict[str, dict[str, str]] = field(default_factory=lambda: {kind: {} for kind in KINDS})

    def add(self, kind: str, item: str) -> None:
        """Take `FROM=TO`."""
        name, equals, to = item.rpartition("=")
        if not equals or not name:
            raise unexpected(f"--map-{kind}", item, "FROM=TO, for example ann@site.org=ann; *= leaves all others out")
        self.names[kind][name] = to

    def apply(self, record: v1.UsageRecord) -> v1.UsageRecord:
        """Rename the names of the record in place, and return it."""
        for kind in ("user", "account", "partition", "qos"):
            setattr(record, kind, self._to(kind, getattr(record, kind)))
        if self.names["tres"]:
            self._rename_tres(record)
        return record

    def _to(self, kind: str, name: str) -> str:
        names = self.names[kind]
        return names.get(name, names.get(ANY, name))

    def _rename_tres(self, record: v1.UsageRecord) -> None:
        found: dict[str, float] = {}
        for name, amount in record.tres.items():
            to = self._to("tres", name)
            if to:
                found[to] = found.get(to, 0.0) + amount
        record.tres.clear()
        for name, amount in found.items():
            record.tres[name] = amount


def read_mapping(path: str) -> Mapping:
    """Read a file in TOML with tables user, account, partition, qos and tres."""
    mapping = Mapping()
    tables = read_toml(path)
    for kind, names in tables.items():
        if kind not in KINDS or not isinstance(names, dict):
            raise unexpected(path, kind, "tables " + ", ".join(KINDS))
        for name, to in names.items():
            if not isinstance(to, str):
                raise unexpected(f"{path}: {kind}.{name}", to, "a name in quotes")
            mapping.names[kind][name] = to
    return mapping
