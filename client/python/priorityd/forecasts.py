"""Forecasts of any number of job_ids."""

from __future__ import annotations

from collections.abc import Iterator

from priorityd import v1

FORECAST_IDS = 10_000
"""The most job_ids of one ForecastStarts."""


def parts(request: v1.ForecastStartsRequest) -> Iterator[v1.ForecastStartsRequest]:
    """Split a request into as many as its job_ids need; the last one has its jobs."""
    common = v1.ForecastStartsRequest()
    common.CopyFrom(request)
    for field in ("job_ids", "jobs"):
        common.ClearField(field)
    for first in range(0, max(len(request.job_ids), 1), FORECAST_IDS):
        part = v1.ForecastStartsRequest()
        part.CopyFrom(common)
        part.job_ids.extend(request.job_ids[first : first + FORECAST_IDS])
        if first + FORECAST_IDS >= len(request.job_ids) and request.HasField("jobs"):
            part.jobs.CopyFrom(request.jobs)
        yield part


class Forecasts:
    """Joins answers of ForecastStarts into one; score and as_of are those of the last."""

    def __init__(self) -> None:
        """Begin without answers."""
        self.all = v1.ForecastStartsResponse()

    def add(self, answer: v1.ForecastStartsResponse) -> None:
        """Add an answer."""
        for field in ("score", "as_of"):
            self.all.ClearField(field)
        self.all.MergeFrom(answer)
