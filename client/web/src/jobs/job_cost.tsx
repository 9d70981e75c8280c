// The cost of a job of the queue if it takes all its time, on the job's page.

import { Cost, loadCosts } from '../budgets/cost';
import type { Explanation, JobCost } from '../calls/api';
import { Failed, Loading, useLoaded } from '../parts/states';

// The cost of the explained pair among the job's pairs of partition and QOS; otherwise of the first.
const costOf = (costs: JobCost[], job: Explanation) =>
  costs.find((one) => one.partition === job.partition && one.qos === job.qos) ?? costs[0];

export function CostOfJob({ cluster, job }: { cluster: string; job: Explanation }) {
  const { value, failure, again } = useLoaded(JSON.stringify([cluster, job.jobId]), 60, (signal) =>
    loadCosts({ cluster, tracked: {}, jobId: job.jobId }, signal),
  );
  const cost = value && costOf(value, job);
  return (
    <section class="card" aria-labelledby="cost">
      <h2 id="cost">What it costs</h2>
      {cost ? (
        <Cost cost={cost} query={{ cluster: cluster || undefined }} />
      ) : failure ? (
        <Failed failure={failure} again={again} />
      ) : (
        <Loading what="the cost" />
      )}
    </section>
  );
}
