// A user's own jobs: the place of each, its start, what it waits for, and what the user can do.
import { useState } from 'preact/hooks';
import { call, Failure, type PlannedStart, type Tracked } from '../calls/api';
import { IntervalBar } from '../forecasts/forecast_bar';
import { intervalText } from '../forecasts/forecast_text';
import { moment, whole } from '../parts/format';
import { href, type Route } from '../parts/route';
import { may, type Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { Table } from '../parts/table';
import { startText } from './expected_start';
import { JobActions } from './job_actions';
import { grantsOf, type Mine, mineOf } from './mine_data';
import { MyGrants } from './my_grants';
import { Sentence, Sentences } from './sentences';

const kSeconds = 30;
const kGrantSeconds = 300; // They change with recalculations.
const kMostShown = 100;
const kNobody = new Failure(401, 'Your jobs are shown once you have signed in.');

// The sentence of what it waits for.
function reasonOf(tracked: Tracked, start: PlannedStart | undefined): string {
  if (tracked.rank === 0) return tracked.reasonText || tracked.reason;
  if (start?.startsNow) return 'It may start now.';
  return start?.message || 'It waits for its turn.';
}

// Of a job that cannot start the service says what would help, behind the reason.
function Advice({ cluster, tracked }: { cluster: string; tracked: Tracked }) {
  const jobId = tracked.job!.jobId!;
  const { value, failure } = useLoaded(JSON.stringify([cluster, jobId, tracked.reason]), 0, (signal) =>
    call('PriorityService/ExplainPriority', { cluster, tracked: {}, jobId }, signal),
  );
  if (!value) return failure ? <p class="note">{failure.message}</p> : <Loading what="what helps" />;
  return <Sentences sentences={value.sentences.slice(0, 2)} cluster={cluster || undefined} />;
}

function Place({ tracked, total }: { tracked: Tracked; total: number }) {
  if (tracked.rank === 0) return <span class="tag">{tracked.reason || 'no place'}</span>;
  return (
    <>
      <b>{whole(tracked.rank)}</b> <span class="soft">of {whole(total)}</span>
    </>
  );
}

function WaitingJob({
  cluster,
  tracked,
  mine,
  site,
  changed,
}: {
  cluster: string;
  tracked: Tracked;
  mine: Mine;
  site: Site;
  changed: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const jobId = tracked.job!.jobId!;
  const start = mine.starts?.get(jobId);
  const forecast = mine.forecasts?.byJob.get(jobId);
  return (
    <li class="mine">
      <h3>
        <a href={href('job', jobId, { cluster: cluster || undefined })}>{jobId}</a>
        {tracked.job!.name && <span class="soft"> {tracked.job!.name}</span>}
      </h3>
      <dl class="place">
        <div>
          <dt>Place</dt>
          <dd>
            <Place tracked={tracked} total={mine.rankedTotal} />
          </dd>
        </div>
        {forecast && (
          <div class="starts">
            <dt>Starts</dt>
            <dd>
              <b>{intervalText(forecast, mine.forecasts!.now)}</b>
              <IntervalBar forecast={forecast} now={mine.forecasts!.now} isPlain />
            </dd>
          </div>
        )}
        {mine.starts && (
          <div>
            <dt>{forecast ? 'By the plan' : 'Expected start'}</dt>
            <dd>
              <b>{start ? startText(start) : '–'}</b>
            </dd>
          </div>
        )}
        <div>
          <dt>Account</dt>
          <dd>{tracked.account}</dd>
        </div>
        <div>
          <dt>Partition</dt>
          <dd>{tracked.partitions.join(', ')}</dd>
        </div>
      </dl>
      <p class="reason">
        <Sentence text={reasonOf(tracked, start)} cluster={cluster || undefined} />
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>What can I do?</summary>
        {isOpen && (
          <>
            {tracked.rank === 0 && <Advice cluster={cluster} tracked={tracked} />}
            <JobActions cluster={cluster} tracked={tracked} mine={mine} site={site} changed={changed} />
          </>
        )}
      </details>
    </li>
  );
}

function Running({ jobs, cluster }: { jobs: Tracked[]; cluster: string }) {
  const endOf = ({ job, timeLimit }: Tracked) =>
    job!.startTime && timeLimit ? moment(Date.parse(job!.startTime) / 1000 + parseFloat(timeLimit)) : '–';
  return (
    <Table scrolls="Running jobs" headings={['Job', 'Started', 'Ends by', 'Account', 'Partition']}>
      {jobs.map((tracked) => (
        <tr key={tracked.job!.jobId}>
          <th scope="row">
            <a href={href('job', tracked.job!.jobId!, { cluster: cluster || undefined })}>{tracked.job!.jobId}</a>
          </th>
          <td>{tracked.job!.startTime ? moment(Date.parse(tracked.job!.startTime) / 1000) : '–'}</td>
          <td>{endOf(tracked)}</td>
          <td>{tracked.account}</td>
          <td>{tracked.partitions.join(', ')}</td>
        </tr>
      ))}
    </Table>
  );
}

export function MyJobs({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  const mayForecast = may(site, 'seeForecasts');
  const key = site.user ? JSON.stringify([cluster, site.user, mayForecast]) : undefined;
  const { value, failure, at, again } = useLoaded(key, kSeconds, (signal) =>
    mineOf(cluster, site.user, mayForecast, signal),
  );
  const grants = useLoaded(may(site, 'seeGrants') ? key : undefined, kGrantSeconds, (signal) =>
    grantsOf(cluster, site.user, signal),
  );
  const problem = failure ?? site.failure ?? (site.isKnown && !site.user ? kNobody : undefined);
  const named = route.query.get('cluster') ?? '';
  const more = value ? value.waiting.length - kMostShown : 0;
  return (
    <section aria-labelledby="title">
      <div class="heading">
        <h1 id="title">My jobs</h1>
        {site.user && (
          <a class="quiet" href={href('queue', '', { cluster: named || undefined, user: site.user })}>
            In the queue
          </a>
        )}
      </div>
      {!value && problem && <Failed failure={problem} again={failure && again} />}
      {!value && !problem && <Loading what="your jobs" />}
      {value && (
        <>
          <Stale since={at} failure={failure} />
          <MyGrants loaded={grants} hasFailed={!!failure} cluster={named} />
          <h2>
            Waiting <span class="soft">{whole(value.waiting.length)}</span>
          </h2>
          {value.waiting.length === 0 && <Empty>No job of {site.user} waits.</Empty>}
          <ul class="mines">
            {value.waiting.slice(0, kMostShown).map((tracked) => (
              <WaitingJob
                key={tracked.job!.jobId}
                cluster={named}
                tracked={tracked}
                mine={value}
                site={site}
                changed={again}
              />
            ))}
          </ul>
          {(more > 0 || value.isCut) && (
            <p class="note">
              The first {kMostShown} are shown{more > 0 ? `; ${whole(more)} more wait` : ''}.
            </p>
          )}
          {value.starts && value.waiting.length > 0 && (
            <p class="note">
              {value.forecasts
                ? 'The plan is what comes if running jobs take all their time and nothing new comes; the interval is learned from what came of such jobs.'
                : 'Starts are those if running jobs take all their time and nothing new comes.'}
            </p>
          )}
          {value.running.length > 0 && (
            <>
              <h2>
                Running <span class="soft">{whole(value.running.length)}</span>
              </h2>
              <Running jobs={value.running} cluster={named} />
            </>
          )}
        </>
      )}
    </section>
  );
}
