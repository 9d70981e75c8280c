"""A connection to a server that is not always there."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import unittest

import priorityd

# A process of its own: a server in this one would read the client's sockets too.
SERVER = """
import sys
from concurrent import futures
import grpc
from grpc_health.v1 import health, health_pb2_grpc
server = grpc.server(futures.ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
port = server.add_insecure_port("127.0.0.1:" + sys.argv[1])
health_pb2_grpc.add_HealthServicer_to_server(health.HealthServicer(), server)
server.start()
print(port, flush=True)
sys.stdin.read()
"""

CALL = """
import sys
import priorityd
client = priorityd.Client(sys.argv[1])
print(client.serving())
"""

BLOCK = """
import sys
import priorityd
with priorityd.Client(sys.argv[1]) as client:
    client.serving()
"""

CAUGHT = """
import sys
import priorityd
client = priorityd.Client(sys.argv[1])
try:
    client.serving()
except priorityd.PriorityError as error:
    print(error.code.name)
"""

THREAD = """
import sys, threading
import priorityd
failed = threading.Event()
def call_for_ever():
    while True:
        try:
            client.serving()
        except Exception:  # Not only PriorityError: the client is closed while the program ends.
            failed.set()
client = priorityd.Client(sys.argv[1])
threading.Thread(target=call_for_ever, daemon=True).start()
failed.wait()
"""

STREAM = """
import asyncio, sys
from priorityd import aio, v1
async def record():
    batcher = aio.Client(sys.argv[1]).usage_batcher()
    await batcher.add(v1.UsageRecord())
    await batcher.flush()
asyncio.run(record())
"""


class Processes(unittest.TestCase):
    def start(self, program: str, *arguments: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream
            self.addCleanup(stream.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def server(self, port: str) -> subprocess.Popen[str]:
        return self.start(SERVER, port)

    def free_port(self) -> str:
        """A port that no other program is given meanwhile: a socket that does not listen keeps it."""
        kept = self.enterContext(socket.socket())
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # As the server that will listen does.
        kept.bind(("127.0.0.1", 0))
        return str(kept.getsockname()[1])


class EndTest(Processes):
    """How a program ends. All of them run at once, because each takes a second."""

    def dead(self) -> str:
        """An address where nobody listens while the test runs."""
        reserved = self.enterContext(socket.socket())
        reserved.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{reserved.getsockname()[1]}"

    def live(self) -> str:
        server = self.server("0")
        assert server.stdout
        return f"127.0.0.1:{server.stdout.readline().strip()}"

    def assert_they_end(self, *programs: tuple[str, str, int, str]) -> None:
        """Each is a program, its servers, its exit code and its output."""
        started = [(self.start(program, servers), code, output) for program, servers, code, output in programs]
        for number, (process, code, output) in enumerate(started):
            with self.subTest(number):
                found, errors = process.communicate(timeout=300)
                self.assertEqual((process.returncode, found.strip()), (code, output), errors)
                self.assertNotIn("Exception in thread", errors)
                if code:
                    self.assertIn("PriorityError: UNAVAILABLE", errors.splitlines()[-1])

    def test_a_program_ends_after_a_server_that_it_cannot_reach(self):
        dead = self.dead()
        self.assert_they_end(
            (CALL, dead, 1, ""), (BLOCK, dead, 1, ""), (CAUGHT, dead, 0, "UNAVAILABLE"), (THREAD, dead, 0, "")
        )

    def test_a_program_with_several_servers_ends(self):
        dead, live = self.dead(), self.live()
        self.assert_they_end(
            (CALL, f"{dead},{live}", 0, "True"),
            (CALL, f"{live},{dead}", 0, "True"),
            (BLOCK, f"{dead},{live}", 0, ""),
            (CALL, f"{dead},{self.dead()}", 1, ""),
            (STREAM, f"{dead},{self.dead()}", 1, ""),
        )


class ConnectionTest(Processes):
    def test_a_server_that_starts_after_its_client_is_reached(self):
        free = self.free_port()
        client = self.enterContext(priorityd.Client(f"127.0.0.1:{free}"))
        with self.assertRaises(priorityd.PriorityError):
            client.serving()
        self.server(free)
        until = time.monotonic() + 300
        while True:
            try:
                self.assertTrue(client.serving())
                break
            except priorityd.PriorityError:
                self.assertLess(time.monotonic(), until)
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
