"""The texts of Slurm's tools on the example site."""

import json

from transcript import Transcript

SHOW = """
sacctmgr show assoc
sacctmgr show assoc -P
sacctmgr -p show assoc
sacctmgr -n show assoc
sacctmgr list associations tree
sacctmgr -P show assoc tree
sacctmgr show assoc format=account,user,fairshare
sacctmgr show assoc format=account%-20,user%5,share%6,qos%30,defaultqos
sacctmgr -P show assoc format=cluster,account,user,partition,id,parentid,parentname,lft,rgt,fairshare,priority,qos,defaultqos
sacctmgr -P show assoc format=account,user,partition,grpjobs,grpjobsaccrue,grpsubmit,grptres,grptresmins,grptresrunmins,grpwall,maxjobs,maxjobsaccrue,maxsubmit,maxtres,maxtrespernode,maxtresmins,maxwall,qosraw
sacctmgr show assoc where account=chem
sacctmgr show assoc user=ann
sacctmgr show assoc where user=ann account=stars,chem format=account,user,partition,qos,defaultqos,maxjobs
sacctmgr show assoc user=ann partition=gpu
sacctmgr show assoc where parent=physics format=account,user
sacctmgr show assoc where qos=high format=account,user,qos
sacctmgr show assoc where onlydefaults=yes format=account,user
sacctmgr show assoc wopinfo format=account,user,parentname
sacctmgr show assoc wopl format=account,user,maxjobs,qos
sacctmgr show assoc wolimits format=account,user
sacctmgr show assoc cluster=lab account=guests withsubaccounts format=account,user
sacctmgr show assoc cluster=nowhere
sacctmgr show user
sacctmgr show users -P
sacctmgr show user ann
sacctmgr show user where name=ann,bob
sacctmgr show user withassoc
sacctmgr -P show user withassoc
sacctmgr show user ann withassoc format=user,defaultaccount,account,partition,share,qos,adminlevel
sacctmgr show user withcoord
sacctmgr -nP show user withcoord format=user,coordinators,admin
sacctmgr show user adminlevel=operator
sacctmgr show user where defaultaccount=stars
sacctmgr show user where account=chem < y
sacctmgr show user withassoc where account=chem
sacctmgr show account
sacctmgr show account -P
sacctmgr -n -p show account
sacctmgr show account chem
sacctmgr show account withassoc
sacctmgr -P show account chem withassoc
sacctmgr show account withcoord
sacctmgr show account where organization=observatory
sacctmgr show account where description="whatever"
sacctmgr show account format=account,descr%40,org
sacctmgr show qos
sacctmgr -P show qos
sacctmgr -n show qos
sacctmgr show qos high
sacctmgr show qos where name=high,low format=name,priority,flags,preempt,usagefactor
sacctmgr show qos format=name%10,grptres%40,maxwall,maxjobspu
sacctmgr -P show qos format=description,id,name,preemptmode,flags,gracetime,grpjobs,grpjobsaccrue,grpsubmit,grptres,grptresmins,grptresrunmins,grpwall,limitfactor,maxjobsaccruepu,maxjobsaccruepa,maxjobspu,maxjobspa,maxsubmitpu,maxsubmitpa,maxtres,maxtresmins,maxtrespernode,maxtrespu,maxtrespa,maxtresrunminspu,maxtresrunminspa,maxwall,mintres,minpriothresh,preempt,preemptexempttime,priority,usagefactor,usagethreshold
sacctmgr show cluster
sacctmgr -P show cluster format=cluster,share,grpjobs,maxsubmit,qos,defaultqos,tres
sacctmgr show coordinator
sacctmgr -P show coordinator
sacctmgr show tres
sacctmgr show configuration
sacctmgr show stats
sacctmgr show events
sacctmgr show problem
sacctmgr show runaway
sacctmgr show wckey
sacctmgr show reservation
sacctmgr show resource
"""

SHARES = """
sshare
sshare -a
sshare -l
sshare -a -l
sshare -P
sshare -a -P
sshare -a -l -P
sshare -p -a
sshare -n -a
sshare -U
sshare -m
sshare -a -m -P
sshare -A physics
sshare -A chem,guests -a
sshare -A stars -u ann
sshare -u ann
sshare -u ann,eve -P
sshare -a -o account,user,rawshares
sshare -a -o Account%30,User%12,FairShare%15,LevelFS
sshare -a -o cluster,account,user,partition,id,rawshares,normshares,rawusage,normusage,effectvusage,fairshare,levelfs -P
sshare -a -P -o Account,User,GrpTRESMins,TRESRunMins,GrpTRESRaw
sshare -e
sshare -M lab -A guests
sshare -V
"""

