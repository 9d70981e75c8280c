"""The site of the captured passes: a tree with usage and ties, 200 jobs that wait, and what people do meanwhile."""

USERS = ("ann", "bob", "cat", "dan", "eve", "fay")

# So that twenty passes, a minute each, show what decays and what ages.
SETTINGS = {
    "PriorityDecayHalfLife": "01:00:00",
    "PriorityMaxAge": "02:00:00",
}

# (account, user, partition): CPU seconds used before anything is asked.
USAGE = {
    ("root", "", ""): 1000000,
    ("physics", "", ""): 620000, ("astro", "", ""): 420000, ("astro", "ann", ""): 250000, ("astro", "bob", ""): 170000,
    ("plasma", "", ""): 200000, ("plasma", "dan", ""): 120000, ("plasma", "bob", ""): 80000,
    ("chem", "", ""): 380000, ("organic", "", ""): 300000, ("organic", "eve", ""): 300000, ("chem", "ann", ""): 80000,
}

BUILD = """
sacctmgr -i add cluster lab
sacctmgr -i add qos debug priority=500
sacctmgr -i add qos high priority=1000
sacctmgr -i add qos low priority=10 usagefactor=0.5
sacctmgr -i modify qos normal set priority=100
"""

TREE = """
sacctmgr -i modify account root set qos=normal,high,low,debug defaultqos=normal
sacctmgr -i add account physics fairshare=40
sacctmgr -i add account astro parent=physics fairshare=30
sacctmgr -i add account plasma parent=physics fairshare=10
sacctmgr -i add account chem fairshare=30 priority=20
sacctmgr -i add account organic parent=chem fairshare=12
sacctmgr -i add account zoology fairshare=10
sacctmgr -i add account botany fairshare=10
sacctmgr -i add account visitors fairshare=parent
sacctmgr -i add user ann account=astro fairshare=7
sacctmgr -i add user bob account=plasma,astro fairshare=3
sacctmgr -i add user dan account=plasma fairshare=5
sacctmgr -i add user eve account=organic fairshare=2
sacctmgr -i add user ann account=chem fairshare=4
sacctmgr -i add user cat account=zoology fairshare=1
sacctmgr -i add user dan account=zoology fairshare=2
sacctmgr -i add user fay account=botany fairshare=1
sacctmgr -i add user eve account=botany fairshare=parent
sacctmgr -i add user fay account=visitors fairshare=5
"""

# (user, account) of jobs, taken in turn.
WHO = (("ann", "astro"), ("bob", "plasma"), ("cat", "zoology"), ("dan", "plasma"), ("eve", "organic"), ("fay", "botany"),
       ("bob", "astro"), ("ann", "chem"), ("dan", "zoology"), ("eve", "botany"), ("fay", "visitors"))
QOS = ("normal", "normal", "high", "low", "normal", "debug", "high")

# What waits beside the plain jobs: options of sbatch.
KINDS = {
    3: "--hold", 9: "--begin=now+400", 14: "-p main,gpu", 17: "--nice=300", 22: "-p gpu --gres=gpu:1", 26: "--array=0-3",
    31: "--dependency=afterany:{first}", 38: "-p debug -t 10", 44: "--mem=2000", 53: "--nice=40 -p gpu", 61: "--hold",
    75: "-p main,gpu --qos=high", 90: "--dependency=afterok:{first}", 111: "-p gpu -n6", 140: "--begin=now+700",
}

# After the pass of this number; {N} is the Nth job.
ACTIONS = {
    2: ("scontrol hold {100}", "scontrol update jobid={101} nice=77"),
    4: ("scontrol release {3}", "scontrol update jobid={102} priority=4321"),
    5: ("scontrol release {100}", "scancel {first}"),
    7: ("sacctmgr -i modify account botany set fairshare=25",),
    9: ("scontrol update jobid={103} qos=high", "scontrol update jobid={104} partition=gpu"),
    11: ("sacctmgr -i modify qos high set priority=1500",),
    13: ("scancel {105} {106}", "scontrol update jobid={107} partition=main,gpu"),
    15: ("sacctmgr -i add user cat account=botany fairshare=3",),
}


def options(number, first):
    """Of the job of this number: who submits it, and with which options of sbatch."""
    user, account = WHO[number % len(WHO)]
    kind = KINDS.get(number, "").format(first=first)
    sizes = f"-n{1 + number % 5} -t {20 + number % 7 * 30} --mem={100 + number % 3 * 200}"
    qos = "" if "--qos" in kind else f"--qos={QOS[number % len(QOS)]}"
    return user, f"-A {account} {sizes} {qos} {kind}"
