"""What of the Python client needs no server."""

from __future__ import annotations

import asyncio
import os
import pathlib
import socket
import tempfile
import threading
import traceback
import unittest
import unittest.mock
from concurrent import futures

import grpc

import priorityd
from priorityd import aio, credentials, v1
from priorityd.options import policy_of, with_cluster
from priorityd.retry import ONCE, Attempts
from priorityd.top import Misfit, Top
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceServicer, add_PriorityServiceServicer_to_server


def row(job_id: str, rank: int) -> v1.RankedJob:
    return v1.RankedJob(job_id=job_id, rank=rank)


def state(*rows: v1.RankedJob, others: int = 0) -> v1.WatchRankingResponse:
    return v1.WatchRankingResponse(state=v1.RankingState(ranked=rows), others=others)


def delta(left=(), entered=(), changed=(), others: int = 0) -> v1.WatchRankingResponse:
    change = v1.RankingDelta(
        left=[v1.RankedRow(job_id=job_id) for job_id in left],
        entered=entered,
        changed=[v1.RankChange(row=changed_row) for changed_row in changed],
    )
    return v1.WatchRankingResponse(delta=change, others=others)


def ids(top: Top) -> list[str]:
    return [ranked.job_id for ranked in top.ranked]


class TopTest(unittest.TestCase):
    def test_a_delta_puts_rows_in_their_places(self):
        top = Top()
        top.apply(state(row("1", 1), row("2", 2), row("3", 3)))
        top.apply(delta(left=["1"], entered=[row("4", 1)], changed=[row("3", 2), row("2", 3)]))
        self.assertEqual(ids(top), ["4", "3", "2"])

    def test_a_delta_that_does_not_fit_changes_nothing(self):
        for misfit in [
            delta(left=["7"]),
            delta(entered=[row("7", 1)]),
            delta(entered=[row("7", 4)]),
            delta(left=["1"]),
            delta(entered=[row("2", 3)]),
            delta(left=["2"], entered=[row("7", 0)]),
            delta(changed=[row("7", 1)]),
            delta(left=["1", "2", "3"]),
            delta(left=["1"], changed=[row("1", 1)]),
            delta(changed=[row("1", 1), row("2", 1)]),
        ]:
            with self.subTest(misfit=misfit):
                top = Top()
                top.apply(state(row("1", 1), row("2", 2)))
                with self.assertRaises(Misfit):
                    top.apply(misfit)
                self.assertEqual(ids(top), ["1", "2"])

    def test_rows_of_others_leave_gaps(self):
        top = Top()
        top.apply(state(row("1", 2), row("2", 5), others=3))
        top.apply(delta(left=["2"], entered=[row("3", 1)], changed=[row("1", 4)], others=2))
        self.assertEqual(ids(top), ["3", "1"])
        with self.assertRaises(Misfit):
            top.apply(delta(entered=[row("4", 6)], others=2))

    def test_jobs_that_cannot_start_are_listed_by_their_ids(self):
        def cannot_start(job_id, reason="BeginTime"):
            return v1.IneligibleJob(job_id=job_id, reason=reason)

        def reasons():
            return [f"{job.job_id} {job.reason}" for job in top.ineligible]

        top = Top()
        first = state(row("1", 1))
        first.state.ineligible.extend([cannot_start("2", "Dependency"), cannot_start("10", "JobHeldUser")])
        top.apply(first)
        change = delta()
        change.delta.no_longer_ineligible.append("2")
        others = [cannot_start(job_id) for job_id in ("9", "a", "10_2", "010", "10_11")]
        change.delta.ineligible.extend([cannot_start("10", "JobHeldAdmin"), *others])
        top.apply(change)
        want = ["9 BeginTime", "010 BeginTime", "10 JobHeldAdmin", "10_2 BeginTime", "10_11 BeginTime", "a BeginTime"]
        self.assertEqual(reasons(), want)
        misfit = delta(entered=[row("5", 2)])
        misfit.delta.no_longer_ineligible.append("7")
        with self.assertRaises(Misfit):
            top.apply(misfit)
        self.assertEqual((reasons(), ids(top)), (want, ["1"]))
        top.apply(state(row("1", 1)))
        self.assertEqual(reasons(), [])


