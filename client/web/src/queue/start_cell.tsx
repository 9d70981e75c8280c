// The start of a row of the queue: by the plan, and below it by the forecast.
import type { PlannedStart, StartForecast } from '../calls/api';
import { intervalText, waitsText } from '../forecasts/forecast_text';
import { startText } from '../jobs/expected_start';
import { prose } from '../parts/format';

export function StartCell({
  planned,
  forecast,
  now,
}: {
  planned?: PlannedStart;
  forecast?: StartForecast;
  now: number;
}) {
  if (!planned && !forecast) return <>–</>;
  return (
    <>
      {planned && <span title={prose(planned.message)}>{startText(planned)}</span>}
      {forecast && (
        <span class="soft" title={`Starts ${intervalText(forecast, now)}`}>
          {waitsText(forecast, now)}
        </span>
      )}
    </>
  );
}
