// The reasons for the place of a job.
import { type Comparison, call, type Explanation, type Share } from '../calls/api';
import { Facts } from '../parts/facts';
import { duration, factorKey, factorName, fixed, levelFs, percent, rule, time, whole } from '../parts/format';
import { go, href, type Route } from '../parts/route';
import type { Site } from '../parts/site';
import { Failed, Loading, Stale, useLoaded } from '../parts/states';
import { BarCell, Table } from '../parts/table';
import { ExpectedStart, startText } from './expected_start';
import { CostOfJob } from './job_cost';
import { JobForecast } from './job_forecast';
import { Itself, NextDays } from './next_days';
import { Sentence, Sentences } from './sentences';

function Factors({ job }: { job: Explanation }) {
  const most = Math.max(1, ...job.factors.map((factor) => Math.abs(factor.contribution)));
  return (
    <Table
      className="factors"
      caption="What its priority is made of"
      headings={[
        'Factor',
        ['wide', 'From'],
        ['n', 'Factor 0–1'],
        ['n', 'Weight'],
        ['n', 'Points'],
        ['barcell', 'Part'],
      ]}
      foot={
        <tr>
          <th scope="row" colSpan={3}>
            Sum, cut to a whole number
          </th>
          <td class="wide" />
          <td class="n strong">{whole(job.priority)}</td>
          <td class="barcell" />
        </tr>
      }
    >
      {job.factors.map((factor) => (
        <tr class={factor.contribution === 0 ? 'zero' : ''}>
          <th scope="row">
            <i class={`swatch f-${factorKey(factor.name)}`} aria-hidden="true" />
            {factorName(factor.name)}
          </th>
          <td class="wide">{factor.rawInput}</td>
          <td class="n">{fixed(factor.factor, 6)}</td>
          <td class="n">{whole(factor.weight)}</td>
          <td class="n strong">{whole(factor.contribution)}</td>
          <BarCell className={`f-${factorKey(factor.name)}`} percent={(100 * Math.abs(factor.contribution)) / most} />
        </tr>
      ))}
    </Table>
  );
}

const nameOf = (share: Share) => share.user || share.account;

function Path({ path, algorithm }: { path: Share[]; algorithm: string }) {
  const isFairTree = algorithm === 'fair_tree';
  return (
    <Table
      scrolls="Path"
      headings={[
        'Association',
        ['n', 'Shares'],
        ['n', 'Of its level'],
        ['n', 'Usage of its level'],
        isFairTree && ['n', 'LevelFS'],
        ['n', 'Place'],
        ['n', 'Fair-share'],
      ]}
    >
      {path.map((share, at) => (
        <tr>
          <th scope="row" style={{ paddingLeft: `${8 + at * 16}px` }}>
            {at > 0 && (
              <span aria-hidden="true" class="branch">
                └{' '}
              </span>
            )}
            {nameOf(share)}
          </th>
          <td class="n">{share.parentShares ? 'parent' : whole(share.rawShares)}</td>
          <td class="n">{percent(share.normShares)}</td>
          <td class="n">{percent(share.effectiveUsage)}</td>
          {isFairTree && <td class={`n ${served(share)}`}>{at === 0 ? '–' : levelFs(share)}</td>}
          <td class="n">{share.siblingRank ? `${share.siblingRank} of ${share.siblingCount}` : '–'}</td>
          <td class="n">{fixed(share.fairShare, 6)}</td>
        </tr>
      ))}
    </Table>
  );
}

const served = (share: Share) =>
  share.levelFsInfinite || (share.levelFs ?? 1) > 1 ? 'under' : (share.levelFs ?? 1) < 1 ? 'over' : '';

function reason(rows: Explanation['ahead'][number]): string {
  if (rows.factor === 'admin_priority') return 'a priority that an administrator set';
  return rows.factor ? `a higher priority, most of it by ${factorName(rows.factor)}` : rule(rows.rule);
}

function Ahead({ job }: { job: Explanation }) {
  if (job.ahead.length === 0) return null;
  const most = Math.max(...job.ahead.map((rows) => rows.rows));
  return (
    <Table className="ahead" caption="Rows ahead of it" headings={['Because of', ['n', 'Rows'], ['barcell', 'Part']]}>
      {job.ahead.map((rows) => (
        <tr>
          <th scope="row">{reason(rows)}</th>
          <td class="n">{whole(rows.rows)}</td>
          <BarCell className={`f-${factorKey(rows.factor || 'assoc')}`} percent={(100 * rows.rows) / most} />
        </tr>
      ))}
    </Table>
  );
}

