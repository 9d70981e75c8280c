"""priorityd-collect: records usage from the logs of other tools."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import tqdm

import priorityd
from priorityd import printable
from priorityd_collect.command_line import mapping_of, parse
from priorityd_collect.connection import client_options
from priorityd_collect.files import Progress
from priorityd_collect.items import Fault
from priorityd_collect.marks import Marks
from priorityd_collect.plan import Plan
from priorityd_collect.quantities import since as read_since
from priorityd_collect.quantities import span
from priorityd_collect.recorded import last_recorded
from priorityd_collect.recording import Recording, Rejects, preview

_LOOK_EVERY = 0.5
_FAILED = 1
_REJECTED = 3
_INTERRUPTED = 130
if TYPE_CHECKING:
    Bar = tqdm.tqdm[Any]
else:
    Bar = tqdm.tqdm


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 = recorded, 1 = a source or a call failed, 2 = a wrong command line, 3 = records rejected."""
    options = parse(arguments)
    try:
        plan = Plan(options)
        return _preview(options, plan) if options.dry_run else _collect(options, plan)
    except (Fault, priorityd.PriorityError, OSError) as error:
        _report(str(error))
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED


def _collect(options: argparse.Namespace, plan: Plan) -> int:
    stopped = _stop_on_signals()
    with priorityd.Client(client_options(options)) as client, _progress(options, plan) as bar:
        marks = Marks(client, options.source, options.source, options.mark_account)
        wants = _since_text(options, plan)
        since = _since(options, plan, client, marks)
        late = plan.late(since + span(options.overlap, "--overlap")) if wants == "mark" else ""
        if late:
            _report(f"no mark is written: {late}; the next run begins where this one does, or give --since TIME")
        recording = Recording(
            client,
            mapping_of(options),
            Rejects(options.rejected or f"rejected-{options.source}.jsonl", _report),
            marks if not late and (wants == "mark" or plan.asks_programs()) else None,
            since=since,
            batch_size=options.batch_size,
            patient=options.follow,
            strict=options.strict,
            report=_report,
            stopped=stopped,
        )
        try:
            recording.run(plan.items(since, _adds(bar), lambda: not stopped.wait(_LOOK_EVERY)))
        finally:
            bar.close()
            print(json.dumps(recording.tally.json()) if options.json else printable(str(recording.tally)), flush=True)
    if stopped.is_set() and not options.follow:
        _report("interrupted; run it again for the rest")
        return _INTERRUPTED
    return _REJECTED if recording.tally.rejected else 0


def _preview(options: argparse.Namespace, plan: Plan) -> int:
    with _progress(options, plan) as bar, priorityd.Client(client_options(options)) as client:
        marks = Marks(client, options.source, options.source, options.mark_account)
        since = _since(options, plan, client, marks)
        items = plan.items(since, _adds(bar), lambda: False)
        return _REJECTED if preview(items, mapping_of(options), since, options.json, _report, options.strict) else 0


def _since_text(options: argparse.Namespace, plan: Plan) -> str:
    return str(options.since or ("mark" if plan.asks_programs() else ""))


def _since(options: argparse.Namespace, plan: Plan, client: priorityd.Client, marks: Marks) -> float:
    """Seconds since 1970; 0 = everything."""
    text = _since_text(options, plan)
    if not text:
        return 0.0
    if text == "recorded":
        return max(0.0, last_recorded(client, options.source) - span(options.overlap, "--overlap"))
    if text != "mark":
        return read_since(text, plan.zone)
    latest = marks.latest()
    if not latest and plan.asks_programs():
        hidden = "where PrivateData hides usage from it, the role dashboard"
        raise Fault(
            f"--since mark: got no mark of the source {options.source}, want --since TIME the first time, or, {hidden}"
        )
    return max(0.0, latest - span(options.overlap, "--overlap"))


@contextmanager
def _progress(options: argparse.Namespace, plan: Plan) -> Iterator[Bar]:
    """A progress bar, where standard error is a terminal and the size is known."""
    size = plan.size()
    hidden = None if size else True
    with tqdm.tqdm(total=size, unit="B", unit_scale=True, disable=hidden, desc=options.kind, leave=False) as bar:
        yield bar


def _adds(bar: Bar) -> Progress:
    def add(count: int) -> None:
        bar.update(count)

    return add


def _stop_on_signals() -> threading.Event:
    """End once the lines read so far are recorded; a second signal ends at once."""
    stopped = threading.Event()

    def stop(number: int, _: object) -> None:
        stopped.set()
        signal.signal(number, signal.SIG_DFL)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    return stopped


def _report(text: str) -> None:
    tqdm.tqdm.write(f"priorityd-collect: {printable(' '.join(text.splitlines()))}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
