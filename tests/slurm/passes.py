"""What priorityd-slurm asks Slurm's tools for, written down pass by pass of slurmctld's."""

import collections
import shlex
import time

UTC = "env TZ=UTC SLURM_TIME_FORMAT=standard "
QUEUE_COLUMNS = ("JobArrayID", "UserName", "Account", "Partition", "QOS", "State", "TimeLimit", "NumNodes", "NumCPUs",
                 "tres-alloc", "SubmitTime", "EligibleTime", "AccrueTime", "StartTime", "Dependency", "Nice", "Reason",
                 "Reservation", "PriorityLong")
SHARES = "sshare{0} -a -m -P -o Cluster,Account,User,Partition,RawUsage"
RECORDS = "--format=JobIDRaw,User,Account,Partition,QOS,Start,End,Suspended,AllocTRES"
# As in transcripts: asked for all, and without the time that was meant.
SACCT = UTC + "sacct -a -X -P{0} -S {1} " + RECORDS


def commands(cluster):
    return (
        "scontrol show config",
        "scontrol -o show node",
        "scontrol -o show partition",
        f"sacctmgr dump {cluster} file=/dev/stdout",
        f"sacctmgr -P show assoc cluster={cluster} format=id,account,user,partition",
        "sacctmgr -P show qos",
        UTC + "SLURM_BITSTR_LEN=0 squeue -a -O " + shlex.quote(",".join(f"{name}:|" for name in QUEUE_COLUMNS)),
        "sprio -o '%i|%r|%Y|%S|%N|%a|%b|%f|%j|%p|%q|%t|%A|%B|%F|%J|%P|%Q|%T'",
        SHARES.format(""),
    )


class Passes:
    """The transcript: `@ N` begins a pass. What is the same as after the pass before is left out."""

    def __init__(self, slurm, others=()):
        """`others`: clusters whose usage is asked for as well, and all records with it."""
        self.slurm, self.others, self.last, self.text = slurm, others, {}, ""

    def capture(self, number):
        while True:
            self.await_pass()
            told = {command: self.slurm.must(command) + "\n" for command in commands(self.slurm.cluster)}
            if self.slurm.must(SHARES.format("")) + "\n" == told[SHARES.format("")]:
                break
        told.update(self.of_others())
        self.text += f"@ {number}\n"
        for command, out in told.items():
            if self.last.get(command) != out:
                self.text += f"$ {command}\n{out.replace(str(self.slurm.home), '/var/spool/slurm')}= 0\n"
        self.last = told

    def of_others(self):
        told = {}
        for cluster in self.others:
            told[SHARES.format(f" -M {cluster}")] = self.slurm.must(SHARES.format(f" -M {cluster}")) + "\n"
        for cluster in ("", *self.others) if self.others else ():
            of = f" -M {cluster}" if cluster else ""
            told[SACCT.format(of, "SINCE")] = self.slurm.must(SACCT.format(of, "now-1days")) + "\n"
        return told

    def await_pass(self):
        """A pass moves the age of all that waits; what is submitted or changed moves its own."""
        before = self.commonest_age()
        while self.commonest_age() in (before, 0.0):
            time.sleep(0.5)

    def commonest_age(self):
        ages = collections.Counter(self.slurm.must("sprio -h -o %a").split())
        return float(ages.most_common(1)[0][0])
