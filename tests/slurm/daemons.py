"""A real Slurm on loopback: munged, MariaDB, slurmdbd, slurmctld, two slurmds, all below one temporary folder."""

import os
import pathlib
import pwd
import shutil
import socket
import struct
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CLUSTER = "lab"
PACKAGES = [line for line in (HERE / "packages").read_text().split("\n") if line and not line.startswith("#")]
# Ports far from Slurm's and MariaDB's own, so that another Slurm on this machine is left in peace.
DATABASE_PORT, DBD_PORT, CONTROLLER_PORT, NODE_PORT = 43306, 46819, 46817, 46821

SLURM_CONF = """\
ClusterName={cluster}
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={munge}/socket
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool/%n
SlurmctldLogFile={home}/log/slurmctld.log
SlurmdLogFile={home}/log/slurmd-%n.log
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MinJobAge=3600
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd_port}
AccountingStoragePass={munge}/socket
AccountingStorageTRES=gres/gpu,license/foo
AccountingStorageEnforce=associations,limits,qos,safe
AccountingStoreFlags=job_comment
"""


class RealSlurm:
    def __init__(self, users=(), settings=None):
        """`settings`: values of slurm.conf that are not those of site.conf."""
        self.settings = settings or {}
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="priorityd-slurm."))
        self.cluster, self.munge = CLUSTER, self.home / "munge"
        self.controller_port, self.node_port = CONTROLLER_PORT, NODE_PORT
        self.wanted_users = users
        self.added_users = []
        self.processes = []
        self.environment = dict(os.environ, SLURM_CONF=str(self.home / "etc/slurm.conf"), TZ="UTC", LC_ALL="C.UTF-8",
                                SLURM_TIME_FORMAT="standard", COLUMNS="200")
        self.environment["PATH"] += ":/usr/sbin:/sbin"

    def __enter__(self):
        try:
            install_packages()
            self.add_users()
            self.make_folders()
            self.start_munge()
            self.start_database()
            self.start_dbd()
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.stop_steps()
        for process in reversed(self.processes):
            stop(process)
        for user in self.added_users:
            remove_user(user)
        shutil.rmtree(self.home, ignore_errors=True)

    # What the captures do with it.

    def run(self, command, user=None, typed=None):
        """What is typed comes a line at a time: Slurm's questions drop what came before they are asked."""
        if typed is not None:
            command = f"""while read -r line; do sleep 1.5; echo "$line"; done | {command}"""
        argv = ["bash", "-c", command]
        if user:
            argv = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] + argv
        given = {"stdin": subprocess.DEVNULL} if typed is None else {"input": typed}
        return subprocess.run(argv, text=True, capture_output=True, env=self.environment, cwd="/tmp", timeout=120, **given)

    def must(self, command, user=None):
        ended = self.run(command, user=user)
        if ended.returncode != 0:
            raise RuntimeError(f"{command}: {ended.stdout}{ended.stderr}")
        return ended.stdout.strip()

    def until(self, command, wanted, seconds=60):
        end = time.monotonic() + seconds
        while wanted not in (out := self.run(command).stdout):
            if time.monotonic() > end:
                raise RuntimeError(f"{command}: wanted {wanted}, got {out}")
            time.sleep(0.2)

    def start_controller(self):
        self.controller = self.start("slurmctld", ["slurmctld", "-D"])
        self.until("scontrol ping", "UP")
        self.nodes = [self.start(f"slurmd-{n}", ["slurmd", "-D", "-N", n]) for n in ("n1", "n2")]
        self.until("sinfo -h -o %T", "idle")

    def stop_controller(self):
        for process in self.nodes + [self.controller]:
            stop(process)
            self.processes.remove(process)

    def restart_controller(self):
        stop(self.controller)
        self.processes.remove(self.controller)
        self.controller = self.start("slurmctld", ["slurmctld", "-D"])
        self.until("scontrol ping", "UP")

    def write_usage(self, usage):
        """Gives associations the usage they start with: {(account, user, partition): CPU seconds}."""
        lines = self.must(f"sacctmgr -nP show assoc cluster={self.cluster} format=account,user,partition,id").splitlines()
        ids = {tuple(line.split("|")[:3]): int(line.split("|")[3]) for line in lines}
        write_usage_file(self.home / "state/assoc_usage", {ids[key]: seconds for key, seconds in usage.items()})

    # Its parts.

    def make_folders(self):
        for name in ("etc", "log", "munge", "database", "state", "spool/n1", "spool/n2"):
            (self.home / name).mkdir(parents=True)
        for path in (self.home, self.home / "etc"):
            path.chmod(0o755)
        conf = SLURM_CONF.format(home=self.home, munge=self.munge, cluster=self.cluster, dbd_port=DBD_PORT,
                                 controller_port=self.controller_port, node_port=self.node_port)
        conf += (HERE / "site.conf").read_text().format(node_port=self.node_port, second_node_port=self.node_port + 1)
        (self.home / "etc/slurm.conf").write_text(with_settings(conf, self.settings))
        # Slurm counts a GPU per device file; any two devices will do, nothing opens them.
        (self.home / "etc/gres.conf").write_text("NodeName=n[1-2] Name=gpu File=/dev/tty[0-1]\n")

    def add_users(self):
        for user in self.wanted_users:
            try:
                pwd.getpwnam(user)
            except KeyError:
                subprocess.run(["useradd", "-M", "-U", "-s", "/bin/sh", user], check=True)
                self.added_users.append(user)

    def start(self, name, argv):
        log = (self.home / f"log/{name}.out").open("ab")
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                                   start_new_session=True)
        self.processes.append(process)
        return process

    def start_munge(self):
        folder = self.home / "munge"
        (folder / "key").write_bytes(os.urandom(1024))
        (folder / "key").chmod(0o600)
        folder.chmod(0o755)
        self.start("munged", ["munged", "--foreground", "--force", f"--key-file={folder}/key",
                              f"--socket={folder}/socket", f"--pid-file={folder}/pid", f"--seed-file={folder}/seed",
                              f"--log-file={folder}/log"])
        self.until(f"munge -n -S {folder}/socket", "MUNGE")

    def newest(self, name):
        """The process of a daemon that was started last."""
        return [process for process in self.processes if pathlib.Path(process.args[0]).name == name][-1]

    def start_database(self):
        data = self.home / "database"
        shutil.chown(data, "mysql", "mysql")
        subprocess.run(["mariadb-install-db", "--no-defaults", "--user=mysql", f"--datadir={data}", "--skip-test-db"], check=True,
                       capture_output=True)
        self.run_database()
        self.must(f"""mariadb --no-defaults -S {data}/socket -e "CREATE DATABASE accounts;
          CREATE USER slurm@localhost IDENTIFIED BY 'slurm'; CREATE USER slurm@'127.0.0.1' IDENTIFIED BY 'slurm';
          GRANT ALL ON accounts.* TO slurm@localhost; GRANT ALL ON accounts.* TO slurm@'127.0.0.1'" """)

    def run_database(self):
        data = self.home / "database"
        self.start("mariadbd", ["/usr/sbin/mariadbd", "--no-defaults", "--user=mysql", f"--datadir={data}", f"--socket={data}/socket",
                                f"--pid-file={data}/pid", "--bind-address=127.0.0.1", f"--port={DATABASE_PORT}"])
        self.until(f"mariadb-admin --no-defaults -S {data}/socket ping", "alive")

    def start_dbd(self):
        path = self.home / "etc/slurmdbd.conf"
        path.write_text(f"""AuthType=auth/munge
AuthInfo=socket={self.home}/munge/socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={DBD_PORT}
SlurmUser=root
LogFile={self.home}/log/slurmdbd.log
PidFile={self.home}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={DATABASE_PORT}
StorageUser=slurm
StoragePass=slurm
StorageLoc=accounts
""")
        path.chmod(0o600)
        self.start("slurmdbd", ["slurmdbd", "-D"])
        wait_for_port(DBD_PORT)

    def stop_steps(self):
        """Jobs outlive their slurmd: ends what still runs from this folder's spool."""
        if any(process.poll() is None and "slurmctld" in process.args for process in self.processes):
            self.run("scancel --state=RUNNING")
        spool = f"{self.home}/spool/".encode()
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if spool in path.read_bytes():
                    os.kill(int(path.parent.name), 15)
            except OSError:
                pass


