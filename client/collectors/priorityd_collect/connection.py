"""The options of the connection: the address of priorityd and the caller's identity, as prioctl has them."""

from __future__ import annotations

import argparse
import os

import priorityd
from priorityd import credentials
from priorityd.credentials import Authorize, TlsFiles
from priorityd.errors import PriorityError
from priorityd_collect.items import Fault

_OPTION_OF = {"address": "--server", "deadline": "--timeout"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add them, with prioctl's names, environment variables and defaults."""
    where = parser.add_argument_group("the service")
    environment = os.environ.get
    where.add_argument(
        "--server", default=environment("PRIORITYD_SERVER") or "127.0.0.1:7411", metavar="ADDRESS[,ADDRESS...]"
    )
    where.add_argument("--cluster", default=environment("PRIORITYD_CLUSTER", ""), metavar="NAME")
    where.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS", help="the time limit of a call")
    where.add_argument(
        "--auth", choices=("auto", "token", "munge", "none"), default=environment("PRIORITYD_AUTH", "auto")
    )
    where.add_argument("--token-file", default=environment("PRIORITYD_TOKEN_FILE", ""), metavar="FILE")
    where.add_argument("--munge-socket", default=environment("PRIORITYD_MUNGE_SOCKET", ""), metavar="FILE")
    where.add_argument("--tls-ca", default=environment("PRIORITYD_TLS_CA", ""), metavar="FILE")
    where.add_argument("--tls-cert", default="", metavar="FILE")
    where.add_argument("--tls-key", default="", metavar="FILE")


def client_options(options: argparse.Namespace) -> priorityd.Options:
    """The options of the connection. A collector may start before the service: calls are retried until --timeout."""
    tls, proof = _tls(options), _proof(options)
    try:
        return priorityd.Options(
            address=options.server,
            cluster=options.cluster,
            deadline=options.timeout,
            retry=priorityd.RetryPolicy(max_attempts=1_000_000_000),
            credentials=tls,
            authorize=proof,
        )
    except ValueError as error:
        field, _, wrong = str(error).partition(":")
        raise Fault(f"{_OPTION_OF[field]}:{wrong}") from None


def _tls(options: argparse.Namespace) -> TlsFiles | None:
    if not options.tls_ca:
        if options.tls_cert or options.tls_key:
            raise Fault("--tls-cert: got it without --tls-ca, want both")
        return None
    try:
        return credentials.tls_files(options.tls_ca, options.tls_cert, options.tls_key)
    except (ValueError, PriorityError) as error:
        raise Fault(str(error)) from error


def _proof(options: argparse.Namespace) -> Authorize | None:
    match options.auth:
        case "none":
            return None
        case "munge":
            return credentials.munge(options.munge_socket)
        case "token" | "auto" if options.token_file:
            return credentials.token_file(options.token_file)
        case "token":
            return credentials.token_of_environment()
        case _:
            return credentials.automatic()
