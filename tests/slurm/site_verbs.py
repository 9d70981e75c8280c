"""The example site as typed at sacctmgr, what is changed in it later, and what sacctmgr refuses."""

USERS = ("ann", "bob", "cat", "dan", "eve", "fay")

# (account, user, partition): CPU seconds used before anything is asked.
USAGE = {
    ("root", "", ""): 1000000,
    ("physics", "", ""): 600000, ("astro", "", ""): 400000, ("stars", "", ""): 250000, ("stars", "ann", ""): 200000,
    ("stars", "bob", ""): 50000, ("astro", "cat", ""): 150000, ("plasma", "", ""): 200000, ("plasma", "dan", ""): 120000,
    ("plasma", "bob", ""): 80000,
    ("chem", "", ""): 399990, ("chem", "ann", ""): 100000, ("chem", "ann", "gpu"): 9990, ("organic", "", ""): 290000,
    ("organic", "eve", ""): 290000,
    ("guests", "", ""): 10, ("guests", "fay", ""): 10,
}

BEFORE = """
sacctmgr -i add cluster lab
sacctmgr -i add qos debug priority=500 flags=DenyOnLimit maxtresperjob=cpu=4 maxwall=30 maxjobsperuser=2
"""

SITE = """
sacctmgr -i add qos high priority=1000 flags=DenyOnLimit,OverPartQOS description="For \\"papers\\" due soon"
sacctmgr -i modify qos high set grptres=cpu=14,mem=12G,gres/gpu=4,node=2 grptresmins=cpu=100000,gres/gpu=6000,mem=100000M grptresrunmins=cpu=20000
sacctmgr -i modify qos where name=high set grpjobs=20 grpsubmit=40 grpwall=10-00:00:00 grpjobsaccrue=15 gracetime=300
sacctmgr -i modify qos where name=high set maxjobspu=5 maxsubmitjobspu=10 maxjobspa=12 maxsubmitjobspa=24 maxjobsaccruepu=4 maxjobsaccruepa=8 maxtrespu=cpu=12,mem=10G maxtrespa=cpu=13,gres/gpu=4
sacctmgr -i modify qos where name=high set maxtresperjob=cpu=12,mem=11G maxtrespernode=cpu=8,gres/gpu=2 maxtresminsperjob=cpu=10000 maxwall=2-00:00:00 mintresperjob=cpu=1 maxtresrunminspu=cpu=9000 maxtresrunminspa=cpu=18000
sacctmgr -i modify qos where name=high set usagefactor=2 usagethreshold=0.05 limitfactor=1.5 minpriothresh=10 preemptmode=cluster
sacctmgr -i add qos low description="Whatever is left over" usagefactor=0.25 preemptmode=requeue preemptexempttime=00:10:00
sacctmgr -i modify qos high set preempt=low
sacctmgr -i add qos long priority=50 maxwall=14-00:00:00 flags=PartitionTimeLimit,NoReserve,RequiresReservation
sacctmgr -i modify qos long set flags-=RequiresReservation
sacctmgr -i modify qos long set flags+=EnforceUsageThreshold usagethreshold=0
sacctmgr -i modify qos normal set description="Normal QOS default" priority=100
sacctmgr -i modify account root set qos=normal,low defaultqos=normal
sacctmgr -i modify cluster lab set maxsubmitjobs=1000
sacctmgr -i add account physics fairshare=40 description="Physics, theory & practice" organization="Faculty of Science"
sacctmgr -i add account astro parent=physics fairshare=30 description="it's \\"astronomy\\"" qos+=high
sacctmgr -i add account stars parent=astro fairshare=10 organization=observatory
sacctmgr -i add account plasma parent=physics fairshare=parent qos=normal,low,long defaultqos=long
sacctmgr -i add account name=chem parent=root share=30 grptresmins=cpu=50000,mem=100000M,gres/gpu=3000 grptresrunmins=cpu=30000 grptres=cpu=15,mem=1500M,node=2,license/foo=4 grpjobs=30 grpsubmitjobs=60 grpwall=30-00:00:00 grpjobsaccrue=25
sacctmgr -i modify account where name=chem set maxjobs=8 maxsubmit=16 maxwall=3-00:00:00 maxtresperjob=cpu=10,mem=2G maxtrespernode=cpu=8 maxtresminsperjob=cpu=20000 maxjobsaccrue=6 priority=20
sacctmgr -i add account organic parent=chem fairshare=12 qos+=high,long qos-=low
sacctmgr -i add account guests fairshare=1 grpjobs=0 qos-=low
sacctmgr -i add account empty1,empty2 parent=guests
sacctmgr -i add user ann account=stars fairshare=7 adminlevel=none
sacctmgr -i add user bob account=stars,plasma defaultaccount=stars
sacctmgr -i add user cat account=astro fairshare=parent
sacctmgr -i add user dan account=plasma,guests fairshare=3 defaultaccount=plasma
sacctmgr -i add user eve account=organic adminlevel=operator maxjobs=4 maxwall=1-12:30:00 grptresmins=cpu=9000
sacctmgr -i add user fay account=guests
sacctmgr -i add user ann account=chem fairshare=2 qos+=high
sacctmgr -i add user ann account=chem partition=gpu fairshare=5 maxjobs=1
sacctmgr -i add user eve account=guests adminlevel=none
sacctmgr -i modify user where name=ann account=stars set defaultqos=high maxtresperjob=cpu=8,mem=4G priority=7
sacctmgr -i modify user ann set qos+=long where account=stars
sacctmgr -i modify user where name=cat set fairshare=parent
sacctmgr -i modify user set adminlevel=Operator where user=eve
sacctmgr -i modify user dan set adminlevel=admin
sacctmgr -i modify user bob set defaultaccount=plasma
sacctmgr -i add coordinator account=physics names=cat
sacctmgr -i add coordinator accounts=chem,organic names=eve,dan
sacctmgr -i remove coordinator account=chem names=dan
"""

