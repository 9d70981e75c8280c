// Fair-share and usage over time, and what was changed meanwhile.
import { useMemo } from 'preact/hooks';
import { Choices } from '../parts/choices';
import { moment, short, time, whole, zoneName } from '../parts/format';
import { type Line, Plot } from '../parts/plot';
import { href, type Route } from '../parts/route';
import { may, type Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, Unknown, useLoaded } from '../parts/states';
import { type Heading, Table } from '../parts/table';
import { type Change, kPeriods, kUsual, loadPast, marksOf, type Past } from './history_data';

const used = (hours: number) => (hours === 0 || hours >= 10 ? whole(hours) : hours.toFixed(2));
const factor = (value: number) => value.toFixed(value === 0 || value === 1 ? 0 : 3);

function Periods({ route, chosen }: { route: Route; chosen: string }) {
  const to = (period: string) =>
    href('history', route.id, { ...Object.fromEntries(route.query), over: period === kUsual ? undefined : period });
  return (
    <Choices
      label="How far back"
      options={Object.entries(kPeriods).map(([name, [label]]) => [name, label])}
      chosen={chosen}
      to={to}
    />
  );
}

function Where({ route, past }: { route: Route; past: Past }) {
  const query = Object.fromEntries(route.query);
  const [, user] = route.id.split('/');
  const inner = past.members.filter((member) => member.id !== route.id);
  return (
    <div class="heading">
      <nav class="crumbs" aria-label="Where in the tree">
        {past.way.map((share, at) =>
          at === past.way.length - 1 && !user ? (
            <b>{share.account}</b>
          ) : (
            <>
              <a href={href('history', at === 0 ? '' : share.account, query)}>{share.account}</a> ›{' '}
            </>
          ),
        )}
        {user && <b>{user}</b>}
      </nav>
      {inner.length > 0 && (
        <nav class="choices inner" aria-label="Look at one alone">
          {inner.map((member) => (
            <a href={href('history', member.id, query)}>{member.label}</a>
          ))}
        </nav>
      )}
    </div>
  );
}

function Changes({ past }: { past: Past }) {
  return (
    <section class="card" aria-labelledby="changed">
      <h2 id="changed">What was changed meanwhile</h2>
      {past.changes.length === 0 ? (
        <p class="note">Nothing in this time{past.showsResets ? '' : ' that is visible to you'}.</p>
      ) : (
        <Table scrolls="Changes" className="changes" headings={[['n', 'Mark'], 'When', 'What', 'Who', 'Why']}>
          {past.changes.map((change: Change, at) => (
            <tr>
              <th scope="row" class="n">
                <span class="tag">{at + 1}</span>
              </th>
              <td class="when">{time(change.time)}</td>
              <td>{change.what}</td>
              <td>{change.who.replace(/ \(.*/, '')}</td>
              <td>{change.why || '–'}</td>
            </tr>
          ))}
        </Table>
      )}
      {!past.showsResets && <p class="note">Marked are versions of the policy; operators also see resets of usage.</p>}
    </section>
  );
}

const kMostTableRows = 40;

// The plots as a table: some of the times, evenly spread.
function Figures({ past }: { past: Past }) {
  const { times, decayed, fairShare } = past.series;
  const every = Math.max(1, Math.ceil(times.length / kMostTableRows));
  const shown = times.map((_, at) => at).filter((at) => (times.length - 1 - at) % every === 0);
  const tells = (lines: Line[], at: number, format: (value: number) => string) =>
    lines.map((line) => <td class="n">{line.values[at] == null ? '–' : format(line.values[at]!)}</td>);
  const hasFactors = fairShare.length > 0;
  return (
    <details class="card">
      <summary>The same as a table</summary>
      <Table
        scrolls="Figures over time"
        caption={`Decayed usage in billing-hours${hasFactors ? ', and fair-share' : ''}`}
        headings={[
          'When',
          ...decayed.map((line): Heading => ['n', line.label]),
          ...(hasFactors ? fairShare.map((line): Heading => ['n', `${line.label}, fair-share`]) : []),
        ]}
      >
        {shown.map((at) => (
          <tr>
            <th scope="row" class="when">
              {moment(times[at])}
            </th>
            {tells(decayed, at, used)}
            {hasFactors && tells(fairShare, at, factor)}
          </tr>
        ))}
      </Table>
    </details>
  );
}

function Plots({ past }: { past: Past }) {
  const marks = useMemo(() => marksOf(past.changes), [past]);
  const { series, spent, range } = past;
  if (series.times.length === 0 && spent.times.length === 0)
    return (
      <Empty>
        Nothing is kept of this time. The service keeps a sample every --history_interval, for --history_days.
      </Empty>
    );
  return (
    <>
      {past.isFairTree && past.members.some((member) => !member.user) && (
        <p class="note">Under Fair Tree only users have a fair-share factor: look at an account with users.</p>
      )}
      {series.fairShare.length > 0 && (
        <Plot
          title="Fair-share"
          note="the factor, 0 to 1"
          times={series.times}
          lines={series.fairShare}
          marks={marks}
          format={factor}
          tell={factor}
          most={1}
          range={range}
        />
      )}
      {series.times.length > 0 && (
        <Plot
          title="Usage with decay"
          note="what fair-share counts, in billing-hours"
          times={series.times}
          lines={series.decayed}
          marks={marks}
          format={short}
          tell={used}
          range={range}
        />
      )}
      {spent.times.length > 0 ? (
        <Plot
          title={`Usage of each ${past.isHourly ? 'hour' : 'day'}`}
          note="without decay, in billing-hours"
          times={spent.times}
          lines={spent.lines}
          marks={marks}
          format={short}
          tell={used}
          range={range}
          isStacked
        />
      ) : (
        <p class="note">Nothing was used in this time.</p>
      )}
    </>
  );
}

export function History(props: { route: Route; cluster: string; site: Site }) {
  return props.site.isKnown ? <Known {...props} /> : <Unknown what="the history" failure={props.site.failure} />;
}

function Known({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  const period = route.query.get('over') ?? kUsual;
  const showsResets = may(site, 'seeAudit');
  const { value, failure, at, again } = useLoaded(
    JSON.stringify([cluster, route.id, period, showsResets]),
    60,
    (signal) => loadPast(cluster, route.id, period, showsResets, signal),
  );
  return (
    <section aria-labelledby="title">
      <div class="heading">
        <h1 id="title">History</h1>
        <Periods route={route} chosen={period} />
      </div>
      {!value && (failure ? <Failed failure={failure} again={again} /> : <Loading what="the history" />)}
      {value && (
        <>
          <Stale since={at} failure={failure} />
          <Where route={route} past={value} />
          {value.members.length === 0 ? <Empty>Nothing below it is visible to you.</Empty> : <Plots past={value} />}
          {value.others > 0 && (
            <p class="note">
              Shown are the {value.members.length} who have used most lately; {value.others} others have used less.
            </p>
          )}
          {value.isCut && <p class="warning">There is more than can be shown: choose a shorter time.</p>}
          <Changes past={value} />
          {value.series.times.length > 0 && <Figures past={value} />}
          <p class="note">Times are those of {zoneName()}.</p>
        </>
      )}
    </section>
  );
}
