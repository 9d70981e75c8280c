// In which order the jobs start, as it changes; and those that cannot start now.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  call,
  Failure,
  type IneligibleJob,
  type PlannedStart,
  type RankedJob,
  type RowName,
  type WatchRankingResponse,
  watch,
} from '../calls/api';
import { type Forecasts, forecastsOf } from '../forecasts/forecast_data';
import { startsOf } from '../jobs/mine_data';
import { Filters } from '../parts/filters';
import { contribution, type FactorKey, prose, whole } from '../parts/format';
import { type Column, LongTable } from '../parts/long_table';
import { href, type Route } from '../parts/route';
import { may, type Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { ContributionBar, Legend, positive, usualMost } from './bars';
import { filtersOf, kFirstRows, kWatch, watchOf } from './queue_request';
import { Spread } from './spread';
import { StartCell } from './start_cell';

const kMostRows = 10000;
const kBetweenPlans = 60;
const kFilters = [
  ['user', 'User'],
  ['account', 'Account'],
  ['partition', 'Partition'],
] as const;

interface Order {
  rows: RankedJob[];
  total: number;
  others: number;
  staleFor?: string;
}

const keyOf = (row: RowName) => `${row.jobId} ${row.partition} ${row.qos}`;

export function applied(before: Order | undefined, event: WatchRankingResponse): Order {
  const rest = { total: event.rankedTotal, others: event.others, staleFor: event.snapshot?.staleFor };
  if (event.state) return { rows: event.state.ranked, ...rest };
  const rows = new Map((before?.rows ?? []).map((row) => [keyOf(row), row]));
  for (const row of event.delta?.left ?? []) rows.delete(keyOf(row));
  for (const change of event.delta?.changed ?? []) rows.set(keyOf(change.row!), change.row!);
  for (const row of event.delta?.entered ?? []) rows.set(keyOf(row), row);
  return { rows: [...rows.values()].sort((a, b) => a.rank - b.rank), ...rest };
}

// Follows the order; after a failure tries again, each time a little later.
function useOrder(key: string, request: object, limit: number) {
  const [order, setOrder] = useState<Order>();
  const [failure, setFailure] = useState<Failure>();
  const [at, setAt] = useState(Date.now());
  const [turn, setTurn] = useState(0);
  const shown = useRef('');
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    let pause = 1;
    let known: Order | undefined;
    setOrder((now) => (shown.current === key ? now : undefined));
    shown.current = key;
    const run = async () => {
      try {
        await watch(
          kWatch,
          watchOf(request, limit),
          (event) => {
            known = applied(known, event);
            pause = 1;
            setFailure(undefined);
            setAt(Date.now());
            setOrder(known);
          },
          abort.signal,
        );
      } catch (error) {
        if (abort.signal.aborted) return;
        setFailure(error instanceof Failure ? error : new Failure(0, String(error)));
        timer = window.setTimeout(run, pause * 1000);
        pause = Math.min(pause * 2, 30);
      }
    };
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, turn, limit]);
  return { order, failure, at, again: () => setTurn((now) => now + 1) };
}

const jobLink = (job: RowName, cluster: string | undefined) => (
  <a href={href('job', job.jobId, { cluster, partition: job.partition, qos: job.qos })}>{job.jobId}</a>
);

// Nothing adds up to a priority that an administrator has set.
const isSet = (row: RankedJob) =>
  (row.priority ?? 0) > 1 && positive(row.contributions) === 0 && !row.contributions?.nice;

const kLongestId = 24;
const longestId = (rows: RowName[]) =>
  rows.reduce((most, row) => Math.min(kLongestId, Math.max(most, row.jobId.length)), 3);

// Of the jobs by id; each undefined if the service has none.
interface Starts {
  planned?: Map<string, PlannedStart>;
  forecast?: Forecasts;
}

const kNoRows: RankedJob[] = [];
const kLevels = [0.1, 0.5, 0.9];
const kOldest = 300e3;

