"""What the faults did, as a table and as JSON."""

import statistics

import load


def _seconds(values):
    return f"{statistics.median(values):8.1f} {max(values):8.1f}" if values else f"{'-':>8} {'-':>8}"


def print_table(results):
    """A line for each kind of fault: medians and maxima in seconds."""
    print(f"\n{'fault':<62} {'times':>5} {'promoted':>8} {'recording':>17} {'rankings':>17} {'whole':>17}")
    print(f"{'':<62} {'':>5} {'':>8} " + " ".join([f"{'median':>8} {'max':>8}"] * 3))
    for kind in sorted({result["fault"] for result in results}):
        _print_row(kind, [result for result in results if result["fault"] == kind])
    _print_row("all", results)
    _print_row("all that promoted another host", [result for result in results if result["promoted"]])


def _print_row(name, results):
    columns = [_seconds([result[key] for result in results]) for key in ("recording_gap_seconds", "ranking_gap_seconds", "whole_after_seconds")]
    print(f"{name:<62} {len(results):>5} {sum(result['promoted'] for result in results):>8} {' '.join(columns)}")


def summary(options, results, wrong, senders, rankers):
    """All of it, for a program."""
    gaps = [result["recording_gap_seconds"] for result in results]
    return {
        "seed": options.seed,
        "faults": len(results),
        "failovers": sum(result["promoted"] for result in results),
        "patroni_restarted_by_hand": sum(bool(result["patroni_restarted_by_hand"]) for result in results),
        "recording_gap_seconds": {"median": statistics.median(gaps) if gaps else None, "max": max(gaps, default=None)},
        "ranking_gap_seconds_max": max((result["ranking_gap_seconds"] for result in results), default=None),
        "records_acknowledged": sum(result.acknowledged for result in senders) * load.RECORDS,
        "resent_and_known": sum(sender.duplicates for sender in senders),
        "record_errors_retried": sum(len(sender.errors) for sender in senders),
        "rankings_answered": sum(len(ranker.answers) for ranker in rankers),
        "rankings_stale": sum(ranker.stale for ranker in rankers),
        "rankings_failed": sum(len(ranker.errors) for ranker in rankers),
        "wrong": wrong,
        "results": results,
    }