class AnotherCluster(RealSlurm):
    """A slurmctld with nodes of its own, beside one whose munged and slurmdbd it shares."""

    def __init__(self, first, name, settings=None):
        super().__init__(settings=settings)
        self.cluster, self.munge = name, first.munge
        self.controller_port, self.node_port = first.controller_port + 10, first.node_port + 10

    def __enter__(self):
        self.make_folders()
        return self


def with_settings(conf, settings):
    kept = [line for line in conf.splitlines() if line.partition("=")[0] not in settings]
    return "\n".join(kept + [f"{name}={value}" for name, value in settings.items()]) + "\n"


def install_packages():
    missing = [p for p in PACKAGES if subprocess.run(["dpkg", "-s", p], capture_output=True).returncode != 0]
    if missing:
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True,
                       env=environment, stdout=subprocess.DEVNULL)


def remove_user(name, seconds=10):
    """userdel refuses as long as a process of the user runs: all of them are jobs that were started here."""
    end = time.monotonic() + seconds
    while subprocess.run(["userdel", name], capture_output=True).returncode != 0 and time.monotonic() < end:
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if folder.owner() == name:
                    os.kill(int(folder.name), 9)
            except (OSError, KeyError):
                pass
        time.sleep(0.2)


def wait_for_port(port, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def stop(process):
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def write_usage_file(path, usage):
    """slurmctld's state file of usage: version, time, then per association its number, usage, usage per TRES, wall time."""

    def text(string):
        encoded = string.encode() + b"\0"
        return struct.pack(">I", len(encoded)) + encoded

    content = struct.pack(">HQ", 38 << 8, int(time.time()))
    for number, seconds in usage.items():
        content += struct.pack(">I", number) + text(f"{seconds:.6f}") + text(f"1={seconds}") + struct.pack(">I", seconds // 10)
    path.write_bytes(content)
