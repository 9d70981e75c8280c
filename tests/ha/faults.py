"""What happens to the site: one fault at a time, drawn from a deck in which each kind is once."""

import dataclasses
import random
import subprocess
import time

import hosts
import network
import processes

HEAL_SECONDS = 180
# After this time a person would look: Patroni 3.0 does not always start again what it stopped.
HAND_SECONDS = 60
# Patroni's answers are as old as its loop, so the site must look whole for longer.
STEADY_SECONDS = 5


@dataclasses.dataclass
class Fault:
    """One that is over. Times are those of time.monotonic()."""

    kind: str
    what: str
    begin: float
    healed: float = 0.0
    whole: float = 0.0  # When all processes of the site worked as before.
    promoted: bool = False  # Whether another host became the primary.
    restarted: list[str] = dataclasses.field(default_factory=list)  # Hosts whose Patroni was restarted by hand.


class Faults:
    """Draws and heals. REQUIRES: the site is whole before each `do_one`."""

    def __init__(self, site, clients, seed, kinds):
        self._site = site
        self._clients = clients
        self._random = random.Random(seed)
        self._kinds = KINDS[kinds]
        self._deck = []

    def do_one(self):
        """Does the next fault, heals it, and returns when the site is whole again."""
        if not self._deck:
            self._deck = list(self._kinds)
            self._random.shuffle(self._deck)
        kind = self._deck.pop()
        primary = self._site.primary()
        fault = Fault(kind.__doc__, "", time.monotonic())
        fault.what = kind(self, primary)
        fault.healed = time.monotonic()
        self._await_whole(fault)
        fault.promoted = self._site.primary() is not primary
        return fault

    def _await_whole(self, fault):
        """Until the site is whole for STEADY_SECONDS, and each client had an answer meanwhile."""
        by_hand = fault.healed + HAND_SECONDS

        def whole():
            now = time.monotonic()
            if not self._site.is_whole():
                fault.whole = 0.0
                if now > by_hand and not fault.restarted:
                    fault.restarted = self._site.restart_stuck()
                return False
            fault.whole = fault.whole or now
            return now > fault.whole + STEADY_SECONDS and all(client.answered_since(fault.whole) for client in self._clients)

        processes.await_true(f"the site whole after: {fault.kind}", HEAL_SECONDS, whole)

    def _pause(self, shortest, longest):
        time.sleep(self._random.uniform(shortest, longest))

    def _others(self, host):
        return [other for other in self._site.databases if other is not host]

    def kill_postgres(self, primary):
        """kill -9 of the primary's PostgreSQL"""
        processes.kill(primary.postgres_pids())
        return primary.name

    def kill_backend(self, primary):
        """kill -9 of one process of the primary's PostgreSQL"""
        processes.kill([self._random.choice(primary.postgres_pids()[1:])])
        return primary.name

    def kill_patroni(self, primary):
        """kill -9 of the primary's Patroni"""
        processes.kill([primary.patroni.pid])
        primary.patroni.wait()
        time.sleep(1)  # RestartSec of its unit.
        primary.start()
        return primary.name

    def kill_host(self, primary):
        """kill -9 of all of the primary's host"""
        primary.kill()
        self._pause(5, 30)
        return primary.name

    def freeze_postgres(self, primary):
        """freeze of the primary's PostgreSQL"""
        return self._freeze(primary.name, primary.postgres_pids())

    def freeze_host(self, primary):
        """freeze of all of the primary's host"""
        return self._freeze(primary.name, primary.pids())

    def _freeze(self, name, pids):
        processes.freeze(pids)
        self._pause(5, 30)
        processes.thaw(pids)
        return name

    def part_host(self, primary):
        """partition: the primary's host from all others"""
        return self._part(primary, [*self._others(primary), *self._site.services])

    def part_databases(self, primary):
        """partition: the primary's host from the other database hosts only"""
        return self._part(primary, self._others(primary))

    def _part(self, host, others):
        network.cut(host, others)
        self._pause(5, 30)
        network.heal(host, others)
        return host.name

    def lose_unsent(self, primary):
        """kill -9 of the primary's host, recovered a second ago, without a standby that receives"""
        # What was committed there and not sent is there after the recovery. Nobody may rely on it.
        standbys = [pid for host in self._others(primary) for pid in host.postgres_pids()]
        processes.freeze(standbys)
        time.sleep(0.5)
        processes.kill([self._random.choice(primary.postgres_pids()[1:])])
        self._pause(0.5, 1.5)
        primary.kill()
        processes.thaw(standbys)
        self._pause(5, 20)
        return primary.name

    def switch_over(self, primary):
        """switchover by patronictl"""
        candidate = self._site.synchronous()
        done = subprocess.run(["patronictl", "switchover", "priorityd", "--leader", primary.name,
                               "--candidate", candidate.name, "--force"], env={**primary.patroni_environment(), "HOME": "/nonexistent"},
                              capture_output=True, text=True, check=False, timeout=60)
        if "Successfully switched over" not in done.stdout:
            raise RuntimeError(f"patronictl: {done.stdout}{done.stderr}")
        return f"{primary.name} to {candidate.name}"

    def kill_standby(self, _):
        """kill -9 of all of the synchronous standby's host"""
        standby = self._site.synchronous()
        standby.kill()
        self._pause(5, 20)
        return standby.name

    def freeze_standby(self, _):
        """freeze of all of the synchronous standby's host"""
        standby = self._site.synchronous()
        return self._freeze(standby.name, standby.pids())

    def kill_etcd(self, _):
        """kill -9 of one etcd"""
        host = self._random.choice(self._site.databases)
        processes.kill([host.etcd.pid])
        host.etcd.wait()
        self._pause(5, 15)
        return host.name

    def kill_all_etcd(self, _):
        """kill -9 of every etcd"""
        for host in self._site.databases:
            processes.kill([host.etcd.pid])
            host.etcd.wait()
        self._pause(5, 15)
        return "all"

    def kill_priorityd(self, _):
        """kill -9 of the priorityd that leads"""
        host = self._site.leading_service()
        host.kill_priorityd()
        self._pause(2, 10)
        return host.name

    def freeze_priorityd(self, _):
        """freeze of the priorityd that leads"""
        host = self._site.leading_service()
        return self._freeze(host.name, [host.priorityd.pid])

    def part_priorityd(self, _):
        """partition: the leading priorityd's host from all database hosts"""
        return self._part(self._site.leading_service(), self._site.databases)

    def kill_haproxy(self, _):
        """kill -9 of one HAProxy"""
        host = self._random.choice(self._site.services)
        host.kill_haproxy()
        self._pause(1, 5)
        return host.name


# Those of the primary's host, most of which make another host the primary.
PRIMARY = [Faults.kill_postgres, Faults.kill_backend, Faults.kill_patroni, Faults.kill_host, Faults.freeze_postgres, Faults.freeze_host,
           Faults.part_host, Faults.part_databases, Faults.lose_unsent, Faults.switch_over]
OTHERS = [Faults.kill_standby, Faults.freeze_standby, Faults.kill_etcd, Faults.kill_all_etcd, Faults.kill_priorityd, Faults.freeze_priorityd,
          Faults.part_priorityd, Faults.kill_haproxy]
KINDS = {"all": [*PRIMARY, *OTHERS], "primary": PRIMARY, "others": OTHERS, **{kind.__name__: [kind] for kind in [*PRIMARY, *OTHERS]}}
