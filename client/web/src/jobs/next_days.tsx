// The future priority of a job as time alone changes it, and the job's own data.
import { call, type Explanation, type Job } from '../calls/api';
import { duration, time, whole } from '../parts/format';
import { Failed, Loading, useLoaded } from '../parts/states';
import { BarCell, Table } from '../parts/table';

const kHours = [0, 6, 24, 48, 72, 120, 168];

interface Point {
  hours: number;
  at: string;
  priority?: number;
  rank: number;
  reason: string;
}

async function pointsOf(job: Explanation, request: object, signal: AbortSignal): Promise<Point[]> {
  const points: Point[] = [];
  // One after another: each ranks the whole queue.
  for (const hours of kHours) {
    const asOf = new Date(Date.parse(job.asOf!) + hours * 3600e3).toISOString();
    const then = hours === 0 ? job : await call('PriorityService/ExplainPriority', { ...request, asOf }, signal);
    points.push({ hours, at: asOf, priority: then.priority, rank: then.rank, reason: then.ineligibleReason });
  }
  return points;
}

// Fair-share and the queue are as they are now: what others will submit and use nobody knows.
export function NextDays({ job, request }: { job: Explanation; request: object }) {
  const { value, failure, again } = useLoaded(JSON.stringify(request), 0, (signal) => pointsOf(job, request, signal));
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="the next days" />;
  const most = Math.max(1, ...value.map((point) => point.priority ?? 0));
  return (
    <Table
      className="forecast"
      caption="Over the next days, if only time passes"
      headings={['When', ['n', 'Priority'], ['n', 'Place'], ['barcell', 'Priority']]}
    >
      {value.map((point) => (
        <tr>
          <th scope="row" title={time(point.at)}>
            {point.hours === 0 ? 'now' : point.hours < 48 ? `in ${point.hours} hours` : `in ${point.hours / 24} days`}
          </th>
          <td class="n strong">{whole(point.priority)}</td>
          <td class="n">{point.rank > 0 ? whole(point.rank) : point.reason || '–'}</td>
          <BarCell className="f-age" percent={(100 * (point.priority ?? 0)) / most} />
        </tr>
      ))}
    </Table>
  );
}

// `0-15:4,20%3`: which tasks, and how many of them at a time.
export function arrayText(job: Pick<Job, 'arrayTasks' | 'arrayTaskIds' | 'arrayJobId' | 'arrayTaskId'>): string {
  if (job.arrayJobId) return `task ${job.arrayTaskId ?? '?'} of array ${job.arrayJobId}`;
  const [ids, most] = job.arrayTaskIds.split('%');
  const count =
    job.arrayTasks ||
    ids
      .split(',')
      .filter(Boolean)
      .reduce((sum, part) => sum + tasksOf(part), 0);
  if (count <= 1 && !ids) return '';
  return `${whole(count)} tasks wait as one entry${ids ? ` (${ids})` : ''}${most ? `, ${most} at a time at most` : ''}`;
}

function tasksOf(part: string): number {
  const [range, step = '1'] = part.split(':');
  const [from, to = from] = range.split('-').map(Number);
  return Math.floor((to - from) / Number(step)) + 1;
}

export function Itself({ cluster, id }: { cluster: string; id: string }) {
  const { value } = useLoaded(
    JSON.stringify([cluster, id]),
    60,
    async (signal) =>
      (await call('PriorityService/ListJobs', { cluster, jobIds: [id] }, signal)).jobs[0]?.job as Job | undefined,
  );
  if (!value) return null;
  const facts: [string, string][] = [
    ['Name', value.name],
    ['Array', arrayText(value)],
    ['Submitted', value.submitTime ? time(value.submitTime) : ''],
    ['Nodes', whole(Math.max(1, value.nodes))],
    ['CPUs', value.cpus ? whole(value.cpus) : ''],
    ['Time limit', value.timeLimit ? duration(value.timeLimit) : ''],
    ['Partitions', value.partitions.length > 1 ? value.partitions.join(', ') : ''],
    ['Depends on', value.dependency],
    ['Reservation', value.reservation],
  ];
  return (
    <dl class="itself">
      {facts
        .filter(([, text]) => text)
        .map(([name, text]) => (
          <div>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
    </dl>
  );
}
