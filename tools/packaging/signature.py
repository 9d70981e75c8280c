"""The signature of a release: SHA256SUMS.asc, made by the releaser's own gpg."""

import os
import pathlib

from packaging import checkout

# Where gpg finds its keys and its agent.
PASSED = ("GNUPGHOME", "GPG_TTY")


def sign(key, out):
    """Signs SHA256SUMS in `out`, and so all that it names, with a key of gpg's; returns the signature's path."""
    sums = pathlib.Path(out) / "SHA256SUMS"
    if not sums.exists():
        raise checkout.Failed("--sign: got no SHA256SUMS, want part sbom, which writes it")
    signature = sums.with_name("SHA256SUMS.asc")
    checkout.run("gpg", "--batch", "--yes", "--local-user", key, "--armor", "--detach-sign", f"--output={signature}", sums,
                 **{name: os.environ[name] for name in PASSED if name in os.environ})
    return signature
