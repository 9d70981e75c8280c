"""Answers over HTTP that end early are asked for again, and are a fault of one line in the end."""

from __future__ import annotations

import http.server
import threading
import unittest
import urllib.request

from priorityd_collect.items import Fault
from priorityd_collect.web import fetched


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


class WebTest(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
