"""A real priorityd with its own PostgreSQL, for programs that were built on packages."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading

CONF = "ClusterName=c\nNodeName=n1 CPUs=100\nPartitionName=p Nodes=n1 Default=YES\n"
DUMP = "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\n" + "".join(
    f"User - '{user}':DefaultAccount='a'\n" for user in ("amy", "ben"))


@contextlib.contextmanager
def site(priorityd, prioctl):
    """The address of a priorityd, whose cluster c has users amy and ben in account a."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="packages", dir="/tmp"))
    folder.chmod(0o755)  # PostgreSQL runs as an ordinary user where priorityd runs as root.
    server = subprocess.Popen([priorityd, "--listen=127.0.0.1:0", f"--data_dir={folder}/data"], stderr=subprocess.PIPE, text=True)
    try:
        address = listening(server)
        for kind, text in (("slurm-conf", CONF), ("sacctmgr", DUMP)):
            file = folder / kind
            file.write_text(text, encoding="utf-8")
            subprocess.run([prioctl, "--server", address, "import", kind, file], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([prioctl, "--server", address, "recalculate"], check=True, stdout=subprocess.DEVNULL)
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
        server.stderr.close()
        shutil.rmtree(folder, ignore_errors=True)


def listening(server):
    """The address that a server logs."""
    output = ""
    for line in server.stderr:
        output += line
        if found := re.search(r"listening on (\S+)", line):
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return found[1]
    raise AssertionError(f"priorityd does not listen:\n{output}")


def output(*command, **more):
    """Exit status and output of a command."""
    done = subprocess.run([str(word) for word in command], text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more)
    return done.returncode, done.stdout


def environment(address):
    return {**os.environ, "PRIORITYD_SERVER": address}