CHANGES = """
sacctmgr -i modify account where name=stars set parent=plasma
sacctmgr -nP show assoc account=stars,plasma,astro tree format=account%-20,user,parentname,share
sshare -a -P -o account,user,rawshares,rawusage,effectvusage
sacctmgr -i modify account stars set parent=astro
sacctmgr -i modify user where account=stars set rawusage=0
sacctmgr -i modify account organic set rawusage=0
sshare -a -P -o account,user,rawshares,rawusage,effectvusage
sacctmgr -i modify user where name=ann account=chem set fairshare=9
sacctmgr -i modify user ann set fairshare=11
sacctmgr -i modify account set fairshare=13 where parent=guests
sacctmgr -i modify user where name=ann account=chem partition=gpu set maxjobs=-1
sacctmgr -i modify account chem set grptresmins=cpu=-1 grpjobs=-1 maxwall=-1
sacctmgr -i modify account chem set grptres=
sacctmgr -i modify qos high set maxwall=-1 grptres=cpu=-1 flags=-1
sacctmgr -i modify qos high set preempt= description="no more"
sacctmgr -i modify qos high,long set priority=77
sacctmgr -i modify account where description="physics, theory & practice" set organization=moved
sacctmgr -i modify cluster set fairshare=3
sacctmgr -i modify cluster lab set grpjobs=500 maxjobs=50
sacctmgr -nP show assoc account=chem,empty1,empty2,organic
sacctmgr -nP show qos high,long
sacctmgr -i delete user name=ann account=chem partition=gpu
sacctmgr -i delete user where name=dan account=guests
sacctmgr -i delete user fay
sacctmgr -i delete account empty1
sacctmgr -i remove account where name=guests
sacctmgr -i delete qos low
sacctmgr -i delete coordinator names=eve
sacctmgr -i add account moved_in parent=physics cluster=lab fairshare=2
sacctmgr -i create user newcomer account=moved_in
sacctmgr -i add user newcomer account=plasma qos=normal,long defaultqos=long maxsubmitjobs=3
sacctmgr -i modify user newcomer set defaultaccount=plasma
sacctmgr -i delete user newcomer account=plasma
sacctmgr -i delete user newcomer
sacctmgr -Q -i add account quiet
sacctmgr -v show assoc account=quiet format=account
sacctmgr -i modify account quiet set description=changed fairshare=2
sacctmgr -n -p list account quiet
sacctmgr -nP show assoc tree
"""