// Asked for again in a while, and as soon as there are twice as many rows; undefined after a failure, or once they are old.
function useForecasts(
  cluster: string,
  filters: string,
  rows: RankedJob[],
  mayForecast: boolean,
): Forecasts | undefined {
  const ids = useRef<string[]>([]);
  ids.current = [...new Set(rows.map((row) => row.jobId))];
  const asked = useRef({ filters, count: 0 }); // The most rows for which they were asked.
  if (asked.current.filters !== filters || rows.length === 0 || rows.length >= 2 * asked.current.count)
    asked.current = { filters, count: rows.length };
  const key = mayForecast && rows.length > 0 ? JSON.stringify([filters, asked.current.count]) : undefined;
  const { value, failure, at } = useLoaded(
    key,
    kBetweenPlans,
    async (signal) => ({ of: cluster, forecasts: await forecastsOf(cluster, ids.current, signal, kLevels) }),
    true,
  );
  // The value of another key is kept: that may be one of another cluster, with the same job ids.
  const isPresent = mayForecast && !failure && value?.of === cluster && Date.now() - at! < kOldest;
  return isPresent ? value.forecasts : undefined;
}

function orderColumns(
  most: number,
  hasTiers: boolean,
  longest: number,
  { planned, forecast }: Starts,
  cluster?: string,
): Column<RankedJob>[] {
  const tier: Column<RankedJob> = {
    name: 'Tier',
    key: 'tier',
    cell: (row) => row.priorityTier,
    help: "The partition's PriorityTier: a higher one starts before any priority",
  };
  const start: Column<RankedJob> = {
    name: 'Start',
    key: 'start',
    cell: (row) => (
      <StartCell
        planned={row.bestOfJob ? planned?.get(row.jobId) : undefined}
        forecast={row.bestOfJob ? forecast?.byJob.get(row.jobId) : undefined}
        now={forecast?.now ?? 0}
      />
    ),
    help: `Expected, if running jobs take all their time and nothing new comes${forecast ? '; below it what is learned from such jobs' : ''}`,
  };
  return [
    { name: 'Rank', key: 'rank', cell: (row) => whole(row.rank), help: 'Place in the start order' },
    { name: 'Job', key: 'job', longest, cell: (row) => jobLink(row, cluster) },
    { name: 'User', key: 'user', cell: (row) => row.user },
    { name: 'Account', key: 'account', cell: (row) => <span title={row.account}>{row.account}</span> },
    { name: 'Partition', key: 'partition', cell: (row) => row.partition },
    { name: 'QOS', key: 'qos', cell: (row) => row.qos },
    ...(planned || forecast ? [start] : []),
    ...(hasTiers ? [tier] : []),
    {
      name: 'Priority',
      key: 'priority',
      cell: (row) => whole(row.priority),
      help: 'Higher starts earlier, within a PriorityTier',
    },
    {
      name: 'What it is made of',
      key: 'bar',
      cell: (row) =>
        isSet(row) ? (
          <span class="soft">set by an administrator</span>
        ) : (
          <ContributionBar factors={row.contributions} most={most} />
        ),
    },
  ];
}

function Order({ order, starts, cluster, more }: { order: Order; starts: Starts; cluster?: string; more: () => void }) {
  const most = useMemo(() => usualMost(order.rows.map((row) => positive(row.contributions))), [order]);
  const hasTiers = useMemo(() => new Set(order.rows.map((row) => row.priorityTier)).size > 1, [order]);
  const longest = useMemo(() => longestId(order.rows), [order]);
  const used = useMemo(() => {
    const keys = new Set<string>();
    for (const row of order.rows) {
      for (const key of ['fairShare', 'age', 'qos', 'partition', 'jobSize', 'assoc', 'tres', 'site'] as FactorKey[]) {
        if (contribution(row.contributions, key) > 0) keys.add(key);
      }
      const nice = row.contributions?.nice ?? 0;
      if (nice !== 0) keys.add(nice < 0 ? 'nice' : 'bonus');
    }
    return keys;
  }, [order]);
  if (order.rows.length === 0)
    return (
      <Empty>
        No job waits to start here. <a href={href('queue', '', { cluster })}>All jobs</a>
      </Empty>
    );
  return (
    <>
      <Legend used={(key) => used.has(key)} />
      <LongTable
        label="Start order"
        className={`order${hasTiers ? ' tiers' : ''}${starts.planned || starts.forecast ? ' starts' : ''}${starts.forecast ? ' forecasts' : ''}`}
        columns={orderColumns(most, hasTiers, longest, starts, cluster)}
        phoneLines={starts.forecast ? 3 : 2}
        rows={order.rows}
        keyOf={keyOf}
        nearEnd={order.total > order.rows.length ? more : undefined}
      />
      {order.total > order.rows.length && (
        <p class="note">
          The first {whole(order.rows.length)} of {whole(order.total)} rows
          {order.others > 0 ? `; ${whole(order.others)} are other users' and not visible to you` : ''}.
        </p>
      )}
    </>
  );
}

