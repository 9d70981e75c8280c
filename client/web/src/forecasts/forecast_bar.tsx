// The interval in which a job starts, as a picture: from 10 to 90 % thin, from 25 to 75 % thick, the half a mark.
import type { StartForecast } from '../calls/api';
import { dayText, minuteText, offsetAt } from '../parts/format';
import { intervalText, startBy } from './forecast_text';

const kMinute = 60e3;
const kHour = 60 * kMinute;
const kSteps = [5, 10, 15, 30, 60, 120, 180, 360, 720]
  .map((n) => n * kMinute)
  .concat([1, 2, 4, 7, 14, 28].map((n) => n * 24 * kHour));
const kMostTicks = 4;
const kLeastSpan = 10 * kMinute;
const kMargin = 1.06;

export interface Tick {
  at: number;
  text: string;
  day: string; // Set if it is not the day of the tick before.
}

// Outside of these parts of the line there is no room for a text on a phone: "now" is at the left, and half of a text is
// beside its tick.
const kFree = [0.16, 0.93];

export const freeTicksOf = (now: number, span: number): Tick[] =>
  ticksOf(now, now + span).filter(({ at }) => at - now > kFree[0] * span && at - now < kFree[1] * span);

// Round times of the site's clock between the two.
function ticksOf(now: number, end: number): Tick[] {
  const step = kSteps.find((one) => (end - now) / one <= kMostTicks) ?? (end - now) / kMostTicks;
  const offset = offsetAt(now);
  const first = Math.ceil((now + offset) / step) * step - offset;
  const ticks: Tick[] = [];
  let day = dayText(now);
  for (let at = first; at < end; at += step) {
    const isNewDay = dayText(at) !== day;
    day = dayText(at);
    ticks.push(
      step >= 24 * kHour ? { at, text: day, day: '' } : { at, text: minuteText(at), day: isNewDay ? day : '' },
    );
  }
  return ticks;
}

export function IntervalBar({
  forecast,
  now,
  isPlain = false,
}: {
  forecast: StartForecast;
  now: number;
  isPlain?: boolean;
}) {
  const [q10, q25, q50, q75, q90] = [0.1, 0.25, 0.5, 0.75, 0.9].map((level) => startBy(forecast, level));
  const span = Math.max(kLeastSpan, (q90 - now) * kMargin);
  const part = (at: number) => Math.max(0, (at - now) / span);
  const left = (at: number) => `${100 * part(at)}%`;
  const between = (from: number, to: number) => ({ left: left(from), width: `${100 * (part(to) - part(from))}%` });
  const ticks = isPlain ? [] : freeTicksOf(now, span);
  return (
    <div class={`interval ${isPlain ? 'plain' : ''}`}>
      <div
        class="line"
        role="img"
        aria-label={`Starts ${intervalText(forecast, now)}`}
        title={`Starts ${intervalText(forecast, now)}`}
      >
        {ticks.map(({ at }) => (
          <i class="grid" style={{ left: left(at) }} />
        ))}
        <i class="thin" style={between(q10, q90)} />
        <i class="thick" style={between(q25, q75)} />
        <b style={{ left: left(q50) }} />
      </div>
      {!isPlain && (
        <div class="ticks" aria-hidden="true">
          <span class="now">now</span>
          {ticks.map(({ at, text, day }) => (
            <span style={{ left: left(at) }}>
              {text}
              {day && <small>{day}</small>}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
