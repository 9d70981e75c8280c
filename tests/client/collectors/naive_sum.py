"""CPU-seconds of each user of a trace in the Standard Workload Format, added up as simply as can be."""

import gzip
import sys

sums: dict[str, int] = {}
with gzip.open(sys.argv[1], "rt") as trace:
    for line in trace:
        if line[0] != ";":
            fields = line.split()
            if int(fields[3]) > 0:
                sums["u" + fields[11]] = sums.get("u" + fields[11], 0) + int(fields[3]) * int(fields[4])
for user in sorted(sums):
    print(user, sums[user])
