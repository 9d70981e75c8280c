"""Answers over HTTP that end early are asked for again, and are a fault of one line in the end."""

from __future__ import annotations

import contextlib
import http.server
import threading
import time
import unittest
import urllib.request
from collections.abc import Callable
from email.message import Message
from typing import Any
from unittest import mock

from priorityd_collect.items import Fault
from priorityd_collect.sources.prometheus import check_matrix
from priorityd_collect.web import body_of, fetched


class BreakingServer:
    """Ends its first answers in the middle, chunked ones or ones with a length."""

    def __init__(self, broken: int, chunked: bool) -> None:
        self.asked = 0
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.asked += 1
                whole = server.asked > broken
                body = b"[1, 2]" if whole else b"[1, "
                self.send_response(200)
                self.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", "6")))
                self.end_headers()
                self.wfile.write(b"%x\r\n%b\r\n" % (len(body), body) if chunked else body)
                self.wfile.write(b"0\r\n\r\n" if chunked and whole else b"")
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class AnsweringServer:
    """Answers every request by a function, and keeps the headers."""

    def __init__(self, answer: Callable[[http.server.BaseHTTPRequestHandler], None]) -> None:
        self.headers = list[Message]()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.headers.append(self.headers)
                answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class WebTest(unittest.TestCase):
    def answer(self, answer: Callable[[http.server.BaseHTTPRequestHandler], None]) -> AnsweringServer:
        server = AnsweringServer(answer)
        self.addCleanup(server.close)
        return server

    def test_a_redirect_gets_no_token(self):
        def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(b"[]")

        other = self.answer(reply)

        def redirect(handler: http.server.BaseHTTPRequestHandler) -> None:
            handler.send_response(302)
            handler.send_header("Location", other.url)
            handler.end_headers()

        first = self.answer(redirect)
        request = urllib.request.Request(first.url, headers={"Authorization": "token secret"})
        with self.assertRaisesRegex(Fault, f"got 302 to '{other.url}', which is not followed, want 200"):
            fetched(request, "query", "a test")
        self.assertEqual([one["Authorization"] for one in first.headers], ["token secret"])
        self.assertEqual(other.headers, [])

    def test_an_answer_that_never_ends_is_given_up(self):
        def drip(handler: http.server.BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    handler.wfile.write(b" ")
                    handler.wfile.flush()
                    time.sleep(0.02)

        with (
            urllib.request.urlopen(self.answer(drip).url, timeout=60) as endless,
            self.assertRaisesRegex(TimeoutError, "bytes in 0.3 seconds, want all of the answer"),
        ):
            body_of(endless, 1 << 20, 0.3)

    def test_retries_of_several_collectors_are_at_different_times(self):
        waits = []
        with mock.patch("time.sleep", waits.append):
            for _ in range(2):
                with self.assertRaises(Fault):
                    fetched(urllib.request.Request("http://127.0.0.1:1/"), "query", "a test")
        self.assertEqual(len(set(waits)), 6)
        for wait, longest in zip(waits, (0.4, 0.8, 1.6) * 2, strict=True):
            self.assertTrue(longest / 2 <= wait <= longest, wait)

    def test_an_answer_that_is_no_json_is_a_fault(self):
        for body in (b"[" * 200_000, b"{"):

            def reply(handler: http.server.BaseHTTPRequestHandler, body: bytes = body) -> None:
                handler.send_response(200)
                handler.end_headers()
                handler.wfile.write(body)

            with self.assertRaisesRegex(Fault, "query: got .*, want JSON, as a test answers"):
                fetched(urllib.request.Request(self.answer(reply).url), "query", "a test")

    def serve(self, broken: int, chunked: bool) -> BreakingServer:
        server = BreakingServer(broken, chunked)
        self.addCleanup(server.close)
        return server

    def test_an_answer_that_ends_early_is_asked_for_again(self):
        for chunked in (True, False):
            server = self.serve(1, chunked)
            self.assertEqual(fetched(urllib.request.Request(server.url), "query", "a test"), [1, 2])
            self.assertEqual(server.asked, 2)

    def test_answers_that_all_end_early_are_a_fault(self):
        server = self.serve(4, chunked=True)
        with self.assertRaisesRegex(Fault, rf"^query: {server.url}: IncompleteRead"):
            fetched(urllib.request.Request(server.url), "query", "a test")
        self.assertEqual(server.asked, 4)

    def test_a_matrix_that_prometheus_does_not_send_is_a_fault(self):
        def matrix(values: object, metric: object = {"user": "amy"}) -> dict[str, Any]:
            return {"result": [{"metric": metric, "values": values}]}

        for value in ("1", "-0.5", "NaN", "+Inf", "1e300"):
            check_matrix(matrix([[1.5, value]]), "tres.cpu")
        for wrong in (
            *(matrix([sample]) for sample in ([1.5, "abc"], [1.5, 2], ["1", "2"], [1], 7, [float("inf"), "1"])),
            *(matrix([], metric) for metric in ([], None, {"user": 7})),
            matrix(None),
            {"result": {}},
            {"result": ["series"]},
        ):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(Fault, "^tres.cpu: .*: got .*, want "):
                check_matrix(wrong, "tres.cpu")


if __name__ == "__main__":
    unittest.main()
