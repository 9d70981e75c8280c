"""Jobs of every kind in the queue of the example site, and scontrol's verbs on them."""

import re

from transcript import Transcript

# name: (user, options of sbatch, script). {NAME} is the number of an earlier job. Jobs start with --mem=100.
JOBS = (
    ("failing", "bob", "-A stars -n1", "exit 1"),
    ("done", "bob", "-A stars -n2", "true"),
    ("requeued", "bob", "-A plasma -n8 -w n1 --requeue -t 2:00:00", "sleep 600"),
    ("requeue_held", "bob", "-A plasma -n8 -w n2 --requeue -t 2:00:00", "sleep 600"),
)

QUEUE = (
    ("running_main", "bob", "-A stars -n8 -w n1 -t 1:00:00", "sleep 1800"),
    ("running_gpu", "ann", "-A chem -p gpu -n8 -w n2 --gres=gpu:1 -t 2:00:00 --licenses=foo:1", "sleep 1800"),
    ("plain", "ann", "-A stars -n2 -t 30 --qos=normal", "true"),
    ("own_hold", "ann", "-A stars -n1 --hold", "true"),
    ("admin_hold", "dan", "-A plasma -n1 -t 10-00:00:00", "true"),
    ("nice", "ann", "-A stars -n1 --nice=50 --qos=normal", "true"),
    ("by_hand", "bob", "-A plasma -n1", "true"),
    ("afterany", "ann", "-A stars -n1 --dependency=afterany:{running_main},{running_gpu}", "true"),
    ("afterany_colon", "ann", "-A stars -n1 --dependency=afterany:{running_main}:{running_gpu}", "true"),
    ("either", "bob", "-A stars -n1 --dependency=afterok:{running_main}?afterany:{running_gpu}", "true"),
    ("later", "bob", "-A stars -n1 --dependency=after:{running_main}+90", "true"),
    ("both", "cat", "-A astro -n1 --dependency=afterok:{running_main},afternotok:{running_gpu}", "true"),
    ("singleton", "dan", "-A plasma -n1 --dependency=singleton -J admin_hold", "true"),
    ("never", "bob", "-A stars -n1 --dependency=afterok:{failing}", "true"),
    ("array", "cat", "-A astro -n1 --array=0-5%2", "true"),
    ("task_by_task", "cat", "-A astro -n1 --array=0-5 --dependency=aftercorr:{array}", "true"),
    ("list", "cat", "-A astro -n1 --array=1,3,7-11:2", "true"),
    ("begins", "eve", "-A organic -n1 --begin=now+2hours", "true"),
    ("two_partitions", "eve", "-A organic -n4 -p main,gpu -t 12:00:00", "true"),
    ("high", "ann", "-A stars -n3 --qos=high -t 5:00:00 --comment='a remark'", "true"),
    ("long", "dan", "-A plasma -n2 --qos=long -t 13-00:00:00", "true"),
    ("blocked", "fay", "-A guests -n1", "true"),
    ("over_limit", "eve", "-A organic -n16 -N2 -t 3-00:00:00 --mem=500", "true"),
    ("too_long", "bob", "-A stars -p gpu -n1 -t 3-00:00:00", "true"),
    ("named", "bob", "-A stars -n1 -J 'a name, \u00fc'", "true"),
    ("licensed", "bob", "-A plasma -n1 --licenses=foo:4 --gres=gpu:1 -x n1", "true"),
    ("cancelled", "bob", "-A plasma -n1", "true"),
    ("burst", "bob", "-A plasma -n1 --bb='capacity=1G'", "true"),
    ("topped", "dan", "-A plasma -n1", "true"),
    ("reserved", "bob", "-A plasma -n1 --exclusive -N2 -t 4:00:00", "true"),
)

REFUSED = (
    ("ann", "sbatch -A chem -p gpu,main --wrap=true"),
    ("ann", "sbatch -A nowhere --wrap=true"),
    ("ann", "sbatch -A stars --qos=nowhere --wrap=true"),
    ("cat", "sbatch -A chem --wrap=true"),
    ("bob", "sbatch -A stars --qos=high -t 3-00:00:00 -n14 --wrap=true"),
    ("bob", "sbatch -A stars --dependency=nonsense:1 --wrap=true"),
    ("bob", "sbatch -A stars --dependency=afterok: --wrap=true"),
    ("bob", "sbatch -A stars --array=nonsense --wrap=true"),
    ("bob", "sbatch -A stars --nice=-10 --wrap=true"),
    ("bob", "sbatch -A stars -p nowhere --wrap=true"),
    ("fay", "sbatch -A guests -p gpu --wrap=true"),
    ("bob", "sbatch -A stars -t nonsense --wrap=true"),
)

