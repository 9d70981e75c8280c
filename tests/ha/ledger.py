"""The ledger, counted against what was acknowledged."""

import load

# One statement sees one moment. A batch whose answer is still awaited may be there or not.
_LEDGER = """
WITH acknowledged (source, batch) AS (VALUES {values}),
record AS (SELECT source, split_part(record_id, '.', 1)::bigint AS batch, billing * extract(epoch FROM end_time - start_time) AS amount
           FROM priorityd.usage_record)
SELECT r.source, count(*) FILTER (WHERE r.batch <= a.batch), coalesce(sum(amount) FILTER (WHERE r.batch <= a.batch), 0)::bigint,
       max(r.batch), count(*) FILTER (WHERE r.batch > a.batch)
FROM record r JOIN acknowledged a USING (source) GROUP BY r.source"""

# Decays nothing (PriorityDecayHalfLife=0), so usage is the plain sum of the ledger.
_COUNTED = """
SELECT (SELECT sum(value) FROM priorityd.association_usage)::bigint,
       (SELECT sum(billing * extract(epoch FROM end_time - start_time)) FROM priorityd.usage_record)::bigint"""


def faults(site, senders):
    """What differs from the account of the senders, as sentences; none if nothing does."""
    before = {sender.source: sender.acknowledged for sender in senders}
    values = ", ".join(f"('{source}', {batch})" for source, batch in before.items())
    rows = {row[0]: [int(value) for value in row[1:]] for row in site.sql(_LEDGER.format(values=values))}
    found = []
    for source, batch in before.items():
        records, amount, newest, unanswered = rows.get(source, [0, 0, 0, 0])
        want = sum(load.billing_seconds(number) for number in range(1, batch + 1))
        if records != batch * load.RECORDS:
            found.append(f"{source}: got {records} records of {batch} acknowledged batches, want {batch * load.RECORDS}")
        if amount != want:
            found.append(f"{source}: got {amount} billing seconds of {batch} acknowledged batches, want {want}")
        # The count was read first, so several later batches may have been acknowledged since.
        if unanswered > (newest - batch) * load.RECORDS:
            found.append(f"{source}: got {unanswered} records of {newest - batch} later batches")
    counted, ledger = site.sql(_COUNTED)[0]
    if counted != ledger:
        found.append(f"usage: got {counted} billing seconds counted, want {ledger} of the ledger")
    return found


def faults_at_end(site, senders):
    """As `faults`, with all senders ended: the ledger has nothing else, and each replica shows these sums."""
    found = faults(site, senders)
    batches = sum(sender.acknowledged for sender in senders)
    records = int(site.sql("SELECT count(*) FROM priorityd.usage_record")[0][0])
    if records != batches * load.RECORDS:
        found.append(f"ledger: got {records} records, want {batches * load.RECORDS}")
    rebuilt = site.prioctl("rebuild-usage", "--validate-only")
    if rebuilt.returncode != 0:
        found.append(f"rebuild-usage: {rebuilt.stdout}{rebuilt.stderr}")
    return found + _faults_of_replicas(site, senders)


def _faults_of_replicas(site, senders):
    want = sum(load.billing_seconds(number) for sender in senders for number in range(1, sender.acknowledged + 1))
    found = []
    for host in site.services:
        got = site.usage_of(host)
        if got != want:
            found.append(f"{host.name}: got {got} billing seconds of account root, want {want}")
    return found
