// What the user could change of a waiting job, with the start that each change would bring.
import { call, type Job, type PlannedStart, pages } from './api';
import { startText } from './expected_start';
import { duration } from './format';
import { Loading, useLoaded } from './states';

// A longer queue is not sent back and forth for a guess.
const kMostPages = 5;
const kParts = [1, 2, 4, 8];
const kLeastSeconds = 60;
const kSameSeconds = 120;

export interface Effect {
  timeLimit: string; // `3600s`.
  start?: PlannedStart;
  isNow: boolean; // The limit that the job has.
}

// The queue as the reader sees it; undefined if that is not all of it, or too long.
async function wholeQueue(cluster: string, signal: AbortSignal): Promise<Job[] | undefined> {
  const { pages: all, isCut } = await pages(
    'PriorityService/ListJobs',
    { cluster, pageSize: 1000 },
    kMostPages,
    signal,
  );
  return isCut ? undefined : all.flatMap((page) => page.jobs.map((tracked) => tracked.job as Job));
}

// The plan of the jobs in sight is that of the service only if no others are hidden.
const isSame = (a: PlannedStart | undefined, b: PlannedStart | undefined) =>
  a?.startsNow === b?.startsNow &&
  !a?.expectedStart === !b?.expectedStart &&
  (!a?.expectedStart || Math.abs(Date.parse(a.expectedStart) - Date.parse(b!.expectedStart!)) < kSameSeconds * 1000);

// The starts under shorter limits: the plan of the queue, with this job changed.
async function effectsOf(cluster: string, jobId: string, limit: string, signal: AbortSignal): Promise<Effect[]> {
  const seconds = parseFloat(limit);
  const all = await call('PriorityService/PlanStarts', { cluster, tracked: {} }, signal);
  const known = all.starts.find((one) => one.jobId === jobId);
  if (all.others > 0 || !known || !(seconds > 0)) return [];
  const jobs = await wholeQueue(cluster, signal);
  if (!jobs) return [];
  const effects: Effect[] = [];
  // One after another: each plans the whole queue.
  for (const part of kParts) {
    const timeLimit = `${Math.max(kLeastSeconds, Math.round(seconds / part))}s`;
    if (effects.some((one) => one.timeLimit === timeLimit)) continue;
    const changed = jobs.map((job) => (job.jobId === jobId ? { ...job, timeLimit } : job));
    const plan = await call(
      'PriorityService/PlanStarts',
      { cluster, jobs: { jobs: changed }, jobIds: [jobId] },
      signal,
    );
    if (part === 1 && !isSame(plan.starts[0], known)) return [];
    effects.push({ timeLimit, start: plan.starts[0], isNow: part === 1 });
  }
  return effects;
}

export const isEarlier = (start: PlannedStart | undefined, than: PlannedStart | undefined) =>
  !!start &&
  !than?.startsNow &&
  (start.startsNow || (!!start.expectedStart && (!than?.expectedStart || start.expectedStart < than.expectedStart)));

export function Effects({
  cluster,
  jobId,
  limit,
  set,
}: {
  cluster: string;
  jobId: string;
  limit: string;
  set: (timeLimit: string) => void;
}) {
  const { value, failure } = useLoaded(JSON.stringify([cluster, jobId, limit]), 0, (signal) =>
    effectsOf(cluster, jobId, limit, signal),
  );
  if (!value && !failure) return <Loading what="what a shorter limit would do" />;
  const now = value?.find((one) => one.isNow);
  const better = value?.filter((one) => !one.isNow && isEarlier(one.start, now?.start)) ?? [];
  if (!value?.length)
    return (
      <p class="note">
        The effect of a shorter time limit is not known: it needs the nodes, and a queue that you see whole.
      </p>
    );
  if (better.length === 0) return <p class="note">A shorter time limit would not bring an earlier start.</p>;
  return (
    <ul class="effects">
      {better.map((one) => (
        <li>
          With a limit of {duration(one.timeLimit)} it would start <b>{startText(one.start!)}</b>
          {now?.start && <span class="soft"> instead of {startText(now.start)}</span>}
          <button type="button" onClick={() => set(one.timeLimit)}>
            Set {duration(one.timeLimit)}
          </button>
        </li>
      ))}
    </ul>
  );
}
