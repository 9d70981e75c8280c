// The changes of a job that bring a clearly sooner start, and their text.
import type { Forecasts } from '../forecasts/forecast_data';
import { isAtOnce, startBy, waitText } from '../forecasts/forecast_text';

// Less is no reason to change a job.
const kSooner = 0.9;
const kLeastSooner = 60e3;

// Milliseconds until half of such jobs have started; NaN if no forecast says it.
export const halfOf = (forecasts: Forecasts | undefined, jobId: string) =>
  startBy(forecasts?.byJob.get(jobId), 0.5) - (forecasts?.now ?? 0);

// Whether half start clearly sooner than `before`, and than the job itself, which has waited already: of it half start in `own`
// milliseconds; NaN if that is not known.
export function clearlySooner(before: number, own: number): (half: number) => boolean {
  const than = Math.min(before, Number.isNaN(own) ? Number.POSITIVE_INFINITY : own);
  const most = Math.min(kSooner * than, than - kLeastSooner);
  return (half) => half < most;
}

// `half start within 35 min instead of 9 h`; `of` and `than` are ids of forecasts.
export function SoonerText({ forecasts, of, than }: { forecasts: Forecasts; of: string; than: string }) {
  const { byJob, now } = forecasts;
  const [half, before] = [of, than].map((one) => startBy(byJob.get(one), 0.5));
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