class OneAnswer(PriorityServiceServicer):
    """A watch has one answer, and then waits."""

    def WatchRanking(self, request, context):
        ended = threading.Event()
        lives = context.add_callback(ended.set)
        yield state(row("1", 1))
        if lives:
            ended.wait()


class ClientTest(unittest.TestCase):
    def unreachable(self) -> priorityd.Client:
        """A client of an address where nobody listens."""
        retry = priorityd.RetryPolicy(max_attempts=2, initial_backoff=0.001)
        client = priorityd.Client(priorityd.Options(address="127.0.0.1:1", retry=retry))
        self.addCleanup(client.close)
        return client

    def test_a_batcher_keeps_no_more_than_it_may(self):
        batcher = self.unreachable().usage_batcher(batch_size=2, max_kept=10)
        self.addCleanup(batcher.close)
        while batcher.kept < 10:
            try:
                batcher.add(v1.UsageRecord())
            except priorityd.PriorityError as error:
                self.assertEqual(error.code, grpc.StatusCode.UNAVAILABLE)
        with self.assertRaises(priorityd.SpoolFull):
            batcher.add(v1.UsageRecord())
        self.assertEqual(batcher.kept, 10)

    def test_options_that_cannot_be_are_named(self):
        for options in [{"batch_size": 0}, {"batch_size": 100_001}, {"batch_size": 10, "max_kept": 49}]:
            with self.subTest(options=options), self.assertRaises(ValueError):
                self.unreachable().usage_batcher(**options)
        for deadline in (0.0, -1.0, float("nan"), float("inf"), 1.1e9):
            with self.subTest(deadline=deadline), self.assertRaisesRegex(ValueError, "^deadline: got .*, want seconds"):
                priorityd.Options(deadline=deadline)
        for name in ("keepalive_time", "keepalive_timeout"):
            for seconds in (0.0, -1.0, float("nan"), 1.1e6):
                with self.subTest(name, seconds=seconds), self.assertRaisesRegex(ValueError, f"^{name}: got .*, want"):
                    priorityd.Options(**{name: seconds})
        for address in ("", " ", "host:1,", "host:1,,host:2"):
            for make in (priorityd.Client, aio.Client):
                with self.subTest(address=address), self.assertRaisesRegex(ValueError, "^address: got .*, want host"):
                    make(address)
        with self.assertRaises(ValueError):
            credentials.tls_files("ca", certificate="certificate")
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(priorityd.PriorityError, "token file"):
            credentials.token_file(pathlib.Path(folder) / "none")()

    def test_a_call_on_a_closed_client_fails_by_its_own_error(self):
        for address in ("127.0.0.1:1", "127.0.0.1:1,127.0.0.1:2"):
            client = priorityd.Client(address)
            client.close()
            client.close()
            batcher = client.usage_batcher(batch_size=1)
            for call in (
                client.serving,
                lambda to=client: to.priority.GetCaller(v1.GetCallerRequest()),
                lambda to=client: next(iter(to.watch_ranking(v1.WatchRankingRequest()))),
                lambda to=client: next(iter(to.admin.RebuildUsage(v1.RebuildUsageRequest()))),
                lambda to=batcher: to.add(v1.UsageRecord()),
            ):
                with self.assertRaises(priorityd.PriorityError) as raised:
                    call()
                self.assert_closed(raised.exception)
            self.assertEqual(batcher.kept, 1)
            for error in asyncio.run(self.errors_of_a_closed_aio_client(address)):
                self.assert_closed(error)

    async def errors_of_a_closed_aio_client(self, address: str) -> list[priorityd.PriorityError]:
        client = aio.Client(address)
        await client.close()
        errors = []
        for call in (
            lambda: client.serving(),
            lambda: client.priority.GetCaller(v1.GetCallerRequest()),
            lambda: anext(aiter(client.watch_ranking(v1.WatchRankingRequest()))),
            lambda: client.usage_batcher(batch_size=1).add(v1.UsageRecord()),
        ):
            with self.assertRaises(priorityd.PriorityError) as raised:
                await call()
            errors.append(raised.exception)
        return errors

    def test_a_call_that_is_open_when_its_client_closes_fails_by_the_same_error(self):
        def call(client):
            return client.priority.GetCaller(v1.GetCallerRequest())

        def watch(client):
            return next(iter(client.watch_ranking(v1.WatchRankingRequest())))

        for open_call in (call, watch):
            silent = self.enterContext(socket.create_server(("127.0.0.1", 0)))
            client = priorityd.Client(f"127.0.0.1:{silent.getsockname()[1]}")
            closer = threading.Thread(target=lambda: (self.addCleanup(silent.accept()[0].close), client.close()))
            closer.start()
            with self.assertRaises(priorityd.PriorityError) as raised:
                open_call(client)
            closer.join()
            self.assert_closed(raised.exception)

    def test_an_open_asyncio_call_fails_so_too_and_a_cancelled_task_stays_cancelled(self):
        async def closed_and_cancelled() -> tuple[BaseException | None, ...]:
            errors = []
            for ends in (aio.Client.close, None):
                silent = self.enterContext(socket.create_server(("127.0.0.1", 0)))
                client = aio.Client(f"127.0.0.1:{silent.getsockname()[1]}")
                call = asyncio.create_task(client.priority.GetCaller(v1.GetCallerRequest()))
                self.addCleanup((await asyncio.to_thread(silent.accept))[0].close)
                if ends:
                    await ends(client)
                else:
                    call.cancel()
                errors += await asyncio.gather(call, return_exceptions=True)
                await client.close()
            return tuple(errors)

        closed, cancelled = asyncio.run(closed_and_cancelled())
        assert isinstance(closed, priorityd.PriorityError)
        self.assert_closed(closed)
        self.assertIsInstance(cancelled, asyncio.CancelledError)

    def watched(self) -> str:
        """The address of a service whose watches have one answer, and then wait."""
        server = grpc.server(futures.ThreadPoolExecutor(2))
        port = server.add_insecure_port("127.0.0.1:0")
        add_PriorityServiceServicer_to_server(OneAnswer(), server)
        server.start()
        self.addCleanup(server.stop, None)
        return f"127.0.0.1:{port}"

    def test_a_watch_ends_with_its_client(self):
        client = priorityd.Client(self.watched())
        updates = iter(client.watch_ranking(v1.WatchRankingRequest()))
        next(updates)
        closer = threading.Thread(target=client.close)
        closer.start()
        with self.assertRaises(priorityd.PriorityError) as raised:
            next(updates)
        closer.join()
        self.assert_closed(raised.exception)

        async def closed() -> None:
            client = aio.Client(self.watched())
            updates = aiter(client.watch_ranking(v1.WatchRankingRequest()))
            await anext(updates)
            following = asyncio.ensure_future(anext(updates))
            await asyncio.sleep(0)
            await client.close()
            await asyncio.wait_for(following, 30)

        with self.assertRaises(priorityd.PriorityError) as raised:
            asyncio.run(closed())
        self.assert_closed(raised.exception)

    def assert_closed(self, error: priorityd.PriorityError) -> None:
        self.assertEqual((error.code, error.reason), (grpc.StatusCode.FAILED_PRECONDITION, "CLIENT_CLOSED"))
        self.assertEqual(error.message, "client: got a closed one, want an open one")

    def test_a_token_that_no_header_can_have_is_refused_and_not_repeated(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "token"
        for token, got in [
            (b"secret\nb", "token file: got 2 lines, want one"),
            (b"secret\r\n\nb\n", "token file: got 3 lines, want one"),
            ("secret\u00fc".encode(), "token file: got a character that is not printable ASCII, want none"),
            (b"secret\xff", "token file: got a character that is not printable ASCII, want none"),
            (b"secret\0", "token file: got a character that is not printable ASCII, want none"),
        ]:
            file.write_bytes(token)
            self.assert_all_calls_fail(credentials.token_file(file), got)
        with unittest.mock.patch.dict("os.environ", {"SLURM_JWT": "secret\nb"}):
            self.assert_all_calls_fail(credentials.automatic(), "SLURM_JWT: got 2 lines, want one")
        self.assert_all_calls_fail(lambda: "Own secret\nb", "authorization: got 2 lines, want one")
        file.write_text("\n secret \n")
        self.assertEqual(credentials.token_file(file)(), "Bearer secret")

    def test_a_munge_that_does_not_end_fails_the_call(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "munge").write_text("#!/bin/sh\nexec sleep 3600\n")
        (folder / "munge").chmod(0o755)
        with (
            unittest.mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"}),
            unittest.mock.patch.object(credentials, "_MUNGE_SECONDS", 0.2),
        ):
            self.assert_all_calls_fail(credentials.munge(), "munged of this host: got no credential in 0.2 s")

    def assert_all_calls_fail(self, authorize: credentials.Authorize, message: str) -> None:
        """Calls and streams of both clients fail so, and say nothing of a secret."""
        options = priorityd.Options(address="127.0.0.1:1", authorize=authorize)

        async def by_asyncio() -> list[priorityd.PriorityError]:
            async with aio.Client(options) as client:
                with self.assertRaises(priorityd.PriorityError) as call:
                    await client.priority.GetCaller(v1.GetCallerRequest())
                with self.assertRaises(priorityd.PriorityError) as stream:
                    await anext(aiter(client.watch_ranking(v1.WatchRankingRequest())))
            return [call.exception, stream.exception]

        with priorityd.Client(options) as client:
            with self.assertRaises(priorityd.PriorityError) as call:
                client.priority.GetCaller(v1.GetCallerRequest())
            with self.assertRaises(priorityd.PriorityError) as stream:
                next(iter(client.watch_ranking(v1.WatchRankingRequest())))
        for error in [call.exception, stream.exception, *asyncio.run(by_asyncio())]:
            self.assertEqual((error.code, error.message), (grpc.StatusCode.FAILED_PRECONDITION, message))
            self.assertNotIn("secret", "".join(traceback.format_exception(error)))

    def test_an_error_names_each_violation_once(self):
        violations = (priorityd.Violation("limit", "want 1"), priorityd.Violation("view", "got 7"))
        error = priorityd.PriorityError(grpc.StatusCode.INVALID_ARGUMENT, "limit: got 2,\nwant 1", "", violations)
        self.assertEqual(str(error), "INVALID_ARGUMENT: limit: got 2, want 1; view: got 7")

    def test_an_error_controls_no_terminal(self):
        violations = (priorityd.Violation("a\x1b[2Jb", "got \x07"),)
        error = priorityd.PriorityError(grpc.StatusCode.NOT_FOUND, "\x1b]0;x\x07\u202e\ud83d \u00e9", "", violations)
        self.assertEqual(str(error), r"NOT_FOUND: \x1b]0;x\x07\u202e\ud83d " + "\u00e9" + r"; a\x1b[2Jb: got \x07")
        with self.assertLogs("priorityd") as logged:
            priorityd.Options().on_rate_limited(error)
        self.assertTrue(logged.output[0].removeprefix("WARNING:priorityd:").isprintable())

    def test_the_cluster_is_put_into_a_copy(self):
        request = v1.RecordUsageRequest(records=[v1.UsageRecord(record_id="1")])
        named = with_cluster(request, "c")
        self.assertEqual((request.cluster, named.cluster, len(named.records)), ("", "c", 1))
        self.assertEqual(with_cluster(named, "d").cluster, "c")
        self.assertEqual(with_cluster(v1.UpdateClusterRequest(), "c").cluster.name, "c")

    def test_only_harmless_calls_are_repeated(self):
        options = priorityd.Options()
        for method in ["PriorityService/RecordUsage", "AdminService/ListQos", "AdminService/Export"]:
            self.assertIs(policy_of("/priority.v1." + method, options), options.retry)
        for method in ["AdminService/ResetUsage", "AdminService/CreateQos"]:
            self.assertIs(policy_of("/priority.v1." + method, options), ONCE)

    def test_waits_double_up_to_a_bound_and_half_of_each_is_random(self):
        attempts = Attempts(priorityd.RetryPolicy(max_attempts=6, initial_backoff=1, max_backoff=4))
        error = priorityd.PriorityError(grpc.StatusCode.UNAVAILABLE, "")
        for most in (1, 2, 4, 4, 4):
            wait = attempts.next(error)
            self.assertTrue(most / 2 <= wait <= most, wait)
        with self.assertRaises(priorityd.PriorityError):
            attempts.next(error)


if __name__ == "__main__":
    unittest.main()
