"""Runs the server's image as an ordinary user, without a daemon and without root: podman with runc."""

import os
import pathlib
import shutil
import subprocess

import running_site

NAME = "priorityd"
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
IMAGE_USER = 65532


class User:
    """A user of the host with no rights, made for a test, with ids for its containers."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        subprocess.run(["useradd", "--create-home", "--shell", "/bin/sh", "--add-subids-for-system", self.name], check=True)
        self.home = pathlib.Path("/home") / self.name
        self.runtime = self.home / "run"
        self.run("mkdir", "-m", "700", str(self.runtime))
        return self

    def __exit__(self, *_):
        subprocess.run(["pkill", "-KILL", "-u", self.name], check=False)
        subprocess.run(["userdel", "--remove", "--force", self.name], check=False, stderr=subprocess.DEVNULL)

    def command(self, *words):
        """The same command, as this user."""
        return ["setpriv", f"--reuid={self.name}", f"--regid={self.name}", "--init-groups", "env", "-i",
                f"HOME={self.home}", f"XDG_RUNTIME_DIR={self.runtime}", f"PATH={os.environ['PATH']}", "LC_ALL=C.UTF-8",
                *map(str, words)]

    def call(self, *words, timeout=300):
        return subprocess.run(self.command(*words), text=True, check=False, cwd=self.home, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)

    def run(self, *words):
        """The output of a command that succeeds."""
        done = self.call(*words)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}")
        return done.stdout

    def start(self, *words):
        return subprocess.Popen(self.command(*words), text=True, cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)


class Database:
    """A PostgreSQL of the user's own, on a Unix socket of its home."""

    def __init__(self, user):
        self.user = user
        self.data, self.socket = user.home / "data", user.home / "socket"

    def __enter__(self):
        self.user.run("mkdir", str(self.socket))
        self.user.run(POSTGRES / "initdb", "--auth=trust", "--username=priorityd", "--no-sync", "-D", self.data)
        self.user.run(POSTGRES / "pg_ctl", "start", "--wait", "-D", self.data, "-l", self.user.home / "log",
                      "-o", f"-c listen_addresses= -c unix_socket_directories={self.socket} -c fsync=off")
        self.user.run(POSTGRES / "createdb", "-h", self.socket, "-U", "priorityd", "priorityd")
        return self

    def __exit__(self, *_):
        self.user.call(POSTGRES / "pg_ctl", "stop", "--mode=immediate", "-D", self.data)

    def url(self):
        return f"postgresql://priorityd@/priorityd?host={self.socket}"


class Server:
    """The server's image, run by podman as the user: a root that nothing can write, no capability, the host's network."""

    def __init__(self, user, archive, database):
        self.user = user
        image = user.home / "image.tar"
        shutil.copy(archive, image)
        image.chmod(0o644)
        # A network of its own would need /dev/net/tun, and crun some other cgroups than those of many hosts.
        self.process = user.start("podman", "--cgroup-manager=cgroupfs", "--runtime=runc", "run", "--rm", f"--name={NAME}", "--read-only",
                                  "--read-only-tmpfs=false", "--network=host", "--cap-drop=all", "--security-opt=no-new-privileges",
                                  f"--volume={database.socket}:{database.socket}", f"oci-archive:{image}",
                                  f"--database_url={database.url()}", "--listen=127.0.0.1:0")

    def __enter__(self):
        self.address = running_site.listening(self.process)
        return self

    def __exit__(self, *_):
        self.user.call("podman", "stop", "--time=20", NAME)
        self.process.wait(timeout=60)

    def status(self):
        """{name: words} of /proc/PID/status of priorityd, as the host sees it."""
        pid = self.user.run("podman", "inspect", "--format={{.State.Pid}}", NAME).split()[-1]
        lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        return {name: words.split() for name, _, words in (line.partition(":") for line in lines)}, pathlib.Path(f"/proc/{pid}/root")


def ids_of(user, file="/etc/subuid"):
    """The range of ids that the user's containers have: its first and its length."""
    line = next(line for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines() if line.startswith(f"{user.name}:"))
    return tuple(map(int, line.split(":")[1:]))


def writable(root):
    """Whether the root of a running container is mounted for writing."""
    return not os.statvfs(root).f_flag & os.ST_RDONLY
