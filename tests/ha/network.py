"""Hosts as network namespaces on one bridge, and partitions between them."""

import subprocess

GATEWAY = "10.77.0.254"
# A card that nobody has: a frame to it reaches no one.
_NOBODY = "02:00:00:00:00:01"


def _ip(*words, host=None):
    enter = ["nsenter", f"--net=/run/netns/{host.name}"] if host else []
    subprocess.run([*enter, "ip", *words], check=True, capture_output=True, text=True)


class Host:
    """A network namespace with one address. `name`: at most 9 characters."""

    def __init__(self, name, address):
        self.name = name
        self.address = address
        _ip("netns", "add", name)
        _ip("link", "add", f"port-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("link", "set", f"port-{name}", "master", "hosts", "up")
        _ip("address", "add", f"{address}/24", "dev", "eth0", host=self)
        _ip("link", "set", "eth0", "up", host=self)
        _ip("link", "set", "lo", "up", host=self)

    def start(self, command, log, user="root", environment=None, run=None):
        """Starts a process of the host, whose pid is that of the program itself. `run`: a folder that it sees as /run/postgresql."""
        enter = ["nsenter", f"--net=/run/netns/{self.name}"]
        if run:
            enter += ["unshare", "--mount", "sh", "-c", f'mount --bind {run} /run/postgresql && exec "$@"', "sh"]
        with open(log, "ab") as output:
            return subprocess.Popen([*enter, "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *command], stdout=output,
                                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd="/", env=environment)


def begin():
    """Makes the bridge. REQUIRES: network and mount namespaces of our own."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mkdir", "-p", "/run/netns"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)
    _ip("link", "set", "lo", "up")
    _ip("link", "add", "hosts", "type", "bridge")
    _ip("address", "add", f"{GATEWAY}/24", "dev", "hosts")
    _ip("link", "set", "hosts", "up")


def cut(one, others):
    """No packet passes between `one` and each of `others`, in either direction, and neither end gets an error."""
    for other in others:
        for a, b in ((one, other), (other, one)):
            _ip("neighbour", "replace", b.address, "lladdr", _NOBODY, "dev", "eth0", "nud", "permanent", host=a)


def heal(one, others):
    """Ends `cut`."""
    for other in others:
        for a, b in ((one, other), (other, one)):
            _ip("neighbour", "delete", b.address, "dev", "eth0", host=a)
