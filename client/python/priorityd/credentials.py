"""How calls prove who makes them, and TLS."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Callable

import grpc

from priorityd.errors import PriorityError

#: The value of the metadata ``authorization`` for one call, made for each: MUNGE takes a credential once,
#: and a token may have been renewed. Empty = the call proves nothing.
Authorize = Callable[[], str]

#: Of each file its inode, size and time.
FileState = tuple[tuple[int, int, int], ...]

# What the service wants a MUNGE credential to carry.
_MUNGE_PAYLOAD = "priorityd"
_MUNGE_SOCKET = "/run/munge/munge.socket.2"
_TOKEN_VARIABLE = "SLURM_JWT"


def token_file(path: str | os.PathLike[str]) -> Authorize:
    """Prove the caller by the JSON web token in a file, which is read for each call."""
    return lambda: _bearer(_read("token file", path).decode())


def token_of_environment() -> Authorize:
    """Prove the caller by what SLURM_JWT has, as scontrol prints it."""
    return lambda: _bearer(os.environ.get(_TOKEN_VARIABLE, ""))


def munge(socket: str = "") -> Authorize:
    """Prove the caller by credentials of the munged of this host, which the command munge makes."""
    command = ["munge", "--string", _MUNGE_PAYLOAD, *(["--socket", socket] if socket else [])]

    def authorize() -> str:
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            told = getattr(error, "stderr", None) or str(error)
            raise _missing(f"munged of this host: {told.strip()}") from error
        return "MUNGE " + done.stdout.strip()

    return authorize


def automatic() -> Authorize:
    """Prove the caller by the token in SLURM_JWT if there is one, else by MUNGE if munged is there, else not."""

    def authorize() -> str:
        if os.environ.get(_TOKEN_VARIABLE):
            return token_of_environment()()
        return munge()() if os.path.exists(_MUNGE_SOCKET) else ""

    return authorize


class TlsFiles:
    """PEM files: whom to trust, and the client's own certificate and its key (both or none).

    A client looks at them before each call and connects anew where one is another file than before; calls that
    are open go on.
    """

    def __init__(self, ca: str, certificate: str = "", key: str = "") -> None:
        """Name the files. A PriorityError names one that cannot be read."""
        if bool(certificate) != bool(key):
            raise ValueError("TLS: got one of certificate and key, want both or none")
        self._ca, self._certificate, self._key = ca, certificate, key
        self.credentials()

    def credentials(self) -> grpc.ChannelCredentials:
        """What they have now."""
        return grpc.ssl_channel_credentials(
            root_certificates=_read("TLS file", self._ca),
            private_key=_read("TLS file", self._key) if self._key else None,
            certificate_chain=_read("TLS file", self._certificate) if self._certificate else None,
        )

    def state(self) -> FileState:
        """What another file would differ in; empty while one of them is not there."""
        try:
            found = [os.stat(path) for path in (self._ca, self._certificate, self._key) if path]
        except OSError:
            return ()
        return tuple((status.st_ino, status.st_size, status.st_mtime_ns) for status in found)


def tls_files(ca: str, certificate: str = "", key: str = "") -> TlsFiles:
    """Speak TLS by PEM files: whom to trust, and the client's own certificate and its key (both or none)."""
    return TlsFiles(ca, certificate, key)


def _bearer(token: str) -> str:
    if not token.strip():
        raise _missing(f"token: got none, want one in {_TOKEN_VARIABLE} or in a file")
    return "Bearer " + token.strip()


def _read(what: str, path: str | os.PathLike[str]) -> bytes:
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise _missing(f"{what}: {error}") from error


def _missing(message: str) -> PriorityError:
    return PriorityError(grpc.StatusCode.FAILED_PRECONDITION, message)
