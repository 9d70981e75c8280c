"""Whether cells keep the schedules of their clusters, and the processor time that they take."""

import os
import pathlib
import threading
import time

import priorityd
import processes
from priorityd import v1

_EVERY_SECONDS = 5
_TICKS = os.sysconf("SC_CLK_TCK")


def _seconds_of(pid):
    """Processor time of a process until now; None if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / _TICKS


class Schedule(threading.Thread):
    """Looks at each cell every 5 seconds, until `end`. A cell that does not answer is looked at the next time."""

    def __init__(self, cells):
        super().__init__(daemon=True)
        self._cells = cells
        self._clients = {cell.name: cell.client() for cell in cells}
        self._over = threading.Event()
        self._first = {}  # Of each process, its processor time when it was first seen; 0 for those that started later.
        self._last = {}
        self._generations = {}  # Of each cluster in each cell, the number of its first and its newest recalculation.
        self._looked = []  # The times of the looks.
        self.late = []  # (seconds, period) of each cluster that was late at a look, in seconds.
        self._begin = time.monotonic()
        self._look_at_processes(first=True)

    def end(self):
        self._over.set()
        self.join()

    def run(self):
        while not self._over.wait(_EVERY_SECONDS):
            self._look_at_processes(first=False)
            for cell in self._cells:
                self._look_at(cell)

    def summary(self):
        """Figures of the time until now; those of processor time are of all processes of the cells together, PostgreSQL too."""
        elapsed = time.monotonic() - self._begin
        recalculations = sum(newest - first for first, newest in self._generations.values())
        looked = self._looked[-1] - self._looked[0] if self._looked else 0.0
        processor = sum(seconds - self._first[pid] for pid, seconds in self._last.items())
        clusters = len({cluster for _, cluster in self._generations})
        return {
            "clusters": clusters,
            "recalculations_per_second": round(recalculations / looked, 1) if looked else None,
            "late_seconds_max": round(max((late for late, _ in self.late), default=0.0), 1),
            "late_by_more_than_a_period": sum(late > period for late, period in self.late),
            "looks": len(self._looked),
            "processor_cores": round(processor / elapsed, 2),
            "processor_ms_per_recalculation": round(1000 * processor / elapsed / (recalculations / looked), 1) if recalculations else None,
        }

    def _look_at_processes(self, first):
        for cell in self._cells:
            for pid in processes.family(cell.program.process.pid):
                seconds = _seconds_of(pid)
                if seconds is not None:
                    self._first.setdefault(pid, seconds if first else 0.0)
                    self._last[pid] = seconds

    def _look_at(self, cell):
        try:
            status = self._clients[cell.name].admin.GetStatus(v1.GetStatusRequest(), timeout=10)
        except priorityd.PriorityError:
            return
        self._looked.append(time.monotonic())
        for cluster in status.clusters:
            first, _ = self._generations.get((cell.name, cluster.cluster), (cluster.generation, 0))
            self._generations[cell.name, cluster.cluster] = (first, cluster.generation)
            late = cluster.late_by.ToTimedelta().total_seconds()
            if late > 0:
                self.late.append((late, cluster.period.ToTimedelta().total_seconds()))
