// Shorter time limits of a job, and what each makes of the forecast of its start.
import { call, type Tracked } from './api';
import { type Forecasts, forecastsOfLimits } from './forecast_data';
import { isAtOnce, startBy, waitText } from './forecast_text';
import { duration } from './format';
import { useLoaded } from './states';

const kParts = [1, 2, 4, 8];
const kLeastSeconds = 60;
// Less is no reason to change a job.
const kSooner = 0.9;
const kLeastSooner = 60e3;

// The job's limit first; such as `3600s`.
export const limitsOf = (limit: string): string[] => [
  ...new Set(kParts.map((part) => `${Math.max(kLeastSeconds, Math.round(parseFloat(limit) / part))}s`)),
];

export const limitForecasts = (
  cluster: string,
  { job, account, partitions, qos, timeLimit }: Tracked,
  signal: AbortSignal,
) => forecastsOfLimits(cluster, { ...job, account, partitions, qos }, limitsOf(timeLimit!), signal);

// Milliseconds until half of such jobs have started; NaN if no forecast says it.
export const halfOf = (forecasts: Forecasts | undefined, jobId: string) =>
  startBy(forecasts?.byJob.get(jobId), 0.5) - (forecasts?.now ?? 0);

// The limits with which half of such jobs start clearly sooner than with that of the job, and than the job itself, which has
// waited already: of it half start in `own` milliseconds; NaN if that is not known.
export function soonerLimits(forecasts: Forecasts | undefined, limit: string, own: number): string[] {
  const [now, ...shorter] = limitsOf(limit);
  const before = Math.min(halfOf(forecasts, now), Number.isNaN(own) ? Number.POSITIVE_INFINITY : own);
  const most = Math.min(kSooner * before, before - kLeastSooner);
  return shorter.filter((one) => halfOf(forecasts, one) < most);
}

// `half start within 35 min instead of 9 h`; both limits are among those of `limitsOf`.
export function SoonerText({ forecasts, limit, than }: { forecasts: Forecasts; limit: string; than: string }) {
  const { byJob, now } = forecasts;
  const [half, before] = [limit, than].map((one) => startBy(byJob.get(one), 0.5));
  return (
    <span class="sooner">
      half start <b>{isAtOnce(half, now) ? 'at once' : `within ${waitText(half, now)}`}</b>{' '}
      <span class="soft">instead of {waitText(before, now)}</span>
    </span>
  );
}

export const SoonerNote = () => (
  <p class="note">Half: of such jobs if they were submitted now, behind all others of their priority.</p>
);

async function shorterOf(cluster: string, jobId: string, signal: AbortSignal) {
  const { jobs } = await call('PriorityService/ListJobs', { cluster, jobIds: [jobId] }, signal);
  const [tracked] = jobs;
  if (!tracked?.timeLimit) return undefined;
  const forecasts = await limitForecasts(cluster, tracked, signal);
  return forecasts && { forecasts, limit: tracked.timeLimit };
}

// Nothing where no shorter limit helps. `own` as of `soonerLimits`.
export function ShorterLimits({ cluster, jobId, own }: { cluster: string; jobId: string; own: number }) {
  const { value } = useLoaded(JSON.stringify([cluster, jobId]), 0, (signal) => shorterOf(cluster, jobId, signal));
  const sooner = value ? soonerLimits(value.forecasts, value.limit, own) : [];
  if (!value || sooner.length === 0) return null;
  return (
    <>
      <h3>A shorter time limit starts earlier</h3>
      <ul class="effects">
        {sooner.map((limit) => (
          <li>
            <b>{duration(limit)}</b> <span class="soft">instead of {duration(value.limit)}:</span>{' '}
            <SoonerText forecasts={value.forecasts} limit={limit} than={limitsOf(value.limit)[0]} />
          </li>
        ))}
      </ul>
      <SoonerNote />
    </>
  );
}
