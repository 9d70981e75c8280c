// A replay of the laboratory, from a file that the reader chooses: their job history under another policy. The
// service is not asked.
import { useMemo, useState } from 'preact/hooks';
import { Choices } from '../parts/choices';
import { short, time, whole } from '../parts/format';
import { Plot } from '../parts/plot';
import { href, type Route } from '../parts/route';
import { Empty } from '../parts/states';
import { type Heading, Table } from '../parts/table';
import { type Bar, type BarGroup, Compared } from './replay_bars';
import {
  byCpuTime,
  type Column,
  clock,
  type Group,
  groupNames,
  part,
  type Replay as Report,
  readReplay,
  rounded,
} from './replay_data';

interface Chosen {
  name: string;
  report: Report;
}
// Stays while the reader looks at something else.
let chosen: Chosen | undefined;

const kRecorded = 5;
const kColours = [0, 1, 2, 3, 4, 6, 7];
const kMostLines = 8;

// A schedule's colour is the same in all pictures; what was recorded is grey.
function coloursOf(columns: Column[]): number[] {
  let policies = 0;
  return columns.map((one) => (one.policy ? kColours[policies++ % kColours.length] : kRecorded));
}

const same = (one: Column) => {
  const from = one.from_recorded;
  return from && (from.jobs ? `${whole(from.same_start)} (${part(from.same_start / from.jobs)})` : '-');
};
// Where no job started there is nothing to measure: 0 would be the best of all waits.
const waited = (of: { jobs: number }, seconds: number) => (of.jobs ? clock(seconds) : '-');
const slowed = (of: { jobs: number }, slowdown: number) => (of.jobs ? rounded(slowdown, 2) : '-');
const kFigures: [string, (one: Column) => string | undefined][] = [
  ['jobs started', (one) => whole(one.wait_seconds.jobs)],
  ['jobs never started', (one) => whole(one.jobs - one.wait_seconds.jobs)],
  ['backfilled', (one) => (one.policy ? whole(one.backfilled) : undefined)],
  ['started as recorded', same],
  ['mean distance from it', (one) => one.from_recorded && waited(one.from_recorded, one.from_recorded.mean_seconds)],
  ['wait, mean', (one) => waited(one.wait_seconds, one.wait_seconds.mean)],
  ['wait, median', (one) => waited(one.wait_seconds, one.wait_seconds.median)],
  ['wait, 95 %', (one) => waited(one.wait_seconds, one.wait_seconds.p95)],
  ['wait, longest', (one) => waited(one.wait_seconds, one.wait_seconds.largest)],
  ['bounded slowdown, mean', (one) => slowed(one.bounded_slowdown, one.bounded_slowdown.mean)],
  ['bounded slowdown, median', (one) => slowed(one.bounded_slowdown, one.bounded_slowdown.median)],
  ['utilisation', (one) => part(one.utilisation)],
  ['makespan', (one) => clock(one.makespan_seconds)],
  ["Jain's index, usage by share", (one) => jain(one)],
];
const jain = (one: Column) => (one.jain_index === null ? '-' : rounded(one.jain_index, 3));

function Figures({ report, colours }: { report: Report; colours: number[] }) {
  return (
    <section class="card" aria-labelledby="figures">
      <h2 id="figures">Figures</h2>
      <Table
        scrolls="Figures"
        className="figures-of"
        headings={[
          'Of all jobs',
          ...report.columns.map(
            (one, at): Heading => [
              'n',
              <>
                <i class={`swatch p${colours[at]}`} aria-hidden="true" />
                {one.name}
              </>,
            ],
          ),
        ]}
      >
        {kFigures
          .map(([name, cell]) => [name, report.columns.map(cell)] as const)
          .filter(([, cells]) => cells.some(Boolean))
          .map(([name, cells]) => (
            <tr>
              <th scope="row">{name}</th>
              {cells.map((text) => (
                <td class="n">{text}</td>
              ))}
            </tr>
          ))}
      </Table>
    </section>
  );
}

