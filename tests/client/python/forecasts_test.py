"""Forecasts of any number of jobs, by a server that is played."""

from __future__ import annotations

import asyncio
import unittest
from concurrent import futures

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

import priorityd
from priorityd import aio, v1
from priorityd.forecasts import FORECAST_IDS
from priorityd.v1 import priority_service_pb2_grpc


class Forecasting(priority_service_pb2_grpc.PriorityServiceServicer):
    """Forecasts each asked job at the number of the call."""

    def __init__(self) -> None:
        self.requests: list[v1.ForecastStartsRequest] = []
        self.fails: dict[int, grpc.StatusCode] = {}  # By the number of the call, from 1.

    def ForecastStarts(self, request, context):
        self.requests.append(request)
        call = len(self.requests)
        if call in self.fails:
            context.abort(self.fails[call], "")
        ids = [*request.job_ids, *(job.job_id for job in request.jobs.jobs)]
        return v1.ForecastStartsResponse(
            forecasts=[v1.StartForecast(job_id=job_id) for job_id in ids],
            score=v1.ForecastScore(count=call, started_by=[0.5]),
            as_of=Timestamp(seconds=call, nanos=call % 2),
        )

    def ScoreForecasts(self, request, context):
        return v1.ScoreForecastsResponse(scores=[v1.ForecastScore(count=3)])


class ForecastsTest(unittest.TestCase):
    def setUp(self):
        self.service = Forecasting()
        server = grpc.server(futures.ThreadPoolExecutor(1))
        priority_service_pb2_grpc.add_PriorityServiceServicer_to_server(self.service, server)
        retry = priorityd.RetryPolicy(initial_backoff=0.001)
        port = server.add_insecure_port("127.0.0.1:0")
        self.options = priorityd.Options(address=f"127.0.0.1:{port}", cluster="c", retry=retry)
        server.start()
        self.addCleanup(lambda: server.stop(None).wait())

    def both(self, request: v1.ForecastStartsRequest):
        """The answers of both clients; each has its own calls."""

        async def asked_by_asyncio():
            async with aio.Client(self.options) as client:
                return await client.all_forecasts(request)

        with priorityd.Client(self.options) as client:
            yield client.all_forecasts(request)
        self.service.requests.clear()
        yield asyncio.run(asked_by_asyncio())

    def test_forecasts_of_any_number_of_jobs_are_one_answer(self):
        supposed = v1.InlineJobs(jobs=[v1.Job(job_id="supposed")])
        for jobs, calls in [(0, 1), (1, 1), (FORECAST_IDS, 1), (FORECAST_IDS + 1, 2), (2 * FORECAST_IDS + 1, 3)]:
            ids = [str(number) for number in range(jobs)]
            self.service.requests.clear()
            for answer in self.both(v1.ForecastStartsRequest(job_ids=ids, jobs=supposed, levels=[0.5])):
                with self.subTest(jobs=jobs):
                    self.assertEqual(len(self.service.requests), calls)
                    self.assertEqual([row.job_id for row in answer.forecasts], [*ids, "supposed"])
                    last = Timestamp(seconds=calls, nanos=calls % 2)
                    self.assertEqual(
                        (answer.score.count, list(answer.score.started_by), answer.as_of), (calls, [0.5], last)
                    )
                    for request in self.service.requests:
                        self.assertEqual((request.cluster, list(request.levels)), ("c", [0.5]))
                        self.assertLessEqual(len(request.job_ids), FORECAST_IDS)

    def test_they_are_asked_for_again_and_what_is_refused_is_an_error(self):
        self.service.fails = {1: grpc.StatusCode.UNAVAILABLE, 3: grpc.StatusCode.PERMISSION_DENIED}
        request = v1.ForecastStartsRequest(job_ids=[str(number) for number in range(FORECAST_IDS + 1)])
        with priorityd.Client(self.options) as client:
            with self.assertRaises(priorityd.PriorityError) as refused:
                client.all_forecasts(request)
            self.assertEqual(refused.exception.code, grpc.StatusCode.PERMISSION_DENIED)
            self.assertEqual(client.priority.ScoreForecasts(v1.ScoreForecastsRequest()).scores[0].count, 3)


if __name__ == "__main__":
    unittest.main()
