"""Moves of clusters, and what happens to them on the way."""

import dataclasses
import re
import statistics
import subprocess
import time

FAULTS = ("none", "kill the tool", "kill the tool again and again", "kill the source", "kill the target", "freeze the source",
          "freeze the target", "kill HAProxy")


@dataclasses.dataclass
class Move:
    cluster: str
    source: str
    target: str
    fault: str
    seconds: float
    frozen: float | None  # Seconds in which changes waited; None = of several attempts.
    recording_gap: float
    ranking_gap: float

    def line(self):
        frozen = "" if self.frozen is None else f", changes waited {self.frozen:.3f} s"
        return (f"{self.cluster}: {self.source} to {self.target} ({self.fault}) in {self.seconds:.1f} s{frozen}; "
                f"no record for {self.recording_gap:.1f} s, no ranking for {self.ranking_gap:.1f} s")


def _seconds(text):
    """Of Abseil's text: 1m2.5s, 340ms."""
    units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)(ms|[hms])", text))


class Moves:
    def __init__(self, site, choice, faults):
        self._site = site
        self._choice = choice
        self._faults = faults
        self.late = []

    def do_one(self):
        cluster = self._choice.choice(sorted(self._site.place))
        source = self._site.place[cluster]
        target = self._choice.choice([cell.name for cell in self._site.cells if cell.name != source])
        fault = self._choice.choice(FAULTS) if self._faults else "none"
        begin = time.monotonic()
        output = self._with_fault(cluster, source, target, fault)
        end = time.monotonic()
        self._site.place[cluster] = target
        one = next(one for one in self._site.loads if one.cluster == cluster)
        # The next answers show that clients have found the new cell.
        while not (one.sender.answered_since(end) and one.ranker.answered_since(end)):
            if time.monotonic() > end + 60:
                raise TimeoutError(f"{cluster}: got no answers after the move; {one.sender.errors[-1:]} {one.ranker.errors[-1:]}")
            time.sleep(0.05)
        frozen = re.search(r"changes waited for (\S+),", output)
        return Move(cluster, source, target, fault, end - begin, _seconds(frozen.group(1)) if frozen and fault == "none" else None,
                    one.sender.longest_gap(begin, time.monotonic()), one.ranker.longest_gap(begin, time.monotonic()))

    def _command(self, cluster, target):
        return self._site.command("--timeout", "30", "cluster", "move", cluster, "--to", target)

    def _with_fault(self, cluster, source, target, fault):
        cells = {"source": self._site.cell(source), "target": self._site.cell(target)}
        tool = subprocess.Popen(self._command(cluster, target), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._wait()
        whom = fault.split()[-1]
        if fault == "kill the tool":
            tool.kill()
        elif fault == "kill the tool again and again":
            for _ in range(4):
                tool.kill()
                tool.wait()
                tool = subprocess.Popen(self._command(cluster, target), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self._wait()
            tool.kill()
        elif fault.startswith("kill the"):
            cells[whom].program.kill()
            cells[whom].program.start()
        elif fault.startswith("freeze"):
            cells[whom].program.freeze_for(self._choice.uniform(0.5, 4))
        elif fault == "kill HAProxy":
            self._site.haproxy.kill()
            self._site.haproxy.start()
        output, _ = tool.communicate()
        return output if tool.returncode == 0 else self._continue(cluster, target)

    def _wait(self):
        time.sleep(self._choice.uniform(0, 1.2))

    def _continue(self, cluster, target):
        until = time.monotonic() + 120
        while True:
            done = subprocess.run(self._command(cluster, target), capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return done.stdout
            if time.monotonic() > until:
                raise TimeoutError(f"{cluster}: {done.stdout}{done.stderr}")
            time.sleep(0.2)


def summary(site, done):
    """Figures of all moves, in seconds."""
    frozen = [move.frozen for move in done if move.frozen is not None]
    return {
        "records": sum(one.sender.acknowledged for one in site.loads) * 5,
        "duplicates": sum(one.sender.duplicates for one in site.loads),
        "frozen_seconds_median": round(statistics.median(frozen), 3) if frozen else None,
        "frozen_seconds_max": round(max(frozen), 3) if frozen else None,
        "recording_gap_seconds_median": round(statistics.median(move.recording_gap for move in done), 2),
        "recording_gap_seconds_max": round(max(move.recording_gap for move in done), 2),
        "ranking_gap_seconds_median": round(statistics.median(move.ranking_gap for move in done), 2),
        "ranking_gap_seconds_max": round(max(move.ranking_gap for move in done), 2),
        "late_clusters_at_end": site.late_clusters(),
    }
