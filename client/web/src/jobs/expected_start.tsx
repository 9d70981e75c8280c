// The expected start of a job, if the service knows the nodes of the cluster.
import type { PlannedStart } from '../calls/api';
import { moment, prose } from '../parts/format';
import { href } from '../parts/route';

export const startText = (start: PlannedStart) =>
  start.startsNow ? 'now' : start.expectedStart ? moment(Date.parse(start.expectedStart) / 1000) : 'not in sight';

export function ExpectedStart({ start, cluster }: { start: PlannedStart; cluster?: string }) {
  const nodes =
    start.nodes.length > 4
      ? `${start.nodes.slice(0, 4).join(', ')} and ${start.nodes.length - 4} more`
      : start.nodes.join(', ');
  return (
    <p class="expected" aria-label="Expected start">
      {start.reason && <span class="tag">{start.reason}</span>}{' '}
      {start.message ? prose(start.message) : 'It may start now.'}
      {start.behindJobId && (
        <>
          {' '}
          It waits for job <a href={href('job', start.behindJobId, { cluster })}>{start.behindJobId}</a>.
        </>
      )}
      {nodes && <span class="soft"> On {nodes}.</span>}
      <span class="soft"> If running jobs take all their time and nothing new comes.</span>
    </p>
  );
}
