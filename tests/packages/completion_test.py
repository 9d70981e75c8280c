#!/usr/bin/env python3
"""Completion as bash, zsh and fish do it: names of a real priorityd, silently and at once if there is none."""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/packages"))
from running_site import environment, site  # noqa: E402

# Bazel runs tests where what it built is.
PRIORITYD, PRIOCTL = (pathlib.Path(name).resolve() for name in ("server/priorityd", "client/prioctl"))
LINKS = ("squeue", "sprio", "sshare", "scontrol", "sacctmgr")
# A line, and its words after the key Tab.
LINES = (
    ("prioctl expl", "prioctl explain"),
    ("prioctl queue list --users am", "prioctl queue list --users amy"),
    ("prioctl queue list --users=be", "prioctl queue list --users=ben"),
    ("prioctl queue list -u amy,b", "prioctl queue list -u amy,ben"),
    ("prioctl reset-usage ro", "prioctl reset-usage root"),
    ("prioctl --cluster c queue list -p ", "prioctl --cluster c queue list -p p"),
    ("squeue -M ", "squeue -M c"),
    ("squeue --use", "squeue --user"),
    ("scontrol hold ", "scontrol hold 4711"),
    ("sacctmgr modify user be", "sacctmgr modify user ben"),
    ("sprio -u am", "sprio -u amy"),
    ("sshare -A ro", "sshare -A root"),
)
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1=; source <(prioctl completion bash --links); bind 'set bell-style none'"),
    "zsh": (["zsh", "-f", "-i"], "PS1=; unsetopt zle_bracketed_paste; autoload -U compinit && compinit -u -D; "
            "source <(prioctl completion zsh --links)"),
}
PATIENCE = 300.0


def at_last(completed, words):
    """What is completed, at the tenth attempt at the latest: on a busy host an answer may take longer than the second that prioctl
    waits for it."""
    for _ in range(10):
        if (got := completed()) == words:
            break
    return got


class Terminal:
    """A shell at a terminal, into which keys are typed."""

    def __init__(self, shell, folder, env):
        command, start = START[shell]
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, env)
        self.seen = ""
        self.type(f"{start}; echo rea''dy\n")
        self.wait(r"^ready\r?$")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def wait(self, pattern):
        """Until the shell has printed a line."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.seen, re.MULTILINE)):
            if not select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))[0]:
                raise AssertionError(f"want {pattern} of the shell, got\n{self.seen}")
            self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        return found

    def completed(self, line):
        """The words of a line after Tab: printed by a command that is put before them."""
        self.seen = ""
        self.type(f"{line}\t\x01printf '<%s> ' \x05 ; echo; echo do''ne\n")
        self.wait(r"^done\r?$")
        return " ".join(re.findall(r"<([^>%]*)>", re.findall(r"^(<.*>) *\r?$", self.seen, re.MULTILINE)[-1]))


def fish(line, env, folder):
    """The only candidate of fish for a line, with the words before it."""
    script = "prioctl completion fish --links | source; complete -C $argv[1]"
    out = subprocess.run(["fish", "--no-config", "-c", script, line], env=env, cwd=folder, check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    candidates = [word.partition("\t")[0] for word in out.splitlines()]
    return line.rpartition(" ")[0] + " " + " ".join(candidates)


class CompletionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="completion")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        programs = cls.folder / "bin"
        programs.mkdir()
        for name in ("prioctl", *LINKS):
            (programs / name).symlink_to(PRIOCTL)
        (cls.folder / "empty").mkdir()
        running = site(PRIORITYD, PRIOCTL)
        address = running.__enter__()
        cls.addClassCleanup(running.__exit__, None, None, None)
        cls.env = {**environment(address), "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(cls.folder), "TERM": "dumb"}
        jobs = '{"jobId": "4711", "user": "amy", "account": "a", "nodes": 1, "cpus": 4}\n'
        subprocess.run([PRIOCTL, "queue", "sync", "-", "--source", "test"], env=cls.env, input=jobs, text=True, check=True,
                       stdout=subprocess.DEVNULL)

    def check_terminal(self, shell):
        terminal = Terminal(shell, self.folder / "empty", self.env)
        self.addCleanup(terminal.close)
        for line, words in LINES:
            with self.subTest(line=line):
                self.assertEqual(at_last(lambda line=line: terminal.completed(line), words), words)

    def test_bash(self):
        self.check_terminal("bash")

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh(self):
        self.check_terminal("zsh")

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish(self):
        for line, words in LINES:
            with self.subTest(line=line):
                got = at_last(lambda line=line: fish(line, self.env, self.folder / "empty"), words)
                self.assertIn(words, (got, words if line.endswith("--use") else None))

    def test_without_a_service_tab_is_silent_and_quick(self):
        for address in ("127.0.0.1:1", "unix:/nowhere/grpc.socket"):
            terminal = Terminal("bash", self.folder / "empty", {**self.env, "PRIORITYD_SERVER": address})
            self.addCleanup(terminal.close)
            took = []
            while len(took) < 10 and min(took, default=2) >= 2:  # What waited for a service would do so each time.
                start = time.monotonic()
                self.assertEqual(terminal.completed("squeue -u am"), "squeue -u am")
                took.append(time.monotonic() - start)
                self.assertNotIn("priorityd", terminal.seen)
            self.assertLess(min(took), 2)


if __name__ == "__main__":
    unittest.main()
