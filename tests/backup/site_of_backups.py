"""Programs as user postgres, priorityd under load, and what a claim came to."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import load
import small_site

import priorityd

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS = 120


def install_programs(folder):
    """What priorityd-backup expects in PATH, where every user can run it."""
    folder.chmod(0o755)
    programs = folder / "bin"
    programs.mkdir()
    built = pathlib.Path(os.environ.get("PRIORITYD_BIN", ROOT / "bazel-bin"))
    for program in (built / "server" / "priorityd", built / "client" / "prioctl", ROOT / "deploy" / "backup" / "priorityd-backup"):
        shutil.copy(program, programs / program.name)
        (programs / program.name).chmod(0o755)
    os.environ["PATH"] = f"{programs}:/usr/lib/postgresql/15/bin:{os.environ['PATH']}"


def owned(path):
    """The folder, made for user postgres."""
    path.mkdir()
    shutil.chown(path, "postgres", "postgres")
    return path


def run(*command, check=True, **environment):
    """Runs a program as user postgres; the completed process."""
    done = subprocess.run(["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *map(str, command)], cwd="/", capture_output=True, text=True,
                          check=False, env={**os.environ, "HOME": "/nonexistent", **environment})
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done


def claim(what, fault):
    """Prints a claim, and why it does not hold (empty = it holds)."""
    print(f"{'FAILED' if fault else 'ok    '} {what}" + (f": {fault}" if fault else ""), flush=True)
    return what, fault


@contextlib.contextmanager
def server(log, *flags):
    """A priorityd as user postgres; its address. Ends with the block."""
    with open(log, "ab") as output:
        process = subprocess.Popen(["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "priorityd", "--listen=127.0.0.1:0", *map(str, flags)],
                                   stdout=output, stderr=subprocess.STDOUT, cwd="/")
    try:
        until = time.monotonic() + START_SECONDS
        while not (found := re.search(r"listening on ([0-9.:]+)", log.read_text(errors="replace"))):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"priorityd did not start: {log.read_text(errors='replace')}")
            time.sleep(0.1)
        yield found[1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def client(address):
    """Of one server, or of several divided by commas."""
    return priorityd.Client(priorityd.Options(address=address, cluster=small_site.CLUSTER))


@contextlib.contextmanager
def senders(address, *sources):
    """A sender for each source, which records until the block ends."""
    started = [load.Sender(source, priorityd.Options(address=address, cluster=small_site.CLUSTER)) for source in sources]
    for sender in started:
        sender.start()
    try:
        yield started
    finally:
        for sender in started:
            sender.end()


def await_batches(started, more=10):
    """Waits until each sender has so many more acknowledgements."""
    want = [sender.acknowledged + more for sender in started]
    while any(sender.acknowledged < least for sender, least in zip(started, want)):
        time.sleep(0.05)


def ledger(url):
    """Of each source: records, and billing seconds."""
    rows = run("psql", "-XAtq", "-F", " ", "-d", url, "-c", "SELECT source, count(*), sum(billing * extract(epoch FROM end_time - start_time))::bigint "
               "FROM priorityd.usage_record GROUP BY source").stdout.splitlines()
    return {source: (int(records), int(amount)) for source, records, amount in (row.split() for row in rows)}


def account(*started):
    """The same, as the senders had it acknowledged."""
    return {sender.source: (sender.acknowledged * load.RECORDS, sum(load.billing_seconds(number) for number in range(1, sender.acknowledged + 1)))
            for sender in started}


def difference(got, want):
    return "" if got == want else f"got {got}, want {want}"
