"""The packages on a host that has nothing but Debian: install, use, reboot, collect, purge."""

import shutil
import time

import container
from checks import CACHE, PBS, ROOT, check, one

CONF = "/etc/priorityd/priorityd.conf"


def files_of(host):
    """Every file of the host that is not of the system itself."""
    text = host.run("find", "/etc", "/usr", "/var/lib", "/opt", "-xdev", "-not", "-path", "/var/lib/dpkg/*", "-not", "-path",
                    "/var/lib/apt/*", "-not", "-path", "/var/lib/systemd/*", "-name", "*prior*")
    return sorted(line for line in text.splitlines() if "postgres" not in line)


def debian(packages, work):
    """From the packages to a ranked queue on a bare Debian, through a reboot, to nothing."""
    root = work / "host"
    container.unpack(container.debian(CACHE), root)
    for package in packages.glob("*.deb"):
        shutil.copy(package, root / "root")
    shutil.copytree(ROOT / "deploy/example", root / "root/example")
    with container.Container(root) as host:
        host.run("apt-get", "update", "-q")
        # The archives of Debian are not what is measured.
        host.run("apt-get", "install", "-q", "-y", "--download-only", "postgresql-15", "tzdata", *debs(root, "priorityd", "prioctl"))
        before = files_of(host)
        start = time.monotonic()
        host.run("apt-get", "install", "-q", "-y", *debs(root, "priorityd", "prioctl"))
        check("a package that is installed starts nothing", host.call("systemctl", "is-active", "priorityd").stdout == "inactive\n")
        host.run("systemctl", "enable", "--now", "priorityd")
        for words in (["slurm-conf", "slurm.conf"], ["qos", "qos.txt"], ["sacctmgr", "sacctmgr.dump"], ["sshare", "sshare.txt"]):
            host.run("prioctl", "import", words[0], f"/root/example/{words[1]}")
        host.run("prioctl", "recalculate")
        ranked = host.run("prioctl", "rank", "/root/example/jobs.jsonl", "--as-of", "2026-11-20T13:07:11Z", "--limit", "10")
        seconds = time.monotonic() - start
        check(f"a site is ranked {seconds:.0f} s after the first command, want 60 at most", seconds < 60 and "JOBID" in ranked, ranked)
        service(host)
        host.reboot()
        await_ranking(host, ranked)
        timer(host)
        purge(host, before)


def debs(root, *names):
    return [f"/root/{one(root / 'root', f'{name}_*.deb').name}" for name in names]


def await_ranking(host, ranked):
    again = ["prioctl", "--timeout", "60", "rank", "/root/example/jobs.jsonl", "--as-of", "2026-11-20T13:07:11Z", "--limit", "10"]
    deadline = time.monotonic() + 60
    while (done := host.call(*again)).returncode != 0 and time.monotonic() < deadline:
        time.sleep(0.5)
    check("after a reboot the service ranks as before", done.stdout == ranked, done.stdout)


def users_of(host, program):
    """The users of the processes of a program of /usr/bin."""
    return set(host.run("sh", "-c", f"for p in /proc/[0-9]*; do case $(readlink $p/exe) in /usr/bin/{program}*) stat -c %U $p; esac; done")
               .split())