REFUSED = """
sacctmgr
sacctmgr --version
sacctmgr nonsense
sacctmgr show
sacctmgr show nonsense
sacctmgr show assoc format=nonsense
sacctmgr show assoc where nonsense=1
sacctmgr show qos where nonsense=1
sacctmgr show user nobody
sacctmgr -i add
sacctmgr -i add nonsense
sacctmgr -i add account
sacctmgr -i add account physics
sacctmgr -i add account newone parent=nowhere
sacctmgr -i add account newone cluster=nowhere
sacctmgr -i add account newone fairshare=many
sacctmgr -i add account newone fairshare=-5
sacctmgr -i add account newone grptres=nonsense=1
sacctmgr -i add account newone grptresmins=cpu=many
sacctmgr -i add account newone grptres=cpu
sacctmgr -i add account newone maxwall=soon
sacctmgr -i add account newone qos=nowhere
sacctmgr -i add account newone nonsense=1
sacctmgr -i add account newone nonsense
sacctmgr -i add user
sacctmgr -i add user ann account=stars
sacctmgr -i add user ann
sacctmgr -i add user ann account=nowhere
sacctmgr -i add user newone
sacctmgr -i add user newone account=stars adminlevel=king
sacctmgr -i add user newone account=stars defaultaccount=chem
sacctmgr -i add qos high
sacctmgr -i add qos newone flags=nonsense
sacctmgr -i add qos newone preempt=nowhere
sacctmgr -i add qos newone usagefactor=nonsense
sacctmgr -i add qos newone priority=nonsense
sacctmgr -i add coordinator account=nowhere names=ann
sacctmgr -i add coordinator account=stars names=nobody
sacctmgr -i add coordinator account=stars
sacctmgr -i add cluster lab
sacctmgr -i modify
sacctmgr -i modify account
sacctmgr -i modify account physics
sacctmgr -i modify account physics set
sacctmgr -i modify account set fairshare=1
sacctmgr -i modify account where name=nowhere set fairshare=1
sacctmgr -i modify account where name=physics set nonsense=1
sacctmgr -i modify account where nonsense=physics set fairshare=1
sacctmgr -i modify account physics set parent=stars
sacctmgr -i modify account physics set parent=physics
sacctmgr -i modify account physics set parent=nowhere
sacctmgr -i modify account physics set fairshare=40
sacctmgr -i modify account physics set defaultqos=high
sacctmgr -i modify account physics set rawusage=5
sacctmgr -i modify account root set parent=physics
sacctmgr -i modify user where name=nobody set fairshare=1
sacctmgr -i modify user where name=ann set defaultaccount=guests
sacctmgr -i modify user where name=ann account=nowhere set fairshare=1
sacctmgr -i modify user where name=ann set defaultqos=nowhere
sacctmgr -i modify user where name=ann set adminlevel=king
sacctmgr -i modify user ann set maxwall=nonsense
sacctmgr -i modify qos nowhere set priority=1
sacctmgr -i modify qos high set priority=-5
sacctmgr -i modify qos high set preempt=high
sacctmgr -i modify qos set priority=1
sacctmgr -i modify cluster nowhere set fairshare=1
sacctmgr -i modify cluster lab set classification=capacity
sacctmgr -i delete account physics
sacctmgr -i delete account nowhere
sacctmgr -i delete account
sacctmgr -i delete account root
sacctmgr -i delete account chem
sacctmgr -i delete user nobody
sacctmgr -i delete user
sacctmgr -i delete user ann account=nowhere
sacctmgr -i delete user bob account=plasma
sacctmgr -i delete qos nowhere
sacctmgr -i delete qos normal
sacctmgr -i delete coordinator names=nobody
sacctmgr -i delete cluster nowhere
sacctmgr dump
sacctmgr dump nowhere
sacctmgr load
sacctmgr load /nowhere
sacctmgr -i load file=/nowhere
sshare -A nowhere
sshare -u nobody
sshare -o nonsense
sshare -M nowhere
sprio -o %Z
sprio -j 999999
sprio -u nobody
squeue -u nobody
squeue -p nowhere
squeue -t nonsense
squeue -S nonsense
squeue -o "%i %K %?"
squeue -O nonsense
squeue -j 999999
squeue -A nowhere
scontrol
scontrol nonsense
scontrol show
scontrol show nonsense
scontrol show job 999999
scontrol show partition nowhere
scontrol show assoc_mgr nonsense
scontrol hold
scontrol hold 999999
scontrol release 999999
scontrol update
scontrol update jobid=999999 priority=1
scontrol update jobid=1 nonsense=1
scontrol top 999999
"""

