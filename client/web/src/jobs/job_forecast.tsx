// The start of a job, its certainty, the causes of a long wait, and the changes that would shorten it.
import type { ComponentChildren } from 'preact';
import { call, type Explanation, type StartForecast } from '../calls/api';
import { IntervalBar } from '../forecasts/forecast_bar';
import { factorText, isAtOnce, sourceText, startBy, waitText } from '../forecasts/forecast_text';
import { near, prose } from '../parts/format';
import { href } from '../parts/route';
import { may, type Site } from '../parts/site';
import { useLoaded } from '../parts/states';
import { OtherPlaces } from './other_places';
import { ShorterLimits } from './shorter_limits';

function When({ name, at, now, about = '' }: { name: string; at: number; now: number; about?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {isAtOnce(at, now) ? (
          'at once'
        ) : (
          <>
            {about}
            {near(at, now)} <span class="soft">in {waitText(at, now)}</span>
          </>
        )}
      </dd>
    </div>
  );
}

function Influences({ forecast, children }: { forecast: StartForecast; children?: ComponentChildren }) {
  if (forecast.influences.length === 0) return null;
  return (
    <>
      <h3>What makes its wait long or short</h3>
      <ul class="influences">
        {forecast.influences.map(({ group, factor }) => (
          <li>
            {group[0].toUpperCase() + group.slice(1)}: <b>{factorText(factor)}</b>
          </li>
        ))}
      </ul>
      {children}
    </>
  );
}

// Changes of the job that would start it earlier; `own` as of `clearlySooner`.
function Earlier({ cluster, jobId, own, site }: { cluster: string; jobId: string; own: number; site: Site }) {
  const { value } = useLoaded(JSON.stringify([cluster, jobId]), 0, (signal) =>
    call('PriorityService/ListJobs', { cluster, jobIds: [jobId] }, signal),
  );
  const tracked = value?.jobs[0];
  if (!tracked) return null;
  return (
    <>
      {tracked.timeLimit && <ShorterLimits cluster={cluster} tracked={tracked} own={own} />}
      {may(site, 'seePlaces') && <OtherPlaces cluster={cluster} tracked={tracked} own={own} />}
    </>
  );
}

export function JobForecast({ job, cluster, site }: { job: Explanation; cluster: string; site: Site }) {
  const forecast = job.forecast;
  if (!forecast?.start.length) return null;
  const now = Date.parse(job.asOf!);
  return (
    <section class="card job-forecast" aria-labelledby="starts">
      <h2 id="starts">When it starts</h2>
      <dl class="facts">
        <When name="Half of such jobs by" at={startBy(forecast, 0.5)} now={now} />
        <When name="Nine of ten by" at={startBy(forecast, 0.9)} now={now} />
        {forecast.expectedEnd && <When name="Ends about" at={Date.parse(forecast.expectedEnd)} now={now} />}
      </dl>
      <IntervalBar forecast={forecast} now={now} />
      <p class="sentence">{prose(forecast.sentence)}</p>
      <div class="reasons">
        <div>
          <Influences forecast={forecast}>
            <p class="note">Compared with what is usual here.</p>
          </Influences>
        </div>
        <div>
          {may(site, 'seeForecasts') && (
            <Earlier cluster={cluster} jobId={job.jobId} own={startBy(forecast, 0.5) - now} site={site} />
          )}
          {site.user && job.user === site.user && (
            <p>
              <a href={href('mine', '', { cluster: cluster || undefined })}>What can I do?</a>
            </p>
          )}
        </div>
      </div>
      <p class="note">{sourceText(forecast)} Thick: half of such jobs; thin: eight of ten; mark: the middle.</p>
    </section>
  );
}
