"""What of the streams of usage needs no server: their book, their interrupts."""

from __future__ import annotations

import asyncio
import threading
import unittest
from concurrent import futures

import grpc

import priorityd
from priorityd import aio, v1
from priorityd.usage_book import UsageBook
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceServicer, add_PriorityServiceServicer_to_server


class UsageBookTest(unittest.TestCase):
    def test_answers_come_in_the_order_sent_and_once(self):
        book = UsageBook()
        for _ in range(2):
            book.add(v1.RecordUsageRequest(records=[v1.UsageRecord()]))
        answer = v1.RecordUsageResponse(results=[v1.UsageRecordResult()])
        self.assertEqual(book.take(v1.StreamUsageResponse(batch_id=2, results=answer)), [])
        self.assertEqual(book.take(v1.StreamUsageResponse(batch_id=1, results=answer)), [answer, answer])
        self.assertIsNone(book.take(v1.StreamUsageResponse(batch_id=1, results=answer)))
        with self.assertRaises(priorityd.PriorityError):
            book.take(v1.StreamUsageResponse(batch_id=3, results=answer))

    def test_what_is_not_acknowledged_is_sent_again_under_its_number(self):
        book = UsageBook()
        book.add(v1.RecordUsageRequest())
        self.assertEqual([request.batch_id for request in book.unsent()], [1])
        self.assertEqual(book.unsent(), [])
        book.lost()
        self.assertEqual([request.batch_id for request in book.unsent()], [1])

    def test_what_was_acknowledged_before_its_turn_is_not_sent_again(self):
        book = UsageBook()
        book.add(v1.RecordUsageRequest())
        book.add(v1.RecordUsageRequest())
        book.unsent()
        book.take(v1.StreamUsageResponse(batch_id=2))
        book.lost()
        self.assertEqual([request.batch_id for request in book.unsent()], [1])


class Silent(PriorityServiceServicer):
    """Usage has no answer."""

    def StreamUsage(self, requests, context):
        ended = threading.Event()
        if context.add_callback(ended.set):  # False: the call has ended already.
            ended.wait()
        yield from ()


class InterruptTest(unittest.TestCase):
    def silent(self) -> str:
        """The address of a service that acknowledges nothing."""
        server = grpc.server(futures.ThreadPoolExecutor(2))
        port = server.add_insecure_port("127.0.0.1:0")
        add_PriorityServiceServicer_to_server(Silent(), server)
        server.start()
        self.addCleanup(server.stop, None)
        return f"127.0.0.1:{port}"

    def test_an_interrupt_before_a_flush_ends_it_and_no_later_one(self):
        retry = priorityd.RetryPolicy(max_attempts=2, initial_backoff=0.001)
        client = priorityd.Client(priorityd.Options(address="127.0.0.1:1", retry=retry))  # Nobody listens there.
        self.addCleanup(client.close)
        stream = client.usage_stream(lambda answer: None)
        self.addCleanup(stream.close)
        stream.send(v1.RecordUsageRequest(records=[v1.UsageRecord()]))
        for interrupted in (True, False, True, False):
            if interrupted:
                stream.interrupt()
            with self.assertRaises(priorityd.PriorityError) as raised:
                stream.flush()
            code = grpc.StatusCode.CANCELLED if interrupted else grpc.StatusCode.UNAVAILABLE
            self.assertEqual(raised.exception.code, code)
        stream.interrupt()
        stream.forget_interrupt()
        with self.assertRaises(priorityd.PriorityError) as raised:
            stream.flush()
        self.assertEqual(raised.exception.code, grpc.StatusCode.UNAVAILABLE)

    def test_a_flush_that_is_cancelled_before_its_thread_begins_it_ends(self):
        async def cancelled_flush() -> bool:
            async with aio.Client(priorityd.Options(address=self.silent(), deadline=120)) as client:
                stream = client.usage_stream(lambda answer: None)
                await stream.send(v1.RecordUsageRequest(records=[v1.UsageRecord()]))
                free = threading.Event()
                stream._thread.submit(free.wait)
                flush = asyncio.create_task(stream.flush())
                await asyncio.sleep(0)
                flush.cancel()
                await asyncio.sleep(0)  # It asks for the end of what has not begun.
                free.set()
                done, _ = await asyncio.wait({flush}, timeout=30)
                stream.close()
                return flush in done and flush.cancelled()

        self.assertTrue(asyncio.run(cancelled_flush()))


if __name__ == "__main__":
    unittest.main()