QUEUE = """
squeue
squeue -h
squeue -l
squeue -a
squeue -u ann
squeue -u ann,bob -h
squeue --me
squeue -A stars
squeue -p gpu
squeue -q high
squeue -t PENDING
squeue -t RUNNING,CG
squeue -t all
squeue -t PD,CA,F,CD -h -o "%i %t %T"
squeue -n plain,nice
squeue -w n1
squeue -r
squeue -r -t all -h -o "%i %F %K %t %r"
squeue --start
squeue --start -u bob
squeue -S i
squeue -S -p,i
squeue -S u,-Q -h -o "%u %Q %i"
squeue -S P,t,-p -h -o "%i %P %t %p"
squeue -s
squeue -P -h -o "%i %P %Q"
squeue -P --sort=-p -h -o "%i|%P|%p"
squeue -o "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
squeue -o "%i|%P|%j|%u|%a|%q|%T|%t|%M|%l|%D|%C|%p|%Q|%r|%R|%S"
squeue -o "%A|%F|%K|%B|%c|%d|%e|%E|%f|%g|%G|%h|%H|%I|%J|%k|%L|%m|%n|%N|%o|%O|%s|%U|%v|%V|%w|%W|%x|%X|%y|%Y|%z|%Z|%b"
squeue -o "%5i%-10u%.3tx"
squeue -o "%10.3j|%.20j|%3j"
squeue -O jobid,partition,name,username,state,timeused,timelimit,numnodes,reasonlist
squeue -O "jobarrayid:20,account:.10,qos:8,prioritylong,priority,reason:30,starttime,eligibletime,submittime,nice,dependency:40"
squeue -O "JobID:10,ArrayTaskID:12,Comment,Account:10,tres-alloc:60,tres-per-node,Licenses,Requeue,NumCPUs,NumTasks,MinMemory,TimeLeft,EndTime,UserName,UserID,StateCompact,SchedNodes,Feature,Exc_Nodes,Req_Nodes,Over_Subscribe,AccrueTime,PreemptTime,LastSchedEval"
squeue -O "JobID: ,Account: ,Partition: "
squeue -V
"""

PRIORITY = """
sprio
sprio -l
sprio -n
sprio -n -l
sprio -w
sprio -h
sprio -u ann
sprio -p gpu
sprio -S -y
sprio -S u,-Y
sprio -o "%i %u %r %Y %A %F %J %P %Q %N %T %B %S"
sprio -o "%.15i %9r %.8u %.10Y %10a %10b %10f %10j %10p %10q %o %c %n %t"
sprio -V
"""

SCONTROL = """
scontrol show job
scontrol -o show job
scontrol -d show job {array}
scontrol show job {plain}
scontrol show jobs {plain}
scontrol show job {array}_3
scontrol show partition
scontrol -o show partition
scontrol show partition gpu
scontrol show assoc_mgr
scontrol -o show assoc_mgr
scontrol show assoc_mgr flags=users
scontrol show assoc_mgr flags=assoc users=ann
scontrol show assoc_mgr flags=assoc accounts=chem
scontrol show assoc_mgr flags=qos qos=high
scontrol show config
scontrol show node
scontrol show hostnames n[1-3]
scontrol show licenses
scontrol ping
scontrol version
"""

AUDIT = """
sacctmgr show transactions format=action%30,actor,info%60,where%60
sacctmgr -P show transactions format=action,actor,info,where
sacctmgr -P show transactions format=action,actor,info,where where account=chem
sacctmgr -P show transactions where action=addaccounts format=action,actor,info,where
sacctmgr -P show transactions where actor=eve format=action,actor,info,where
sacctmgr -P show transactions start=2100-01-01 format=action,actor,info,where
sacctmgr show transactions where account=chem format=timestamp,action
sacctmgr show transactions withassoc where account=stars format=action,users,accounts,clusters
"""


def accounting(slurm, folder):
    Transcript(slurm, folder / "sacctmgr_show.txt").all(SHOW)
    Transcript(slurm, folder / "sshare.txt").all(SHARES)
    dump = slurm.home / "dump.cfg"
    slurm.must(f"sacctmgr dump lab file={dump}")
    # Without its head, an explanation in comments.
    lines = [line for line in dump.read_text().splitlines(True) if not line.startswith("#")]
    (folder / "dump.cfg").write_text("".join(lines))
    (folder / "qos.txt").write_text(slurm.must("sacctmgr -P show qos") + "\n")
    conf = (slurm.home / "etc/slurm.conf").read_text().replace(str(slurm.home), "/var/spool/slurm")
    (folder / "slurm.conf").write_text(conf)
    (folder / "scontrol_show_assoc_mgr_before_jobs.txt").write_text(slurm.must("scontrol -o show assoc_mgr") + "\n")


def queue(slurm, folder, ids):
    (folder / "jobs.json").write_text(json.dumps(ids, indent=1) + "\n")
    transcript = Transcript(slurm, folder / "squeue.txt")
    transcript.run("date +%Y-%m-%dT%H:%M:%S")
    transcript.all(QUEUE, user="ann")
    told = json.loads(slurm.must("squeue --json"))
    told["jobs"] = [job for job in told["jobs"] if str(job["job_id"]) in (ids["plain"], ids["array"])]
    (folder / "squeue.json").write_text(json.dumps(told, indent=1) + "\n")
    Transcript(slurm, folder / "sprio.txt").all(PRIORITY)
    Transcript(slurm, folder / "scontrol_show.txt").all(SCONTROL.format(**ids))
    Transcript(slurm, folder / "sshare_with_jobs.txt").all("sshare -a -l -P\nsshare -a -P -o Account,User,Partition,GrpTRESMins,TRESRunMins,GrpTRESRaw")


def audit(slurm, folder):
    Transcript(slurm, folder / "transactions.txt").all(AUDIT)
