// The queue under another policy, other shares or other grants, or at a later time, before anything is applied.
import { useMemo, useState } from 'preact/hooks';
import { loadGrants } from '../budgets/grant_data';
import { call, Failure, type Policy, read, type Simulated, type SimulatedRow } from '../calls/api';
import { Tabs } from '../parts/choices';
import { whole } from '../parts/format';
import { type Column, LongTable } from '../parts/long_table';
import { href, type Route } from '../parts/route';
import type { Site } from '../parts/site';
import { Empty, Failed, Loading, useLoaded } from '../parts/states';
import { Table } from '../parts/table';
import { Apply } from './apply';
import { Replay } from './replay';
import { GrantCommands, GrantControls, GrantEffects } from './supposed_grants';
import { faultOf, isEmpty, kLater, type Present, requestOf, type Supposition, suppositionOf } from './supposition';
import { Versions } from './versions';
import { suppose, Text, useSlowly } from './whatif_controls';

// `asOf` on a manual clock, which has a present of its own; else empty: when it is asked.

const kWeights = [
  ['Fairshare', 'Fair-share'],
  ['Age', 'Age'],
  ['QOS', 'QOS'],
  ['Partition', 'Partition'],
  ['JobSize', 'Job size'],
  ['Assoc', 'Association'],
];
const kTexts = [
  ['PriorityDecayHalfLife', 'Half-life of usage'],
  ['PriorityMaxAge', 'Age counts up to'],
  ['PriorityWeightTRES', 'Weights of TRES'],
];
const kLargestRoot = 12;

async function loadPresent(cluster: string, signal: AbortSignal): Promise<Present> {
  const [policy, shares, grants] = await Promise.all([
    read('AdminService/GetPolicy', { ...(cluster && { cluster }) }, signal),
    read(
      'PriorityService/ListShares',
      { ...(cluster && { cluster }), accountsOnly: 'true', pageSize: '10000' },
      signal,
    ),
    // An older service has none; who may not see them may not suppose others.
    loadGrants(cluster, [], false, signal).catch((error) => {
      if (error instanceof Failure && (error.isUnknownCall || error.isRefused)) return undefined;
      throw error;
    }),
  ]);
  return {
    policy,
    accounts: shares.shares,
    grants: grants?.grants,
    asOf: policy.parameters?.clock === 'manual' ? shares.snapshot!.computedAt! : '',
  };
}

const kLargestWeight = 4294967295;

function Weight({ name, label, value, given }: { name: string; label: string; value: string; given?: string }) {
  const set = (text: string) =>
    /^\d+$/.test(text) && Number(text) <= kLargestWeight && suppose(`p.${name}`, text, text === value);
  const slowly = useSlowly(set);
  const [most] = useState(Math.max(10000, 2 * Number(value), Number(given ?? 0)));
  const now = given ?? value;
  return (
    <div class={`control ${given === undefined ? '' : 'supposed'}`}>
      <label for={name}>{label}</label>
      <input
        type="range"
        aria-label={`${label}, slider`}
        min="0"
        max={most}
        step={Math.max(1, Math.round(most / 200))}
        value={now}
        onInput={(event) => slowly(event.currentTarget.value)}
      />
      <input
        id={name}
        type="number"
        min="0"
        max={kLargestWeight}
        value={now}
        onInput={(event) => slowly(event.currentTarget.value)}
      />
      <span class="was">{given !== undefined && `was ${whole(value)}`}</span>
    </div>
  );
}

function AddParameter({ policy, shown }: { policy: Policy; shown: Set<string> }) {
  const others = (policy.parameters?.all ?? []).filter((one) => !shown.has(one.name) && one.actedOn);
  return (
    <label class="add">
      Another parameter
      <select
        value=""
        onChange={(event) => {
          const one = others.find((each) => each.name === event.currentTarget.value);
          if (one) suppose(`p.${one.name}`, one.value, false);
        }}
      >
        <option value="">choose …</option>
        {others.map((one) => (
          <option value={one.name}>{one.name}</option>
        ))}
      </select>
    </label>
  );
}

