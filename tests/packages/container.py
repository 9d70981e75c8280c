"""A Debian with systemd in a container of systemd-nspawn, as a site's host would be."""

import pathlib
import shutil
import subprocess
import time

REBOOT = 133  # The exit status of systemd-nspawn --keep-unit.
INCLUDED = "systemd,systemd-sysv,dbus"


class Container:
    """A host whose root is a folder. Used as a context: leaving it ends every process in it."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.process = None

    def __enter__(self):
        self.boot()
        return self

    def __exit__(self, *_):
        self.power_off()

    def boot(self):
        log = open(self.root.parent / "console.log", "ab")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--console=pipe", "--resolv-conf=copy-host",
             # tzdata replaces /etc/localtime, which must be no mount.
             "--timezone=off", f"--directory={self.root}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.await_running()

    def await_running(self):
        """Until systemd has started everything."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            state = self.call("systemctl", "is-system-running").stdout.strip() if self.leader() else ""
            if state in ("running", "degraded"):
                return
            time.sleep(0.2)
        raise RuntimeError("systemd: got no running system in 120 s")

    def leader(self):
        """The pid of the container's init; 0 while there is none."""
        if self.process.poll() is not None:
            raise RuntimeError(f"systemd-nspawn: exit status {self.process.returncode}")
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii").split()
        return int(children[-1]) if children else 0

    def call(self, *command):
        """Runs a command in the container; the result has its status and output."""
        return subprocess.run(["nsenter", f"--target={self.leader()}", "--all", "--", "/usr/bin/env", "-i",
                               "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                               *command],
                              text=True, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *command):
        """The output of a command that succeeds."""
        done = self.call(*command)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}")
        return done.stdout

    def reboot(self):
        """As `systemctl reboot`: systemd-nspawn ends with REBOOT, and the next one is the next start."""
        self.call("systemctl", "reboot")
        if self.process.wait(timeout=120) != REBOOT:
            raise RuntimeError(f"reboot: got exit status {self.process.returncode}, want {REBOOT}")
        self.boot()

    def power_off(self):
        if self.process.poll() is None:
            if self.leader():
                self.call("systemctl", "poweroff")
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.terminate()
                self.process.wait()


def debian(folder, suite="bookworm", include=INCLUDED):
    """A root of Debian and nothing else, by mmdebstrap; kept as an archive for the next time."""
    kept = folder / f"{suite}.tar"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", f"--include={include}", suite, str(kept)], check=True)
    return kept


def unpack(archive, root):
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    subprocess.run(["tar", "--extract", f"--file={archive}", f"--directory={root}"], check=True)