function Head({ report, colours }: { report: Report; colours: number[] }) {
  const told = (all: [string, number][]) => all.map(([name, n]) => `${whole(n)} ${name}`).join(', ');
  const never = report.columns.filter((one) => one.never_started?.length);
  return (
    <>
      <p>
        {report.history}: {whole(report.jobs)} jobs, {whole(report.columns.at(-1)!.jobs)} of them played, eligible from{' '}
        {time(new Date(report.begin * 1000).toISOString())} to {time(new Date(report.end * 1000).toISOString())}, on{' '}
        {whole(report.nodes)} nodes with {whole(report.cpus)} CPUs
        {report.load_factor !== 1 && `, ${report.load_factor} times as fast`}.
      </p>
      <ul class="schedules" aria-label="Schedules">
        {report.columns.map((one, at) => (
          <li>
            <i class={`swatch p${colours[at]}`} aria-hidden="true" />
            <b>{one.name}</b> {one.policy || 'what really happened'}
          </li>
        ))}
      </ul>
      {!report.has_waits && report.load_factor === 1 && (
        <p class="warning">The trace has no wait times: jobs are taken to be submitted when they started.</p>
      )}
      {report.left_out.length > 0 && <p class="note">Left out: {told(report.left_out)}</p>}
      {never.map((one) => (
        <p class="note">
          {one.name}: never started: {told(one.never_started!)}
        </p>
      ))}
      {report.notes.slice(0, 20).map((note) => (
        <p class="note">{note}</p>
      ))}
    </>
  );
}

function Curves({ report, colours }: { report: Report; colours: number[] }) {
  const it = useMemo(() => {
    const parts = Math.max(...report.columns.map((one) => one.cpus_in_use.length));
    const times = Array.from(
      { length: parts },
      (_, at) => report.begin + ((at + 0.5) * (report.end - report.begin)) / parts,
    );
    const lines = (key: 'cpus_in_use' | 'jobs_waiting') =>
      report.columns
        .slice(0, kMostLines)
        .map((one, at) => ({ label: one.name, colour: colours[at], values: one[key] }));
    return {
      times,
      range: [report.begin, Math.max(report.end, report.begin + 1)] as [number, number],
      cpus: lines('cpus_in_use'),
      waiting: lines('jobs_waiting'),
      marks: [],
    };
  }, [report]);
  const most = 1.02 * Math.max(report.cpus, ...it.cpus.flatMap((line) => line.values));
  const tell = (value: number) => rounded(value, 1);
  return (
    <>
      <Plot
        title="CPUs in use"
        note={`of ${whole(report.cpus)}`}
        times={it.times}
        lines={it.cpus}
        marks={it.marks}
        format={short}
        tell={tell}
        most={most}
        range={it.range}
      />
      <Plot
        title="Jobs that wait"
        note="means over each part of the time"
        times={it.times}
        lines={it.waiting}
        marks={it.marks}
        format={short}
        tell={tell}
        range={it.range}
      />
    </>
  );
}

type Key = 'users' | 'accounts' | 'sizes';
const kBy: [Key, string, string][] = [
  ['users', 'Users', 'User'],
  ['accounts', 'Accounts', 'Account'],
  ['sizes', 'Sizes of jobs', 'Size'],
];

function Groups({ report, colours, by }: { report: Report; colours: number[]; by: Key }) {
  const what = kBy.find(([key]) => key === by)![2];
  const { names, groups } = useMemo(
    () => ({
      names: by === 'users' ? byCpuTime(report) : groupNames(report, by),
      groups: report.columns.map((one) => new Map(one[by].map((group) => [group.name, group]))),
    }),
    [report, by],
  );
  const bars = (
    value: (group: Group) => number,
    text: (group: Group) => string,
    more: (any: Group) => Partial<BarGroup>,
  ) =>
    names.map((name): BarGroup => {
      const found = groups
        .map((each, at) => ({ group: each.get(name), schedule: report.columns[at].name, colour: colours[at] }))
        .filter((one) => one.group);
      return {
        name,
        ...more(found[0].group!),
        bars: found.map(
          ({ group, schedule, colour }): Bar => ({ schedule, colour, value: value(group!), text: text(group!) }),
        ),
      };
    });
  const jobs = (any: Group) => ({ note: `${whole(any.jobs)} jobs` });
  const due = (any: Group) => (any.share === undefined ? {} : { note: `due ${part(any.share)}`, due: any.share });
  return (
    <div class="measures">
      <Compared
        key={`wait ${by}`}
        title="Wait, mean"
        note="From eligible to start."
        what={what}
        groups={bars(
          (group) => group.wait_seconds.mean,
          (group) => waited(group.wait_seconds, group.wait_seconds.mean),
          jobs,
        )}
      />
      <Compared
        key={`slow ${by}`}
        title="Bounded slowdown, mean"
        note="Wait and run as often as the run; 1: nobody waited."
        what={what}
        groups={bars(
          (group) => group.mean_bounded_slowdown,
          (group) => slowed(group.wait_seconds, group.mean_bounded_slowdown),
          jobs,
        )}
      />
      {by !== 'sizes' && (
        <Compared
          key={`usage ${by}`}
          title="Usage beside share"
          note="Of the CPU time of the period; the line is what is due by shares."
          what={what}
          groups={bars(
            (group) => group.usage,
            (group) => part(group.usage),
            due,
          )}
        />
      )}
    </div>
  );
}