def service(host):
    """What systemd and an operator see of the service."""
    show = host.run("systemctl", "show", "priorityd", "--property=ActiveState,StatusText,User,MemoryMax,NRestarts,MainPID")
    check("systemd has its state", "ActiveState=active" in show and "listening on unix:/run/priorityd/grpc.socket" in show, show)
    check("it is no root", users_of(host, "priorityd") == {"priorityd"}, show)
    exposure = host.run("systemd-analyze", "security", "priorityd")
    figure = float(exposure.split("Overall exposure level for priorityd.service:")[1].split()[0])
    check(f"its exposure is {figure}, want 2.5 at most", figure <= 2.5)
    host.run("journalctl", "--sync")
    log = host.run("journalctl", "-u", "priorityd", "METHOD=RankJobs", "-o", "cat")
    check("the journal has the fields of its lines", "method=RankJobs" in log, log)
    other = host.call("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "prioctl", "--timeout", "5",
                      "--server", "unix:/run/priorityd/grpc.socket", "status")
    check("no other user may use its socket", other.returncode == 1 and "no answer from priorityd" in other.stdout, other.stdout)
    config = host.root / CONF.lstrip("/")
    text = config.read_text(encoding="utf-8")
    check("the configuration is valid", host.call("setpriv", "--reuid=priorityd", "--regid=priorityd", "--init-groups", "priorityd",
                                                  f"--config={CONF}", "--check_config").stdout == f"{CONF}: valid\n")
    config.write_text(text + "log_level = debug\nmemory_budget = 2048\n", encoding="utf-8")
    host.run("systemctl", "reload", "priorityd")
    host.run("journalctl", "--sync")
    log = host.run("journalctl", "-u", "priorityd", "-o", "cat")
    check("a reload sets the log level and names what needs a restart",
          "log level debug" in log and "started again: memory_budget" in log, log)
    host.run("systemctl", "daemon-reload")
    memory = host.run("systemctl", "show", "priorityd", "--property=MemoryMax").strip()
    check("MemoryMax follows the memory budget", memory == f"MemoryMax={5349 << 20}", memory)
    config.write_text(text + "lisen = x\n", encoding="utf-8")
    lines = text.count("\n") + 1
    wrong = host.call("priorityd", f"--config={CONF}", "--check_config")
    check("a wrong line is named", wrong.returncode == 1 and f"{CONF}:{lines}: got lisen" in wrong.stdout, wrong.stdout)
    config.write_text(text, encoding="utf-8")
    host.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "priorityd")
    deadline = time.monotonic() + 60
    restarts = lambda: host.run("systemctl", "show", "priorityd", "--property=NRestarts")  # noqa: E731
    while ("NRestarts=1" not in restarts() or host.call("prioctl", "status").returncode not in (0, 3)) and time.monotonic() < deadline:
        time.sleep(0.2)
    check("a killed server is started again", "NRestarts=1" in restarts())
    check("man and the links find their pages and names", "Ranks the queue" in host.run("prioctl", "man")
          and host.run("/usr/lib/prioctl/slurm/sinfo", "--version").startswith("sinfo (priorityd)"))


def timer(host):
    """A log that is read at intervals: by the timer at once, and again after it has grown."""
    host.run("apt-get", "install", "-q", "-y", "--no-install-recommends", *debs(host.root, "priorityd-collect"))
    etc = host.root / "etc"
    log = host.root / "var/log/pbs"
    jobs = PBS.replace("account=chem", "account=biol")  # Where the example site has ann.
    log.write_text(jobs, encoding="utf-8")
    (etc / "priorityd/collect/pbs.conf").write_text("ARGUMENTS=pbs /var/log/pbs\nPRIORITYD_SERVER=unix:/run/priorityd/grpc.socket\n",
                                                    encoding="utf-8")
    for unit, text in (("service", "[Service]\nSupplementaryGroups=priorityd\n"), ("timer", "[Timer]\nOnActiveSec=\nOnActiveSec=1s\nOnUnitInactiveSec=1s\n"
                                                                                  "RandomizedDelaySec=0\n")):
        folder = etc / f"systemd/system/priorityd-collect@pbs.{unit}.d"
        folder.mkdir(parents=True)
        (folder / "test.conf").write_text(text, encoding="utf-8")
    host.run("systemctl", "daemon-reload")
    host.run("systemctl", "enable", "--now", "priorityd-collect@pbs.timer")
    check("a timer starts a collector at once", await_record(host, "1234"), journal(host))
    log.write_text(jobs + jobs.replace("1234.pbs", "1235.pbs"), encoding="utf-8")
    check("and again after an interval", await_record(host, "1235"), journal(host))
    (etc / "priorityd/collect/pbs.conf").unlink()
    host.run("apt-get", "purge", "-q", "-y", "priorityd-collect")
    for unit in ("timer", "service"):
        check(f"a removed {unit} has stopped",
              host.call("systemctl", "is-active", f"priorityd-collect@pbs.{unit}").stdout in ("inactive\n", "failed\n"))
        shutil.rmtree(etc / f"systemd/system/priorityd-collect@pbs.{unit}.d")


def journal(host):
    return host.call("journalctl", "-u", "priorityd-collect@pbs", "-o", "cat").stdout


def await_record(host, job, seconds=60):
    """Whether a job comes into the ledger."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        shown = host.call("/usr/lib/prioctl/slurm/sacct", "-a", "-S", "2026-11-01", "-E", "2026-12-31", "-n", "-P", "-o", "JobID").stdout
        if any(line.startswith(job) for line in shown.splitlines()):
            return True
        time.sleep(0.5)
    return False


def purge(host, before):
    host.run("apt-get", "remove", "-q", "-y", "priorityd")
    check("a removed server has stopped", not users_of(host, "priorityd"))
    host.run("apt-get", "purge", "-q", "-y", "priorityd", "prioctl")
    left = sorted(set(files_of(host)) - set(before))
    check("a purge leaves no file", not left, "\n".join(left))
    check("a purge leaves no user", host.call("getent", "passwd", "priorityd").returncode == 2)
