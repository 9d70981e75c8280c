// Forecasts of starts in words. Times are in milliseconds since 1970, `now` is that of the forecast.
import type { StartForecast } from '../calls/api';
import { duration, near, whole } from '../parts/format';

// A start within it is at once.
const kAtOnce = 60e3;

// By when this part of such jobs have started; NaN where the forecast does not say it.
export const startBy = (forecast: StartForecast | undefined, level: number): number =>
  Date.parse(forecast?.start.find((one) => one.level >= level)?.startTime ?? '');

export const isAtOnce = (at: number, now: number) => at - now < kAtOnce;
export const waitText = (at: number, now: number) => duration(`${Math.round((at - now) / 1000)}s`);

const halfText = (at: number, now: number) => (isAtOnce(at, now) ? 'half at once' : `half by ${near(at, now)}`);

// `between 14:20 and 17:05 (8 of 10), half by 15:10`.
export function intervalText(forecast: StartForecast, now: number): string {
  const [low, half, high] = [0.1, 0.5, 0.9].map((level) => startBy(forecast, level));
  if (isAtOnce(high, now)) return 'at once (9 of 10)';
  const interval = isAtOnce(low, now)
    ? `by ${near(high, now)} (9 of 10)`
    : `between ${near(low, now)} and ${near(high, now)} (8 of 10)`;
  return `${interval}, ${halfText(half, now)}`;
}

// `half in 35 min, 9 of 10 in 5.4 h`.
export function waitsText(forecast: StartForecast, now: number): string {
  const [half, high] = [0.5, 0.9].map((level) => startBy(forecast, level));
  if (isAtOnce(high, now)) return '9 of 10 at once';
  const first = isAtOnce(half, now) ? 'half at once' : `half in ${waitText(half, now)}`;
  return `${first}, 9 of 10 in ${waitText(high, now)}`;
}

// The source of the forecast, as a sentence.
export function sourceText({ source, examples, model }: StartForecast): string {
  const starts = `${whole(examples)} starts`;
  if (source === 'FORECAST_SOURCE_FOREST')
    return `From training ${whole(model)} on the last ${starts} of this cluster, by the state of the queue when the job was submitted.`;
  return `From the last waits of jobs of the same partition, size and time limit${Number(examples) > 0 ? `, of ${starts}` : ''}.`;
}

const kHardly = 0.05;
const kTimes: [number, string][] = [
  [1 / 4, 'a quarter as long'],
  [1 / 3, 'a third as long'],
  [1 / 2, 'half as long'],
  [2, 'twice as long'],
];

// The effect of a factor on a wait: `twice as long`, `30 % longer`.
export function factorText(factor: number): string {
  const known = kTimes.find(([times]) => Math.abs(factor / times - 1) < kHardly);
  if (known) return known[1];
  if (Math.abs(factor - 1) < kHardly) return 'hardly longer or shorter';
  if (factor >= 1.75) return `${Number(factor.toPrecision(2))} times as long`;
  const percent = Math.round(100 * Math.abs(factor - 1));
  return `${percent} % ${factor > 1 ? 'longer' : 'shorter'}`;
}