function Overall({ report, colours }: { report: Report; colours: number[] }) {
  // Each on a scale of its own: to the longest, where it has no natural end.
  const group = (
    name: string,
    value: (one: Column) => number,
    text: (one: Column) => string,
    most?: number,
  ): BarGroup => ({
    name,
    most: most ?? (Math.max(...report.columns.map(value)) || 1),
    bars: report.columns.map((one, at) => ({
      schedule: one.name,
      colour: colours[at],
      value: value(one),
      text: text(one),
    })),
  });
  return (
    <Compared
      title="Beside each other"
      note="A full bar of utilisation or Jain's index is 1: all is in use, and who waits has used alike by share."
      what="Figure"
      groups={[
        group(
          'Wait, mean',
          (one) => one.wait_seconds.mean,
          (one) => waited(one.wait_seconds, one.wait_seconds.mean),
        ),
        group(
          'Bounded slowdown, mean',
          (one) => one.bounded_slowdown.mean,
          (one) => slowed(one.bounded_slowdown, one.bounded_slowdown.mean),
        ),
        group(
          'Utilisation',
          (one) => one.utilisation,
          (one) => part(one.utilisation),
          1,
        ),
        group("Jain's index", (one) => one.jain_index ?? 0, jain, 1),
      ]}
    />
  );
}

function Shown({ report, route }: { report: Report; route: Route }) {
  const colours = useMemo(() => coloursOf(report.columns), [report]);
  const by = kBy.find(([key]) => key === route.query.get('by'))?.[0] ?? 'users';
  const to = (key: string) =>
    href('whatif', '', { ...Object.fromEntries(route.query), by: key === 'users' ? undefined : key });
  return (
    <>
      <Head report={report} colours={colours} />
      <div class="beside">
        <Figures report={report} colours={colours} />
        <Overall report={report} colours={colours} />
      </div>
      <Curves report={report} colours={colours} />
      <div class="heading">
        <h2>Who waits, and who uses what</h2>
        <Choices label="By" options={kBy} chosen={by} to={to} />
      </div>
      <Groups report={report} colours={colours} by={by} />
    </>
  );
}

function Chooser({ shown, take, fault }: { shown?: string; take: (file: File) => void; fault: string }) {
  return (
    <section class="card chooser" aria-label="The replay">
      {!shown && (
        <>
          <h2>Your job history under another policy</h2>
          <p>
            The laboratory plays the jobs that there were once more, under any policy, in simulated time. It runs where
            your files are, and writes what this view shows beside what really happened:
          </p>
          <pre class="lines" tabIndex={0} role="region" aria-label="The command">
            <code>
              prioctl policy replay q3.txt --site /tmp/site --policy now.conf --policy new.conf --json &gt; replay.json
            </code>
          </pre>
        </>
      )}
      <div class="file">
        <label for="replay">
          {shown ? (
            <>
              Shown is <b>{shown}</b>
            </>
          ) : (
            'The file that it wrote'
          )}
        </label>
        <input
          id="replay"
          type="file"
          accept=".json,application/json"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file) take(file);
          }}
        />
        <span class="note">Your browser reads it, and sends it to nobody.</span>
      </div>
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </section>
  );
}

export function Replay({ route }: { route: Route }) {
  const [it, setIt] = useState(chosen);
  const [fault, setFault] = useState('');
  const take = async (file: File) => {
    try {
      chosen = { name: file.name, report: await readReplay(file) };
      setIt(chosen);
      setFault('');
    } catch (error) {
      setFault(`${file.name} is not what prioctl policy replay --json wrote. ${(error as Error).message}`);
    }
  };
  return (
    <>
      <Chooser shown={it?.name} take={take} fault={fault} />
      {it ? (
        <Shown key={it.name} report={it.report} route={route} />
      ) : (
        <Empty>Choose a replay, and it is drawn here.</Empty>
      )}
    </>
  );
}