function PolicyControls({ policy, it }: { policy: Policy; it: Supposition }) {
  const all = new Map((policy.parameters?.all ?? []).map((one) => [one.name, one]));
  const value = (name: string) => all.get(name)?.value ?? '';
  const usual = new Set([...kWeights.map(([name]) => `PriorityWeight${name}`), ...kTexts.map(([name]) => name)]);
  const more = Object.keys(it.parameters).filter((name) => !usual.has(name));
  return (
    <section class="card" aria-labelledby="policy">
      <h2 id="policy">Policy</h2>
      {kWeights.map(([name, label]) => (
        <Weight
          key={name}
          name={`PriorityWeight${name}`}
          label={label}
          value={value(`PriorityWeight${name}`)}
          given={it.parameters[`PriorityWeight${name}`]}
        />
      ))}
      {kTexts.map(([name, label]) => (
        <Text
          key={name}
          name={`p.${name}`}
          label={label}
          value={value(name)}
          given={it.parameters[name]}
          help={all.get(name)?.description}
        />
      ))}
      {more.map((name) => (
        <Text
          key={name}
          name={`p.${name}`}
          label={name}
          value={value(name)}
          given={it.parameters[name]}
          help={all.get(name)?.description}
        />
      ))}
      <AddParameter policy={policy} shown={new Set([...usual, ...more])} />
    </section>
  );
}

