"""What a process of a database host can do without a certificate and without a password."""

import ssl
import urllib.error
import urllib.request


def faults(site):
    """The commands to etcd and Patroni that were not refused, as sentences; none if all were."""
    return [f"{host.name}: got {fault}" for host in site.databases for fault in (*_of_etcd(host), *_of_patroni(host))]


def _of_etcd(host):
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    for path in ("2379/v2/keys/", "2379/v2/members", "2379/version", "2380/members", "2380/raft"):
        for scheme in ("http", "https"):
            url = f"{scheme}://{host.address}:{path}"
            try:
                with urllib.request.urlopen(url, timeout=10, context=unverified) as answer:
                    yield f"status {answer.status} of {url}, want a refused handshake"
            except urllib.error.HTTPError as error:
                # Go's server answers so to clear text on a port of TLS.
                if scheme == "https" or error.code != 400:
                    yield f"status {error.code} of {url}, want a refused handshake"
            except OSError as error:
                if isinstance(getattr(error, "reason", None), ConnectionRefusedError | TimeoutError):
                    yield f"{error} of {url}: etcd was not reached"


def _of_patroni(host):
    for method, path in (("PATCH", "config"), ("PUT", "config"), ("POST", "restart"), ("POST", "reinitialize"), ("POST", "failover"), ("POST", "switchover")):
        url = f"http://{host.address}:8008/{path}"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, b"{}", method=method), timeout=10) as answer:
                yield f"status {answer.status} of {method} {url}, want 401"
        except urllib.error.HTTPError as error:
            if error.code != 401:
                yield f"status {error.code} of {method} {url}, want 401"
