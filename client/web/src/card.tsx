// A user's card for a frame in a portal: the places of the user's jobs, and their fair-share. `card?user=amy`; without a user the reader's own.
import { render } from 'preact';
import { href } from './calls/address';
import { call, type Explanation, Failure, read, type Share } from './calls/api';
import { IntervalBar } from './forecasts/forecast_bar';
import { intervalText } from './forecasts/forecast_text';
import { startText } from './jobs/expected_start';
import { Facts } from './parts/facts';
import { fixed, setZone, time, whole } from './parts/format';
import { whoAsks } from './parts/site';
import { Failed, Loading, Stale, useLoaded } from './parts/states';
import { BarCell, Table } from './parts/table';

const kJobs = 3;
const kSeconds = 60;

interface Standing {
  user: string;
  waiting: number;
  held: number;
  running: number;
  best: Explanation[];
  shares: Share[];
  computedAt: string;
}

async function standingOf(cluster: string, named: string, signal: AbortSignal): Promise<Standing> {
  const user = named || (await whoAsks(cluster, signal)).user;
  if (!user) throw new Failure(0, 'Nobody is named: want card?user=NAME.');
  const jobs = await call(
    'PriorityService/RankJobs',
    { cluster, tracked: {}, users: [user], bestOnly: true, limit: kJobs, ineligibleLimit: 0, runningLimit: 0 },
    signal,
  );
  const [shares, policy, ...best] = await Promise.all([
    read('PriorityService/ListShares', { ...(cluster && { cluster }), users: user }, signal),
    read('AdminService/GetPolicy', { ...(cluster && { cluster }) }, signal).catch(() => undefined),
    // In a filtered ranking a place counts only the user's own jobs.
    ...jobs.ranked.map((row) =>
      call(
        'PriorityService/ExplainPriority',
        { cluster, tracked: {}, jobId: row.jobId, partition: row.partition, qos: row.qos },
        signal,
      ),
    ),
  ]);
  setZone(policy?.parameters?.timeZone);
  return {
    user,
    waiting: jobs.rankedTotal,
    held: jobs.ineligibleTotal,
    running: jobs.runningTotal,
    best,
    shares: shares.shares.filter((share) => share.user === user),
    computedAt: jobs.snapshot!.computedAt!,
  };
}

function Jobs({ it, link }: { it: Standing; link: (view: string, id?: string) => string }) {
  if (it.best.length === 0) return <p class="note">No job of {it.user} waits to start.</p>;
  const hasStarts = it.best.some((job) => job.plannedStart);
  const hasForecasts = it.best.some((job) => job.forecast);
  return (
    <Table
      headings={[
        'Next to start',
        ['n', 'Place'],
        ['n', 'Priority'],
        hasStarts && (hasForecasts ? 'By the plan' : 'Expected'),
      ]}
    >
      {it.best.map((job) => (
        <tr>
          <th scope="row">
            <a href={link('job', job.jobId)} target="_blank" rel="noopener">
              {job.jobId}
            </a>
          </th>
          <td class="n">
            {job.rank > 0 ? (
              <>
                {whole(job.rank)} <span class="soft">of {whole(job.rankedTotal)}</span>
              </>
            ) : (
              job.ineligibleReason || '–'
            )}
          </td>
          <td class="n strong">{whole(job.priority)}</td>
          {hasStarts && <td>{job.plannedStart ? startText(job.plannedStart) : '–'}</td>}
        </tr>
      ))}
    </Table>
  );
}

// Of the job that is first.
function NextStart({ job }: { job: Explanation | undefined }) {
  if (!job?.forecast?.start.length) return null;
  const now = Date.parse(job.asOf!);
  return (
    <div class="next-start">
      <p>
        {job.jobId} starts <b>{intervalText(job.forecast, now)}</b>
      </p>
      <IntervalBar forecast={job.forecast} now={now} />
    </div>
  );
}

function FairShares({ shares }: { shares: Share[] }) {
  return (
    <Table headings={['Account', ['n', 'Fair-share'], ['barcell', <span class="unseen">0 to 1</span>]]}>
      {shares.map((share) => (
        <tr>
          <th scope="row">{[share.account, share.partition].filter(Boolean).join('/')}</th>
          <td class="n strong">{fixed(share.fairShare, 4)}</td>
          <BarCell className="f-fairShare" percent={100 * (share.fairShare ?? 0)} />
        </tr>
      ))}
    </Table>
  );
}

// A sign-in elsewhere is of no use in a frame: what is known of the reader stays in its tab.
function Refused({ failure, again }: { failure: Failure; again: () => void }) {
  if (!failure.needsSignIn) return <Failed failure={failure} again={again} />;
  const isFramed = window.parent !== window;
  return (
    <div class="state failed" role="alert">
      <p>{failure.message}</p>
      {isFramed ? (
        <p>In a frame a client certificate says who you are, or a proxy of the portal.</p>
      ) : (
        <p>
          <a class="button" href="./#/signin">
            Sign in
          </a>
        </p>
      )}
    </div>
  );
}

function Card() {
  const query = new URLSearchParams(location.search);
  const [cluster, named] = [query.get('cluster') ?? '', query.get('user') ?? ''];
  const { value, failure, at, again } = useLoaded(JSON.stringify([cluster, named]), kSeconds, (signal) =>
    standingOf(cluster, named, signal),
  );
  // Beside the card: a proxy may have put both under a prefix.
  const link = (view: string, id = '') => `./${href(view, id, { cluster: cluster || undefined })}`;
  return (
    <main class="portal">
      <div class="heading">
        <h1>Priority{value && ` of ${value.user}`}</h1>
        <a
          class="quiet"
          href={`./${href('queue', '', { cluster: cluster || undefined, user: value?.user })}`}
          target="_blank"
          rel="noopener"
        >
          Open the queue
        </a>
      </div>
      {!value && (failure ? <Refused failure={failure} again={again} /> : <Loading what="the card" />)}
      {value && (
        <>
          <Stale since={at} failure={failure} />
          <Facts
            facts={[
              ['May start', whole(value.waiting)],
              ['Cannot start now', whole(value.held)],
              ['Running', whole(value.running)],
            ]}
          />
          <Jobs it={value} link={link} />
          <NextStart job={value.best[0]} />
          {value.shares.length > 0 && <FairShares shares={value.shares} />}
          <p class="note">Recalculated {time(value.computedAt)}</p>
        </>
      )}
    </main>
  );
}

render(<Card />, document.getElementById('card')!);