function SharesControls({ present, it }: { present: Present; it: Supposition }) {
  const root = present.accounts[0]?.account;
  const top = present.accounts
    .filter((row) => row.parentAccount === root)
    .slice(0, kLargestRoot)
    .map((row) => row.account);
  const shown = [...new Set([...top, ...Object.keys(it.shares)])];
  const now = new Map(
    present.accounts.map((row) => [row.account, row.parentShares ? 'parent' : String(row.rawShares ?? '')]),
  );
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const id = (new FormData(form).get('association') as string).trim();
    if (id) suppose(`s.${id}`, now.get(id) || '1', false);
    form.reset();
  };
  return (
    <section class="card" aria-labelledby="shares">
      <h2 id="shares">Shares</h2>
      {shown.map((id) => (
        <Text key={id} name={`s.${id}`} label={id} value={now.get(id) ?? ''} given={it.shares[id]} />
      ))}
      <form onSubmit={add} class="add">
        <label>
          Another account, or account/user
          <input name="association" list="accounts" autocomplete="off" spellcheck={false} />
        </label>
        <datalist id="accounts">
          {present.accounts.slice(0, 2000).map((row) => (
            <option value={row.account} />
          ))}
        </datalist>
        <button type="submit">Add</button>
      </form>
      <label class="add">
        When
        <select
          value={it.later}
          onChange={(event) => suppose('later', event.currentTarget.value, !event.currentTarget.value)}
        >
          {Object.entries(kLater).map(([name, [label]]) => (
            <option value={name} selected={name === it.later}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <p class="note">Later: as if nothing ran until then; usage decays, and the queue ages.</p>
    </section>
  );
}

const place = (row: SimulatedRow['before']) =>
  !row ? 'not there' : row.rank > 0 ? whole(row.rank) : row.ineligibleReason || 'cannot start';
export const moves = (row: SimulatedRow) =>
  row.before?.rank && row.after?.rank ? row.before.rank - row.after.rank : 0;

function Move({ row }: { row: SimulatedRow }) {
  const by = moves(row);
  if (by === 0)
    return <span class={row.after?.rank ? 'under' : 'over'}>{row.after?.rank ? 'may start' : 'cannot start'}</span>;
  return (
    <span class={by > 0 ? 'under' : 'over'}>
      {by > 0 ? '▲' : '▼'} {whole(Math.abs(by))}
      <span class="unseen">{by > 0 ? ' places up' : ' places down'}</span>
    </span>
  );
}

const columns = (cluster?: string): Column<SimulatedRow>[] => [
  { name: 'Job', key: 'job', cell: (row) => <a href={href('job', row.jobId, { cluster })}>{row.jobId}</a> },
  { name: 'User', key: 'user', cell: (row) => row.user },
  { name: 'Account', key: 'account', cell: (row) => row.account },
  { name: 'Place now', key: 'rank', cell: (row) => place(row.before) },
  { name: 'Then', key: 'rank', cell: (row) => place(row.after) },
  { name: 'Moves', key: 'move', cell: (row) => <Move row={row} /> },
  { name: 'Priority now', key: 'priority', cell: (row) => whole(row.before?.priority) },
  { name: 'Then', key: 'priority', cell: (row) => whole(row.after?.priority) },
];

// For each user, how many of the returned rows go up and down, and how far on average.
export function byUser(rows: SimulatedRow[]): { user: string; up: number; down: number; mean: number }[] {
  const all = new Map<string, { user: string; up: number; down: number; sum: number }>();
  for (const row of rows) {
    const one = all.get(row.user) ?? { user: row.user, up: 0, down: 0, sum: 0 };
    const by = moves(row);
    const isUp = by > 0 || (by === 0 && !!row.after?.rank);
    all.set(row.user, { ...one, up: one.up + (isUp ? 1 : 0), down: one.down + (isUp ? 0 : 1), sum: one.sum + by });
  }
  return [...all.values()]
    .map((one) => ({ ...one, mean: one.sum / (one.up + one.down) }))
    .sort((a, b) => b.mean - a.mean);
}

const kMostUsers = 12;

function Users({ rows, isCut }: { rows: SimulatedRow[]; isCut: boolean }) {
  const users = byUser(rows);
  const shown =
    users.length <= kMostUsers ? users : [...users.slice(0, kMostUsers / 2), ...users.slice(-kMostUsers / 2)];
  const most = Math.max(...shown.map((one) => Math.abs(one.mean)), 1);
  return (
    <Table
      className="movers"
      caption={`Who moves${isCut ? `, by the first ${whole(rows.length)} jobs that do` : ''}`}
      headings={['User', ['n', 'Up'], ['n', 'Down'], ['n', 'Places a job'], ['barcell', 'Down or up']]}
    >
      {shown.map((one) => (
        <tr>
          <th scope="row">{one.user}</th>
          <td class="n">{whole(one.up)}</td>
          <td class="n">{whole(one.down)}</td>
          <td class={`n strong ${one.mean > 0 ? 'under' : 'over'}`}>
            {one.mean > 0 ? '+' : ''}
            {one.mean.toFixed(1)}
          </td>
          <td class="barcell">
            <span class="diverging" aria-hidden="true">
              <i class={one.mean > 0 ? 'up' : 'down'} style={{ width: `${(50 * Math.abs(one.mean)) / most}%` }} />
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Outcome({ answer, cluster }: { answer: Simulated; cluster?: string }) {
  const moved = answer.movedUp + answer.movedDown;
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Move up</dt>
          <dd class="under">{whole(answer.movedUp)}</dd>
        </div>
        <div>
          <dt>Move down</dt>
          <dd class="over">{whole(answer.movedDown)}</dd>
        </div>
        <div>
          <dt>Stay</dt>
          <dd>{whole(answer.unmoved)}</dd>
        </div>
      </dl>
      {answer.policyChanges.length > 0 && (
        <ul class="sentences plain">
          {answer.policyChanges.map((change) => (
            <li>
              <code>{change.parameter}</code> {change.before || 'not set'} → <b>{change.after || 'not set'}</b>
            </li>
          ))}
        </ul>
      )}
      {moved === 0 ? (
        <Empty>No job would change its place.</Empty>
      ) : answer.rows.length === 0 ? (
        <Empty>Only jobs of others would, which are not visible to you.</Empty>
      ) : (
        <>
          <section class="card" aria-label="Who moves">
            <div class="scroll" tabIndex={0} role="region" aria-label="Who moves, scrolls">
              <Users rows={answer.rows} isCut={answer.rowsTotal > answer.rows.length} />
            </div>
          </section>
          <LongTable
            label="Jobs that move"
            className="moved"
            columns={columns(cluster)}
            rows={answer.rows}
            keyOf={(row) => `${row.jobId} ${row.partition} ${row.qos}`}
          />
          {answer.rowsTotal > answer.rows.length && (
            <p class="note">
              The first {whole(answer.rows.length)} of {whole(answer.rowsTotal)} jobs that move, in the order then.
            </p>
          )}
        </>
      )}
    </>
  );
}

function Suppose({
  route,
  cluster,
  site,
  present,
  again,
}: {
  route: Route;
  cluster: string;
  site: Site;
  present: Present;
  again: () => void;
}) {
  const it = suppositionOf(route.query);
  const request = useMemo(() => requestOf(cluster, present, it), [cluster, present, route.query.toString()]);
  const { value, failure, isPending } = useLoaded(
    JSON.stringify(request),
    0,
    async (signal) => {
      const fault = faultOf(present, it);
      if (fault) throw new Failure(400, fault);
      return isEmpty(it) ? undefined : call('PriorityService/Simulate', request, signal);
    },
    true,
  );
  const plain = { cluster: route.query.get('cluster') ?? undefined };
  return (
    <div class="suppose">
      <div class="controls">
        <PolicyControls policy={present.policy} it={it} />
        <SharesControls present={present} it={it} />
        <GrantControls present={present} it={it} />
      </div>
      <div class="outcome" aria-busy={isPending}>
        <div class="heading">
          <h2>What would be</h2>
          {!isEmpty(it) && (
            <a class="quiet" href={href('whatif', '', plain)}>
              Begin again
            </a>
          )}
        </div>
        <p class="unseen" role="status">
          {isPending ? 'Computing' : 'Computed'}
        </p>
        {isEmpty(it) ? (
          <Empty>
            Change a weight, the half-life, shares or a grant: the rows that would move are then listed here. Nothing is
            changed.
          </Empty>
        ) : failure ? (
          <Failed failure={failure} />
        ) : value ? (
          <>
            <GrantEffects effects={value.grantEffects} />
            <Outcome answer={value} cluster={plain.cluster} />
            <Apply key={JSON.stringify(it)} cluster={cluster} present={present} it={it} site={site} done={again} />
            <GrantCommands cluster={plain.cluster} present={present} it={it} />
          </>
        ) : (
          <Loading what="what would be" />
        )}
      </div>
    </div>
  );
}

const kTabs = [
  ['', 'Suppose'],
  ['versions', 'Versions of the policy'],
  ['replay', 'Replay'],
] as const;

export function WhatIf({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  const present = useLoaded(cluster, 0, (signal) => loadPresent(cluster, signal));
  const tab = kTabs.find(([name]) => name === route.query.get('tab'))?.[0] ?? '';
  const to = (name: string) => href('whatif', '', { ...Object.fromEntries(route.query), tab: name || undefined });
  return (
    <section aria-labelledby="title">
      <h1 id="title">What if</h1>
      <Tabs label="What to look at" options={kTabs} chosen={tab} to={to}>
        {present.value && <span class="note">Version {present.value.policy.version} is in force</span>}
      </Tabs>
      {tab === 'replay' ? (
        <Replay route={route} />
      ) : tab === 'versions' ? (
        <Versions route={route} cluster={cluster} site={site} changed={present.again} />
      ) : present.value ? (
        <Suppose route={route} cluster={cluster} site={site} present={present.value} again={present.again} />
      ) : present.failure ? (
        <Failed failure={present.failure} again={present.again} />
      ) : (
        <Loading what="the policy" />
      )}
    </section>
  );
}
