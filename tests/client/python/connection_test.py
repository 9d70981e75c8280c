"""A connection to a server that is not always there."""

from __future__ import annotations

import subprocess
import sys
import time
import unittest

import priorityd

# A process of its own: a server in this one would read the client's sockets too. With port 0 it only prints a free port.
SERVER = """
import sys
from concurrent import futures
import grpc
from grpc_health.v1 import health, health_pb2_grpc
server = grpc.server(futures.ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
port = server.add_insecure_port("127.0.0.1:" + sys.argv[1])
health_pb2_grpc.add_HealthServicer_to_server(health.HealthServicer(), server)
print(port, flush=True)
if sys.argv[1] != "0":
    server.start()
    sys.stdin.read()
"""


class ConnectionTest(unittest.TestCase):
    def server(self, port: str) -> subprocess.Popen[str]:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, port], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert server.stdin and server.stdout
        for stream in (server.stdin, server.stdout):
            self.addCleanup(stream.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server

    def test_a_server_that_starts_after_its_client_is_reached(self):
        free = self.server("0").communicate()[0].strip()
        client = self.enterContext(priorityd.Client(f"127.0.0.1:{free}"))
        with self.assertRaises(priorityd.PriorityError):
            client.serving()
        self.server(free)
        until = time.monotonic() + 5
        while True:
            try:
                self.assertTrue(client.serving())
                break
            except priorityd.PriorityError:
                self.assertLess(time.monotonic(), until)
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