# (user or None for root, command), one after another.
CHANGES = (
    (None, "scontrol hold {plain}"),
    ("ann", "scontrol release {plain}"),
    (None, "scontrol release {plain}"),
    ("ann", "scontrol hold {plain}"),
    ("ann", "scontrol release {plain}"),
    (None, "scontrol uhold {plain}"),
    ("ann", "scontrol release {plain}"),
    ("bob", "scontrol hold {plain}"),
    ("cat", "scontrol hold {either}"),
    ("cat", "scontrol release {either}"),
    ("ann", "scontrol hold {plain} {nice}"),
    ("ann", "scontrol release jobid={plain},{nice}"),
    ("dan", "scontrol hold jobname=topped"),
    ("dan", "scontrol release name=topped"),
    ("bob", "scontrol top {licensed}"),
    ("ann", "scontrol top {nice}"),
    ("ann", "scontrol update jobid={nice} nice=100"),
    ("ann", "scontrol update jobid={nice} nice=-5"),
    (None, "scontrol update jobid={nice} nice=-5"),
    (None, "scontrol update jobid={nice} nice"),
    ("ann", "scontrol update jobid={nice} priority=9"),
    (None, "scontrol update jobid={nice} priority=99999"),
    ("ann", "scontrol update jobid={nice} priority=0"),
    (None, "scontrol update jobid={nice} priority=4294967295"),
    ("ann", "scontrol update jobid={plain} account=chem"),
    ("ann", "scontrol update jobid={plain} account=organic"),
    ("ann", "scontrol update jobid={plain} partition=debug"),
    ("ann", "scontrol update jobid={plain} partition=main"),
    ("ann", "scontrol update jobid={plain} partition=nowhere"),
    ("ann", "scontrol update jobid={plain} qos=high"),
    ("ann", "scontrol update jobid={plain} qos=nowhere"),
    ("ann", "scontrol update jobid={plain} timelimit=20"),
    ("ann", "scontrol update jobid={plain} timelimit=1-00:00:00"),
    (None, "scontrol update jobid={plain} timelimit=+60"),
    ("ann", "scontrol update jobid={plain} dependency=afterany:{running_main}"),
    ("ann", "scontrol update jobid={plain} dependency="),
    ("ann", "scontrol update jobid={plain} dependency=afterok:{plain}"),
    ("ann", "scontrol update jobid={plain} starttime=now+1hour"),
    ("ann", "scontrol update jobid={plain} starttime=now"),
    ("ann", "scontrol update jobid={plain} name=renamed numcpus=1 comment=why"),
    ("ann", "scontrol update job={plain} sitefactor=5"),
    (None, "scontrol update jobid={plain} sitefactor=5"),
    ("cat", "scontrol update jobid={array} arraytaskthrottle=1"),
    ("cat", "scontrol update jobid={array} arraytaskthrottle=0"),
    ("cat", "scontrol hold {array}_3"),
    ("cat", "scontrol hold {array}_[1,4]"),
    ("cat", "scontrol release {array}_3"),
    ("cat", "scontrol update jobid={array}_1 nice=7"),
    (None, "scontrol update jobid={running_main} timelimit=90"),
    ("bob", "scontrol update jobid={running_main} timelimit=120"),
    (None, "scontrol requeue {running_main}"),
    (None, "scontrol suspend {plain}"),
    (None, "scontrol hold {done}"),
    (None, "scontrol release {running_gpu}"),
)


def submit(slurm, folder):
    ids = {}
    transcript = Transcript(slurm, folder / "submitted.txt")
    for job in JOBS:
        submit_one(transcript, ids, *job)
    for name, state in (("failing", "FAILED"), ("done", "COMPLETED"), ("requeued", "RUNNING"), ("requeue_held", "RUNNING")):
        slurm.until(f"scontrol show job {ids[name]}", f"JobState={state}")
    transcript.run(f"scontrol requeue {ids['requeued']}")
    transcript.run(f"scontrol requeuehold {ids['requeue_held']}")
    slurm.until("sinfo -h -p main -o %T", "idle")
    for job in QUEUE[:2]:
        submit_one(transcript, ids, *job)
    for name in ("running_main", "running_gpu"):
        slurm.until(f"scontrol show job {ids[name]}", "JobState=RUNNING")
    for job in QUEUE[2:]:
        submit_one(transcript, ids, *job)
    for command in ("scontrol hold {admin_hold}", "scontrol update jobid={by_hand} priority=5000", "scancel {cancelled}"):
        transcript.run(command.format(**ids))
    transcript.run(f"scontrol top {ids['topped']}", user="dan")
    for user, command in REFUSED:
        transcript.run(command, user=user)
    slurm.until(f"squeue -h -j {ids['licensed']} -o %S", "20", seconds=60)
    return ids


def submit_one(transcript, ids, name, user, options, script):
    options = options.format(**ids)
    named = "" if "-J" in options else f"-J {name} "
    memory = "" if "--mem" in options else "--mem=100 "
    command = f"sbatch --parsable -o /dev/null {named}{memory}{options} --wrap='{script}'"
    answer = transcript.run(command, user=user).stdout.strip()
    ids[name] = answer or "0"


def change(slurm, folder, ids):
    transcript = Transcript(slurm, folder / "scontrol_verbs.txt")
    for user, command in CHANGES:
        command = command.format(**ids)
        transcript.run(command, user=user)
        job = next((word for word in re.split("[=, []", command) if word[:1].isdigit()), None)
        if job:
            transcript.run(f"squeue -h -j {job} -o '%i|%T|%r|%Q|%y|%a|%P|%q|%l|%E|%j'")