const ineligibleColumns = (longest: number, cluster?: string): Column<IneligibleJob>[] => [
  { name: 'Job', key: 'job', longest, cell: (row) => jobLink(row, cluster) },
  { name: 'User', key: 'user', cell: (row) => row.user },
  { name: 'Account', key: 'account', cell: (row) => row.account },
  { name: 'Partition', key: 'partition', cell: (row) => row.partition },
  { name: 'Reason', key: 'reason', cell: (row) => <span class="tag">{row.reason}</span> },
  { name: 'Why', key: 'why', cell: (row) => <span title={prose(row.message)}>{prose(row.message)}</span> },
];

export function Queue({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  const request = filtersOf(route.query, cluster);
  const key = JSON.stringify(request);
  const [wanted, setWanted] = useState({ key, limit: kFirstRows });
  const { order, failure, at, again } = useOrder(key, request, wanted.key === key ? wanted.limit : kFirstRows);
  const tab = route.query.get('tab') === 'held' ? 'held' : 'order';
  // The counts wait for the first rows, which would wait for them else.
  const counts = tab === 'held' || !!order || !!failure;
  const held = useLoaded(
    counts ? `${key} ${tab}` : undefined,
    10,
    (signal) =>
      call(
        'PriorityService/RankJobs',
        {
          ...request,
          tracked: {},
          limit: 1,
          runningLimit: 0,
          ineligibleLimit: tab === 'held' ? kMostRows : 0,
          view: 'RANK_VIEW_FULL',
        },
        signal,
      ),
    true,
  );
  const planned = useLoaded(
    tab === 'order' && counts ? cluster || '*' : undefined,
    kBetweenPlans,
    async (signal) => ({ of: cluster, starts: await startsOf(cluster, [], signal) }),
    true,
  );
  // As of useForecasts: the value of another cluster is kept.
  const starts = planned.value?.of === cluster ? planned.value.starts : undefined;
  const forecast = useForecasts(cluster, key, (tab === 'order' && order?.rows) || kNoRows, may(site, 'seeForecasts'));
  const to = (name: string) => href('queue', '', { ...Object.fromEntries(route.query), tab: name });
  const named = route.query.get('cluster') ?? undefined;
  return (
    <section aria-labelledby="title">
      <div class="heading">
        <h1 id="title">Queue</h1>
        <Filters label="Filter the queue" names={kFilters} route={route} />
      </div>
      <nav class="tabs" aria-label="Which jobs">
        <a href={to('')} aria-current={tab === 'order' ? 'page' : undefined}>
          Start order{order && <b>{whole(order.total)}</b>}
        </a>
        <a href={to('held')} aria-current={tab === 'held' ? 'page' : undefined}>
          Cannot start now{held.value && <b>{whole(held.value.ineligibleTotal)}</b>}
        </a>
        {held.value && <span class="note">{whole(held.value.runningTotal)} running</span>}
      </nav>
      {tab === 'order' &&
        (order ? (
          <>
            <Stale since={at} failure={failure} staleFor={order.staleFor} />
            {order.rows.length > 0 && (
              <Spread
                cluster={cluster}
                rows={order.rows}
                total={order.total}
                isFiltered={kFilters.some(([name]) => route.query.get(name))}
                user={site.user}
              />
            )}
            <Order
              order={order}
              starts={{ planned: starts, forecast }}
              cluster={named}
              more={() => setWanted({ key, limit: kMostRows })}
            />
          </>
        ) : failure ? (
          <Failed failure={failure} again={again} />
        ) : (
          <Loading what="the queue" />
        ))}
      {tab === 'held' &&
        (held.value && !(held.isPending && held.value.ineligible.length === 0 && held.value.ineligibleTotal > 0) ? (
          <>
            <Stale since={held.at} failure={held.failure} />
            {held.value.ineligible.length ? (
              <LongTable
                label="Jobs that cannot start now"
                className="held"
                columns={ineligibleColumns(longestId(held.value.ineligible), named)}
                phoneLines={2}
                rows={held.value.ineligible}
                keyOf={keyOf}
              />
            ) : (
              <Empty>Every job that waits may start as soon as there is room.</Empty>
            )}
          </>
        ) : held.failure ? (
          <Failed failure={held.failure} again={held.again} />
        ) : (
          <Loading what="jobs that cannot start" />
        ))}
    </section>
  );
}
