"""The credentials of calls, and TLS."""

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

#: The inode, size and modification time of each file.
FileState = tuple[tuple[int, int, int], ...]

# The payload that the service expects in a MUNGE credential.
_MUNGE_PAYLOAD = "priorityd"
_MUNGE_SOCKET = "/run/munge/munge.socket.2"
# Of one credential.
_MUNGE_SECONDS = 30.0
_TOKEN_VARIABLE = "SLURM_JWT"


def token_file(path: str | os.PathLike[str]) -> Authorize:
    """Prove the caller by the JSON web token in a file, which is read for each call."""
    return lambda: _bearer("token file", _read("token file", path).decode(errors="replace"))


def token_of_environment() -> Authorize:
    """Prove the caller by the token in SLURM_JWT, in the form that scontrol prints."""
    return lambda: _bearer(_TOKEN_VARIABLE, os.environ.get(_TOKEN_VARIABLE, ""))


def munge(socket: str = "") -> Authorize:
    """Prove the caller by credentials of this host's munged, which the command munge makes."""
    command = ["munge", "--string", _MUNGE_PAYLOAD, *(["--socket", socket] if socket else [])]

    def authorize() -> str:
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_MUNGE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise _missing(f"munged of this host: got no credential in {_MUNGE_SECONDS:g} s") from error
        except (OSError, subprocess.CalledProcessError) as error:
            message = getattr(error, "stderr", None) or str(error)
            raise _missing(f"munged of this host: {message.strip()}") from error
        return "MUNGE " + done.stdout.strip()

    return authorize


def automatic() -> Authorize:
    """Prove the caller by the token in SLURM_JWT if set, else by MUNGE if munged runs, else not at all."""

    def authorize() -> str:
        if os.environ.get(_TOKEN_VARIABLE):
            return token_of_environment()()
        return munge()() if os.path.exists(_MUNGE_SOCKET) else ""

    return authorize


class TlsFiles:
    """PEM files: the trusted authorities, and the client's own certificate and its key (both or none).

    A client checks the files before each call and reconnects if one was replaced; open calls continue.
    """

    def __init__(self, ca: str, certificate: str = "", key: str = "") -> None:
        """Name the files. A PriorityError names an unreadable one."""
        if bool(certificate) != bool(key):
            raise ValueError("TLS: got one of certificate and key, want both or none")
        self._ca, self._certificate, self._key = ca, certificate, key
        self.credentials()

    def credentials(self) -> grpc.ChannelCredentials:
        """The present contents of the files."""
        return grpc.ssl_channel_credentials(
            root_certificates=_read("TLS file", self._ca),
            private_key=_read("TLS file", self._key) if self._key else None,
            certificate_chain=_read("TLS file", self._certificate) if self._certificate else None,
        )

    def state(self) -> FileState:
        """The identities of the files, which change when one is replaced; empty while one is absent."""
        try:
            found = [os.stat(path) for path in (self._ca, self._certificate, self._key) if path]
        except OSError:
            return ()
        return tuple((status.st_ino, status.st_size, status.st_mtime_ns) for status in found)


def tls_files(ca: str, certificate: str = "", key: str = "") -> TlsFiles:
    """Use TLS with PEM files: the trusted authorities, and the client's own certificate and its key (both or none)."""
    return TlsFiles(ca, certificate, key)


def one_line(what: str, secret: str) -> str:
    """Return a secret that can be sent in a header; otherwise a PriorityError names `what` and says nothing of it."""
    lines = len(secret.splitlines())
    if lines > 1:
        raise _missing(f"{what}: got {lines} lines, want one")
    if not (secret.isascii() and secret.isprintable()):
        raise _missing(f"{what}: got a character that is not printable ASCII, want none")
    return secret


def _bearer(what: str, token: str) -> str:
    if not token.strip():
        raise _missing(f"token: got none, want one in {_TOKEN_VARIABLE} or in a file")
    return "Bearer " + one_line(what, token.strip())


def _read(what: str, path: str | os.PathLike[str]) -> bytes:
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise _missing(f"{what}: {error}") from error


def _missing(message: str) -> PriorityError:
    return PriorityError(grpc.StatusCode.FAILED_PRECONDITION, message)
