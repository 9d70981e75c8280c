"""The timeout that a caller gives to one call."""

from __future__ import annotations

import asyncio
import unittest
from concurrent import futures

import grpc

import priorityd
from priorityd import aio, v1
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceServicer, add_PriorityServiceServicer_to_server

REQUEST = v1.GetCallerRequest()


class Counting(PriorityServiceServicer):
    """Answers every call."""

    def __init__(self) -> None:
        self.calls = 0

    def GetCaller(self, request: v1.GetCallerRequest, context: grpc.ServicerContext) -> v1.Caller:  # noqa: N802
        self.calls += 1
        return v1.Caller()


class TimeoutTest(unittest.TestCase):
    def setUp(self) -> None:
        self.service = Counting()
        server = grpc.server(futures.ThreadPoolExecutor(1), options=[("grpc.so_reuseport", 0)])
        self.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        add_PriorityServiceServicer_to_server(self.service, server)
        server.start()
        self.addCleanup(lambda: server.stop(None).wait())

    # The first call opens the connection: gRPC would send the second one.
    def error_of(self, timeout: float) -> priorityd.PriorityError:
        with priorityd.Client(self.address) as client:
            client.priority.GetCaller(REQUEST, timeout=None)
            with self.assertRaises(priorityd.PriorityError) as raised:
                client.priority.GetCaller(REQUEST, timeout=timeout)
        return raised.exception

    async def aio_error_of(self, timeout: float) -> priorityd.PriorityError:
        async with aio.Client(self.address) as client:
            await client.priority.GetCaller(REQUEST, timeout=None)
            with self.assertRaises(priorityd.PriorityError) as raised:
                await client.priority.GetCaller(REQUEST, timeout=timeout)
        return raised.exception

    def test_a_call_without_time_fails_at_once_and_is_not_sent(self):
        for timeout in (0.0, 0, -1.0):
            with self.subTest(timeout=timeout):
                self.assertEqual(self.error_of(timeout).code, grpc.StatusCode.DEADLINE_EXCEEDED)
                self.assertEqual(asyncio.run(self.aio_error_of(timeout)).code, grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertEqual(self.service.calls, 6)

    def test_a_timeout_that_is_no_number_is_refused(self):
        with priorityd.Client(self.address) as client, self.assertRaisesRegex(ValueError, "^timeout: got nan, want"):
            client.priority.GetCaller(REQUEST, timeout=float("nan"))


if __name__ == "__main__":
    unittest.main()