function Versus({ comparison }: { comparison: Comparison }) {
  const possible = comparison.changes.filter((change) => change.possible);
  return (
    <>
      <ul class="sentences">
        {comparison.sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
      {comparison.factors.length > 0 && (
        <Table
          caption="Side by side, in points"
          headings={['Factor', ['n', comparison.job!.jobId], ['n', comparison.compareTo!.jobId], ['n', 'Difference']]}
        >
          {comparison.factors.map((factor) => (
            <tr class={factor.difference === 0 ? 'zero' : ''}>
              <th scope="row">{factorName(factor.name)}</th>
              <td class="n">{whole(factor.job?.contribution)}</td>
              <td class="n">{whole(factor.compareTo?.contribution)}</td>
              <td class={`n strong ${factor.difference > 0 ? 'under' : factor.difference < 0 ? 'over' : ''}`}>
                {factor.difference > 0 ? '+' : ''}
                {whole(factor.difference)}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {comparison.changes.length > 0 && (
        <>
          <h3>What would reverse the order</h3>
          <ul class="sentences">
            {(possible.length ? possible : comparison.changes).map((change) => (
              <li>{change.sentence}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Compare({ route, job }: { route: Route; job: Explanation }) {
  const query = Object.fromEntries(route.query);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const other = new FormData(event.currentTarget as HTMLFormElement).get('versus') as string;
    go(href('job', route.id, { ...query, versus: other.trim() }));
  };
  return (
    <section class="card" aria-labelledby="versus">
      <h2 id="versus">Against another job</h2>
      <form class="filters" onSubmit={submit}>
        <label>
          Job id
          <input name="versus" autocomplete="off" spellcheck={false} value={route.query.get('versus') ?? ''} />
        </label>
        <button type="submit">Compare</button>
      </form>
      {job.comparison ? (
        <Versus comparison={job.comparison} />
      ) : (
        <p class="note">Which of the two starts first, by which rule, and what would reverse the order.</p>
      )}
    </section>
  );
}

function JobFacts({ job }: { job: Explanation }) {
  const place = job.rank > 0 ? `${whole(job.rank)} of ${whole(job.rankedTotal)}` : 'none';
  const facts = [
    ['Place in the start order', place],
    ['Priority', whole(job.priority)],
    ...(job.plannedStart ? [[job.forecast ? 'Start by the plan' : 'Expected start', startText(job.plannedStart)]] : []),
    ['User', job.user],
    ['Account', job.account],
    ['Partition', job.partition],
    ['QOS', job.qos],
  ];
  return <Facts facts={facts} />;
}

export function Job({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  const versus = route.query.get('versus') ?? '';
  const request = {
    cluster,
    tracked: {},
    jobId: route.id,
    partition: route.query.get('partition') ?? '',
    qos: route.query.get('qos') ?? '',
    ...(versus ? { compareTo: { jobId: versus } } : {}),
  };
  const { value, failure, at, again } = useLoaded(JSON.stringify(request), 30, (signal) =>
    call('PriorityService/ExplainPriority', request, signal),
  );
  const plain = { cluster: route.query.get('cluster') ?? undefined };
  return (
    <section aria-labelledby="title">
      <p class="crumbs">
        <a href={href('queue', '', plain)}>Queue</a>
      </p>
      <h1 id="title">Job {route.id}</h1>
      {!value && !failure && <Loading what="the explanation" />}
      {!value && failure && (
        <>
          <Failed failure={failure} again={again} />
          {versus && (
            <p>
              <a href={href('job', route.id, plain)}>Without the comparison</a>
            </p>
          )}
        </>
      )}
      {value && (
        <>
          <Stale since={at} failure={failure} staleFor={value.snapshot?.staleFor} />
          <JobFacts job={value} />
          <Itself cluster={cluster} id={route.id} />
          {value.ineligibleReason && (
            <p class="warning">
              <b>{value.ineligibleReason}</b> <Sentence text={value.ineligibleMessage} cluster={plain.cluster} />
            </p>
          )}
          <JobForecast job={value} cluster={cluster} site={site} />
          {value.plannedStart && <ExpectedStart start={value.plannedStart} cluster={plain.cluster} />}
          <div class="beside">
            <section class="card" aria-labelledby="why">
              <h2 id="why">In words</h2>
              <Sentences sentences={value.sentences} cluster={plain.cluster} />
            </section>
            {value.ahead.length > 0 && (
              <section class="card" aria-label="Rows ahead of it">
                <Ahead job={value} />
              </section>
            )}
          </div>
          <section class="card" aria-label="Factors">
            <div class="scroll" tabIndex={0} role="region" aria-label="Factors, scrolls">
              <Factors job={value} />
            </div>
          </section>
          {value.fairSharePath.length > 0 && (
            <section class="card" aria-labelledby="path">
              <h2 id="path">Its way through the tree, from root ({value.fairShareAlgorithm.replaceAll('_', ' ')})</h2>
              <Path path={value.fairSharePath} algorithm={value.fairShareAlgorithm} />
            </section>
          )}
          <section class="card" aria-label="The next days">
            <NextDays job={value} request={{ ...request, compareTo: undefined }} />
            <p class="note">
              Jobs age and reach their begin times; fair-share, usage and the other jobs stay as they are now.
            </p>
          </section>
          <CostOfJob cluster={cluster} job={value} />
          <Compare route={route} job={value} />
          <p class="note">
            Computed for {time(value.asOf)} from the recalculation of {time(value.snapshot!.computedAt)}
            {value.billing
              ? `; each second of running adds ${value.billing.usagePerSecond.toLocaleString('en')} to the usage`
              : ''}
            . Asked again every {duration('30s')}.
          </p>
        </>
      )}
    </section>
  );
}
