// The spread of the queue's priorities, with the places of the jobs that the reader looks for.
import { useMemo } from 'preact/hooks';
import { call, type RankedJob, type RowName } from '../calls/api';
import { whole } from '../parts/format';
import { useLoaded } from '../parts/states';

const kBins = 48;
const kMostRows = 10000;

export interface Bin {
  from: number;
  to: number;
  others: number;
  marked: number;
}

// So far above the median no bins are needed.
const kMedians = 5;

// High priorities, as an administrator sets them, would put all others into one bin: they go to the last bin.
export function binsOf(priorities: number[], marked: boolean[]): Bin[] {
  const sorted = [...priorities].sort((a, b) => a - b);
  const least = sorted[0] ?? 0;
  const median = sorted[Math.floor(0.5 * (sorted.length - 1))] ?? 0;
  const highest = sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0;
  const usual = median > least ? Math.min(highest, least + kMedians * (median - least)) : highest;
  const most = sorted[sorted.length - 1] ?? 0;
  const top = most - least <= 2 * (usual - least) ? most : usual;
  const width = Math.max(1, (top - least + 1) / kBins);
  const bins = Array.from(
    { length: kBins },
    (_, at): Bin => ({
      from: Math.floor(least + at * width),
      to: Math.floor(least + (at + 1) * width) - 1,
      others: 0,
      marked: 0,
    }),
  );
  bins[kBins - 1].to = most;
  priorities.forEach((priority, at) => {
    const bin = bins[Math.min(kBins - 1, Math.floor((priority - least) / width))];
    if (marked[at]) ++bin.marked;
    else ++bin.others;
  });
  return bins;
}

const keyOf = (row: RowName) => `${row.jobId} ${row.partition} ${row.qos}`;
const places = (ranks: number[]) =>
  ranks.length === 1
    ? `at place ${whole(ranks[0])}`
    : `at places ${whole(ranks[0])} to ${whole(ranks[ranks.length - 1])}`;

function Bars({ bins, text }: { bins: Bin[]; text: string }) {
  const most = Math.max(1, ...bins.map((bin) => bin.others + bin.marked));
  // The square root: a bin of one job is seen beside one of a thousand.
  const height = (n: number) => `${100 * Math.sqrt(n / most)}%`;
  return (
    <div class="bins" role="img" aria-label={text}>
      {bins.map((bin) => (
        <span
          title={`${whole(bin.from)} to ${whole(bin.to)}: ${whole(bin.others + bin.marked)} jobs${bin.marked ? `, ${whole(bin.marked)} marked` : ''}`}
        >
          <i
            style={{ height: height(bin.others + bin.marked) }}
            class={bin.marked > 0 && bin.others === 0 ? 'mine' : ''}
          />
          {bin.marked > 0 && bin.others > 0 && <b class="mine" style={{ height: `max(4px, ${height(bin.marked)})` }} />}
        </span>
      ))}
    </div>
  );
}

async function ranked(cluster: string, users: string[], signal: AbortSignal): Promise<RankedJob[]> {
  return (
    await call(
      'PriorityService/RankJobs',
      { cluster, tracked: {}, users, limit: kMostRows, ineligibleLimit: 0, runningLimit: 0 },
      signal,
    )
  ).ranked;
}

// `rows` are those of the table, `total` how many there are. Where they are not the whole queue, that and the reader's own rows are asked for.
export function Spread({
  cluster,
  rows,
  total,
  isFiltered,
  user,
}: {
  cluster: string;
  rows: RankedJob[];
  total: number;
  isFiltered: boolean;
  user: string;
}) {
  const isPart = isFiltered || total > rows.length;
  const asked = useLoaded(
    JSON.stringify([cluster, isPart, isFiltered, user]),
    isPart ? 60 : 0,
    async (signal) =>
      isPart
        ? {
            queue: await ranked(cluster, [], signal),
            own: !isFiltered && user ? await ranked(cluster, [user], signal) : [],
          }
        : undefined,
    true,
  );
  const queue = isPart ? asked.value?.queue : rows;
  const told = useMemo(() => {
    if (!queue) return undefined;
    const own = isFiltered ? rows : isPart ? (asked.value?.own ?? []) : rows.filter((row) => user && row.user === user);
    const mine = new Set(own.map(keyOf));
    const known = queue.filter((row) => row.priority !== undefined);
    const marked = known.map((row) => mine.has(keyOf(row)));
    return {
      bins: binsOf(
        known.map((row) => row.priority!),
        marked,
      ),
      ranks: queue.filter((row) => mine.has(keyOf(row))).map((row) => row.rank),
      count: known.length,
    };
  }, [queue, rows, user, isFiltered, isPart]);
  if (!told || told.count < 2) return null;
  const first = told.count === kMostRows ? 'the first ' : '';
  const whose = isFiltered ? 'those filtered' : 'yours';
  const sentence = told.ranks.length
    ? `${whole(told.ranks.length)} of ${first}${whole(told.count)} rows are ${whose}, ${places(told.ranks)}.`
    : isFiltered || user
      ? `None of the ${first}${whole(told.count)} rows is ${isFiltered ? 'among those filtered' : 'yours'}.`
      : `${first}${whole(told.count)} rows.`;
  const [least, most] = [told.bins[0].from, told.bins[kBins - 1].to];
  return (
    <figure class="spread">
      <figcaption>
        <b>Priorities</b>{' '}
        <span class="note">
          {sentence}
          {told.ranks.length > 0 && <i class="mark" aria-hidden="true" />}
        </span>
      </figcaption>
      <Bars bins={told.bins} text={`Priorities from ${whole(least)} to ${whole(most)}. ${sentence}`} />
      <div class="ends">
        <span>{whole(least)}</span>
        <span>
          {told.bins[kBins - 1].to - told.bins[kBins - 1].from > 2 * (told.bins[0].to - told.bins[0].from) + 2
            ? `${whole(told.bins[kBins - 1].from)} and more`
            : whole(most)}
        </span>
      </div>
    </figure>
  );
}