# Once no job is left.
DELETES = """
sacctmgr -i delete user name=ann account=chem partition=gpu
sacctmgr -i delete user where account=chem
sacctmgr -i delete user fay
sacctmgr -i delete user name=eve account=guests
sacctmgr -i delete account organic
sacctmgr -i delete account name=chem,organic
sacctmgr -i delete account guests
sacctmgr -i delete account plasma
sacctmgr -i modify user bob set defaultaccount=stars
sacctmgr -i delete user bob account=plasma
sacctmgr -i delete user where name=dan
sacctmgr -i delete account plasma
sacctmgr -i delete qos where name=long
sacctmgr -nP show assoc format=account,user,partition,share,qos
sacctmgr -nP show user format=user,defaultaccount,admin
sacctmgr -nP show account
sshare -a -P -o account,user,rawshares,rawusage
sacctmgr -i delete cluster lab
"""

# Commands that ask before they change anything, with what is typed at them.
QUESTIONS = (
    ("sacctmgr add account asked parent=chem fairshare=3", "n\n"),
    ("sacctmgr add account asked parent=chem fairshare=3", "y\n"),
    ("sacctmgr add user nouser account=asked", "n\n"),
    ("sacctmgr add user nouser account=asked", "y\ny\n"),
    ("sacctmgr modify account where name=asked set fairshare=4", "n\n"),
    ("sacctmgr modify account where name=asked set fairshare=4", "y\n"),
    ("sacctmgr modify account asked,chem set fairshare=6", "maybe\nno\n"),
    ("sacctmgr modify user set fairshare=5 where account=asked", "y\n"),
    ("sacctmgr modify user set fairshare=5", "n\n"),
    ("sacctmgr add qos askedqos priority=3", "y\n"),
    ("sacctmgr modify qos set priority=4", "n\n"),
    ("sacctmgr delete qos askedqos", "y\n"),
    ("sacctmgr add coordinator account=asked names=ann", "y\n"),
    ("sacctmgr delete coordinator account=asked names=ann", "y\n"),
    ("sacctmgr delete account asked", "n\n"),
    ("sacctmgr delete user nouser", "y\n"),
    ("sacctmgr delete account asked", "y\n"),
    ("sacctmgr modify cluster lab set maxjobs=60", "n\n"),
)

# What plain users, an operator (eve) and a coordinator of physics and all below it (cat) may do.
RIGHTS = (
    ("bob", "sacctmgr -i add account bobs parent=stars"),
    ("bob", "sacctmgr -i modify user bob set fairshare=100"),
    ("bob", "sacctmgr -i delete user cat"),
    ("bob", "sacctmgr -i modify user bob set defaultaccount=stars"),
    ("cat", "sacctmgr -i modify user bob account=stars set fairshare=8"),
    ("cat", "sacctmgr -i add account cats parent=astro fairshare=2"),
    ("cat", "sacctmgr -i modify account chem set fairshare=100"),
    ("cat", "sacctmgr -i modify account physics set grpjobs=5"),
    ("cat", "sacctmgr -i delete account cats"),
    ("eve", "sacctmgr -i modify account chem set fairshare=31"),
    ("eve", "sacctmgr -i modify account chem set fairshare=30"),
    ("eve", "sacctmgr -i add qos eves"),
    ("eve", "sacctmgr -i modify user bob set adminlevel=operator"),
)


def begin(transcript):
    transcript.all(BEFORE)


def build(transcript):
    transcript.all(SITE)


def change(transcript):
    transcript.all(CHANGES)


def refuse(transcript):
    transcript.all(REFUSED)
    for user, command in RIGHTS:
        transcript.run(command, user=user)


def delete(transcript):
    transcript.all(DELETES)


def ask(transcript):
    for command, typed in QUESTIONS:
        transcript.run(command, typed=typed)
