// Shorter time limits of a job, and what each makes of the forecast of its start.
import type { Tracked } from '../calls/api';
import { type Forecasts, forecastsOfLimits } from '../forecasts/forecast_data';
import { duration } from '../parts/format';
import { useLoaded } from '../parts/states';
import { clearlySooner, halfOf, SoonerNote, SoonerText } from './sooner';

const kParts = [1, 2, 4, 8];
const kLeastSeconds = 60;

// The job's limit first; such as `3600s`.
export const limitsOf = (limit: string): string[] => [
  ...new Set(kParts.map((part) => `${Math.max(kLeastSeconds, Math.round(parseFloat(limit) / part))}s`)),
];

export const limitForecasts = (
  cluster: string,
  { job, account, partitions, qos, timeLimit }: Tracked,
  signal: AbortSignal,
) => forecastsOfLimits(cluster, { ...job, account, partitions, qos }, limitsOf(timeLimit!), signal);

// The limits with which half of such jobs start clearly sooner than with that of the job; `own` as of `clearlySooner`.
export function soonerLimits(forecasts: Forecasts | undefined, limit: string, own: number): string[] {
  const [now, ...shorter] = limitsOf(limit);
  const isSooner = clearlySooner(halfOf(forecasts, now), own);
  return shorter.filter((one) => isSooner(halfOf(forecasts, one)));
}

// Nothing where no shorter limit helps. `own` as of `clearlySooner`.
export function ShorterLimits({ cluster, tracked, own }: { cluster: string; tracked: Tracked; own: number }) {
  const limit = tracked.timeLimit!;
  const { value } = useLoaded(JSON.stringify([cluster, tracked.job!.jobId, limit]), 0, (signal) =>
    limitForecasts(cluster, tracked, signal),
  );
  const sooner = value ? soonerLimits(value, limit, own) : [];
  if (!value || sooner.length === 0) return null;
  return (
    <>
      <h3>A shorter time limit starts earlier</h3>
      <ul class="effects">
        {sooner.map((one) => (
          <li>
            <b>{duration(one)}</b> <span class="soft">instead of {duration(limit)}:</span>{' '}
            <SoonerText forecasts={value} of={one} than={limitsOf(limit)[0]} />
          </li>
        ))}
      </ul>
      <SoonerNote />
    </>
  );
}
