"""The resources of a PBS job, by the attributes of its accounting record."""

from __future__ import annotations

import re
from collections.abc import Mapping

from priorityd_collect.items import unexpected
from priorityd_collect.quantities import count, megabytes, number

_SLOTS = re.compile(r"(\d+)-(\d+)")
#: A log line is bounded, a number in it is not.
_MOST = 10_000_000
Amounts = dict[str, float]


def allocated(fields: Mapping[str, str]) -> Amounts:
    """cpu, mem in MiB, node, gres/gpu: as allocated (exec_vnode, exec_host) where stated, else as requested."""
    found: Amounts = {}
    for more in (_asked_in_all(fields), _asked_by_node(fields), _hosts(fields), _vnodes(fields)):
        found.update({name: amount for name, amount in more.items() if amount > 0})
    return found


def _vnodes(fields: Mapping[str, str]) -> Amounts:
    """`(node1:ncpus=2:mem=4gb:ngpus=1+node1:mem=2gb)+(node2:ncpus=2)`; a host may have several vnodes."""
    text = fields.get("exec_vnode", "")
    if not text:
        return {}
    found: Amounts = {}
    nodes = set()
    for chunk in re.split(r"[()+]+", text.strip("()")):
        name, *resources = chunk.split(":")
        nodes.add(name)
        _add(found, 1, resources)
    return found if "exec_host" in fields else found | {"node": float(len(nodes))}


def _hosts(fields: Mapping[str, str]) -> Amounts:
    """`n1/0*13+n2/0*13` of PBS, `n1/0-3+n2/0` and `n1/1+n1/0` of Torque."""
    text = fields.get("exec_host", "")
    if not text:
        return {}
    slots = 0
    nodes = set()
    for part in text.split("+"):
        name, slash, which = part.partition("/")
        nodes.add(name)
        slots += _slots(which) if slash else 0
    found = {"node": float(len(nodes))}
    # In PBS these are numbers of tasks; exec_vnode and Resource_List have the CPUs of each.
    if slots and "exec_vnode" not in fields and "Resource_List.select" not in fields:
        found["cpu"] = float(slots)
    return found


def _slots(which: str) -> int:
    _, star, times = which.partition("*")
    if star:
        return _bounded(count(times, "exec_host"), which, "exec_host")
    slots = 0
    for part in which.split(","):
        match = _SLOTS.fullmatch(part)
        if not match and not part.isdecimal():
            raise unexpected("exec_host", which, "slots as 0, 0-3 or 0*4")
        slots += int(match[2][:15]) - int(match[1][:15]) + 1 if match else 1
    return _bounded(slots, which, "exec_host")


def _bounded(found: int, text: str, what: str) -> int:
    if not 1 <= found <= _MOST:
        raise unexpected(what, text, f"1 to {_MOST}")
    return found


def _asked_in_all(fields: Mapping[str, str]) -> Amounts:
    found: Amounts = {}
    # Torque has procs, its Cray version size.
    for tres, name in (("cpu", "size"), ("cpu", "procs"), ("cpu", "ncpus"), ("node", "nodect"), ("gres/gpu", "ngpus")):
        text = fields.get(f"Resource_List.{name}", "")
        if text:
            found[tres] = number(text, f"Resource_List.{name}")
    memory = fields.get("Resource_List.mem", "")
    if memory:
        found["mem"] = megabytes(memory, "Resource_List.mem")
    return found


def _asked_by_node(fields: Mapping[str, str]) -> Amounts:
    """`2:ncpus=4:mem=8gb+1:ncpus=2` (select) and `2:ppn=8:gpus=1` (nodes)."""
    text = fields.get("Resource_List.select") or fields.get("Resource_List.nodes", "")
    found: Amounts = {}
    for chunk in text.split("+") if text else []:
        first, *resources = chunk.split(":")
        if first.isdigit():
            times = _bounded(count(first, "Resource_List"), text, "Resource_List")
        else:  # A node by its name, or a chunk without a number.
            times, resources = 1, [first, *resources]
        if "Resource_List.select" not in fields and not any(r.startswith("ppn=") for r in resources):
            resources = [*resources, "ppn=1"]
        _add(found, times, resources)
    return found


def _add(found: Amounts, times: int, resources: list[str]) -> None:
    for resource in resources:
        name, equals, value = resource.partition("=")
        if equals and name in ("ncpus", "ppn"):
            found["cpu"] = found.get("cpu", 0.0) + times * number(value, name)
        elif equals and name in ("ngpus", "gpus"):
            found["gres/gpu"] = found.get("gres/gpu", 0.0) + times * number(value, name)
        elif equals and name == "mem":
            found["mem"] = found.get("mem", 0.0) + times * megabytes(value, name)
