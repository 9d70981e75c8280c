"""Fuzzes the API over HTTP by /openapi.json, as each role, and judges every answer.

Every seed is fixed. What is wrong: an answer of 500 or more but 501, 503 and 504, a status, a content type or a body that /openapi.json does not have, a connection that ends without an answer, a server that does.
Streams of events never end by themselves, so that they are left out, as is what takes the cluster away.
"""

import time

import hypothesis
import requests
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

import fuzzed_site as site

LEFT_OUT = ("WatchRanking", "RebuildUsage", "DeleteCluster", "MoveCluster")
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
SEED = 20260105
CALL_SECONDS = 30
# Returned while the service is busy, or a database is away; and by methods that take streams.
FINE = (501, 503, 504)


def operations(server):
    """Each operation of the description but those left out, with its name."""
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    for result in schema.get_all_operations():
        operation = result.ok()
        if not any(name in operation.path for name in LEFT_OUT):
            yield f"{operation.method.upper()} {operation.path}", operation


class Fault(Exception):
    """One answer that is wrong."""


def judge(case, answer):
    """Raises what is wrong with it."""
    if answer.status_code in FINE:
        return
    for check in CHECKS:
        try:
            case.validate_response(answer, checks=[check])
        except (AssertionError, schemathesis.errors.SchemathesisError, BaseExceptionGroup) as wrong:
            raise Fault(f"{check.__name__}: {wrong}"[:2000]) from None


def fuzz(server, operation, role, examples, until):
    """The first fault of one operation as one role; empty = none, or no time was left."""
    headers = server.headers(role)

    @hypothesis.seed(SEED)
    @hypothesis.settings(max_examples=examples, deadline=None, database=None, derandomize=False, print_blob=False,
                         suppress_health_check=list(hypothesis.HealthCheck), phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate])
    @hypothesis.given(case=operation.as_strategy())
    def ask(case):
        if time.monotonic() > until:
            return
        answer = case.call(headers={**(case.headers or {}), **headers}, timeout=CALL_SECONDS)
        judge(case, answer)

    try:
        ask()
    except Fault as fault:
        return str(fault)
    except requests.RequestException as error:
        return f"no answer: {error}"
    return ""


def run(server, examples, seconds):
    """Yields (the request and its user, what was wrong), until the time is over."""
    until = time.monotonic() + seconds
    for role in site.ROLES:
        for name, operation in operations(server):
            if time.monotonic() > until:
                return
            yield f"{name} as {role}", fuzz(server, operation, role, examples, until)
            if not server.is_alive():
                yield "the server", f"ended with {server.process.returncode}:\n{server.log.read_text(errors='replace')[-2000:]}"
                return
