"""Processes and their descendants: killed, frozen and continued."""

import os
import pathlib
import signal
import time


def _parents():
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # It has ended.
        if fields[0] != "Z":
            parents[int(stat.parent.name)] = int(fields[1])
    return parents


def family(pid):
    """The process and its descendants that live; a parent comes before its children."""
    parents = _parents()
    found = [pid] if pid in parents else []
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def send(pids, number):
    """Sends a signal to each that still lives."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def freeze(pids):
    send(pids, signal.SIGSTOP)


def thaw(pids):
    send(pids, signal.SIGCONT)


def kill(pids):
    """Kills all, and returns when they have ended."""
    send(pids, signal.SIGKILL)
    while set(pids) & set(_parents()):
        time.sleep(0.02)


def await_true(what, seconds, holds):
    """Waits until `holds()` is true; TimeoutError names `what`."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError(f"{what}: got nothing in {seconds} s")
        time.sleep(0.1)
