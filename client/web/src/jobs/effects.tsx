// Changes that the user can make to a waiting job, with the start after each.
import { call, type Job, type PlannedStart, pages, type Tracked } from '../calls/api';
import type { Forecasts } from '../forecasts/forecast_data';
import { duration } from '../parts/format';
import { Loading, useLoaded } from '../parts/states';
import { startText } from './expected_start';
import { limitForecasts, limitsOf, soonerLimits } from './shorter_limits';
import { SoonerNote, SoonerText } from './sooner';

// A longer queue is not sent back and forth for a guess.
const kMostPages = 5;
const kSameSeconds = 120;

export interface Planned {
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
async function effectsOf(cluster: string, jobId: string, limit: string, signal: AbortSignal): Promise<Planned[]> {
  const all = await call('PriorityService/PlanStarts', { cluster, tracked: {} }, signal);
  const known = all.starts.find((one) => one.jobId === jobId);
  if (all.others > 0 || !known || !(parseFloat(limit) > 0)) return [];
  const jobs = await wholeQueue(cluster, signal);
  if (!jobs) return [];
  const effects: Planned[] = [];
  // One after another: each plans the whole queue.
  for (const timeLimit of limitsOf(limit)) {
    const isNow = effects.length === 0;
    const changed = jobs.map((job) => (job.jobId === jobId ? { ...job, timeLimit } : job));
    const plan = await call(
      'PriorityService/PlanStarts',
      { cluster, jobs: { jobs: changed }, jobIds: [jobId] },
      signal,
    );
    if (isNow && !isSame(plan.starts[0], known)) return [];
    effects.push({ timeLimit, start: plan.starts[0], isNow });
  }
  return effects;
}

export const isEarlier = (start: PlannedStart | undefined, than: PlannedStart | undefined) =>
  !!start &&
  !than?.startsNow &&
  (start.startsNow || (!!start.expectedStart && (!than?.expectedStart || start.expectedStart < than.expectedStart)));

function Effect({
  limit,
  plan,
  than,
  forecasts,
  now,
}: {
  limit: string;
  plan?: Planned;
  than?: Planned;
  forecasts?: Forecasts;
  now: string; // The limit that the job has, as `limitsOf` has it.
}) {
  return (
    <>
      With a limit of {duration(limit)} {forecasts && <SoonerText forecasts={forecasts} of={limit} than={now} />}
      {plan && forecasts && '; by the plan '}
      {plan && (
        <>
          it would start <b>{startText(plan.start!)}</b>
          {than?.start && <span class="soft"> instead of {startText(than.start)}</span>}
        </>
      )}
    </>
  );
}

export function Effects({
  cluster,
  tracked,
  mayForecast,
  own,
  set,
}: {
  cluster: string;
  tracked: Tracked;
  mayForecast: boolean;
  own: number; // As of `clearlySooner`.
  set: (timeLimit: string) => void;
}) {
  const jobId = tracked.job!.jobId!;
  const limit = tracked.timeLimit!;
  const key = JSON.stringify([cluster, jobId, limit]);
  const plan = useLoaded(key, 0, (signal) => effectsOf(cluster, jobId, limit, signal));
  const forecasts = useLoaded(mayForecast ? key : undefined, 0, (signal) => limitForecasts(cluster, tracked, signal));
  if (plan.isPending || (mayForecast && forecasts.isPending)) return <Loading what="what a shorter limit would do" />;
  const now = plan.value?.find((one) => one.isNow);
  const better = plan.value?.filter((one) => !one.isNow && isEarlier(one.start, now?.start)) ?? [];
  const sooner = soonerLimits(forecasts.value, limit, own);
  const [present, ...shorter] = limitsOf(limit);
  const limits = shorter.filter((one) => sooner.includes(one) || better.some((effect) => effect.timeLimit === one));
  if (limits.length === 0 && !plan.value?.length && !forecasts.value)
    return (
      <p class="note">
        The effect of a shorter time limit is not known: it needs the nodes, and a queue that you see whole.
      </p>
    );
  if (limits.length === 0) return <p class="note">A shorter time limit would not bring an earlier start.</p>;
  return (
    <>
      <ul class="effects">
        {limits.map((one) => (
          <li>
            <Effect
              limit={one}
              plan={better.find((effect) => effect.timeLimit === one)}
              than={now}
              forecasts={sooner.includes(one) ? forecasts.value : undefined}
              now={present}
            />
            <button type="button" onClick={() => set(one)}>
              Set {duration(one)}
            </button>
          </li>
        ))}
      </ul>
      {sooner.length > 0 && <SoonerNote />}
    </>
  );
}
