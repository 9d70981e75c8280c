// The data of the history view, and the lines of its plots.
import { type AuditEvent, call, type Policy, pages, type Sample, type Share, type UsageRow } from '../calls/api';
import { kMostLines, type Line, type Mark } from '../parts/plot';

export const kPeriods: Record<string, [string, number]> = {
  '1d': ['a day', 1],
  '7d': ['7 days', 7],
  '30d': ['30 days', 30],
  '90d': ['90 days', 90],
  '1y': ['a year', 366],
};
export const kUsual = '30d';
const kMostPages = 4;
const kMostRows = 100000;
const kDay = 86400;
const kHour = 3600; // Usage is shown in billing-hours.

export interface Change {
  at: number;
  time: string;
  what: string;
  who: string;
  why: string;
}
export interface Member {
  id: string;
  label: string;
  account: string;
  user: string;
  accounts: Set<string>;
  usage: number;
}
// Usage in billing-hours.
export interface Series {
  times: number[];
  fairShare: Line[];
  decayed: Line[];
}
export interface Spent {
  times: number[];
  lines: Line[];
}
export interface Past {
  way: Share[];
  members: Member[];
  others: number;
  series: Series;
  spent: Spent;
  isHourly: boolean;
  isFairTree: boolean;
  changes: Change[];
  showsResets: boolean;
  range: [number, number];
  isCut: boolean;
}

const seconds = (iso: string) => Date.parse(iso) / 1000;
const idOf = (row: { account: string; user: string; partition?: string }) =>
  [row.account, row.user, row.partition].filter(Boolean).join('/');

// An account and all accounts below it.
export function below(accounts: Share[], account: string): Set<string> {
  const all = new Set([account]);
  // The rows come with parents first.
  for (const row of accounts) if (all.has(row.parentAccount)) all.add(row.account);
  return all;
}

export function wayTo(accounts: Share[], account: string): Share[] {
  const row = accounts.find((one) => one.account === account);
  return row ? [...(row.parentAccount ? wayTo(accounts, row.parentAccount) : []), row] : [];
}

// The members directly below an account, most used first; or one user alone.
function membersOf(accounts: Share[], users: Share[], account: string, user: string): Member[] {
  const ofUser = (row: Share): Member => ({
    id: idOf(row),
    label: idOf({ ...row, account: '' }),
    account: row.account,
    user: row.user,
    accounts: new Set([row.account]),
    usage: row.rawUsage,
  });
  if (user) return users.filter((row) => row.user === user).map(ofUser);
  const inner = accounts
    .filter((row) => row.parentAccount === account)
    .map(
      (row): Member => ({
        id: row.account,
        label: row.account,
        account: row.account,
        user: '',
        accounts: below(accounts, row.account),
        usage: row.rawUsage,
      }),
    );
  // Beside accounts a user who has used nothing is of no interest.
  const beside = users.filter((row) => inner.length === 0 || row.rawUsage > 0);
  return [...inner, ...beside.map(ofUser)].sort((a, b) => b.usage - a.usage);
}

// Samples are aligned by their times, which all associations of a recalculation share.
export function seriesOf(samples: Sample[], members: Member[]): Series {
  const times = [...new Set(samples.map((sample) => seconds(sample.sampledAt!)))].sort((a, b) => a - b);
  const place = new Map(times.map((time, at) => [time, at]));
  const lines = (member: Member, colour: number): [string, Line] => [
    member.id,
    { label: member.label, colour, values: times.map(() => null) },
  ];
  const fairShare = new Map(members.map(lines));
  const decayed = new Map(members.map(lines));
  for (const sample of samples) {
    const at = place.get(seconds(sample.sampledAt!))!;
    const id = idOf(sample);
    if (!decayed.has(id)) continue;
    decayed.get(id)!.values[at] = sample.rawUsage / kHour;
    fairShare.get(id)!.values[at] = sample.fairShare ?? null;
  }
  return {
    times,
    decayed: [...decayed.values()],
    fairShare: [...fairShare.values()].filter((line) => line.values.some((value) => value !== null)),
  };
}

export function spentOf(rows: UsageRow[], members: Member[]): Spent {
  const times = [...new Set(rows.map((row) => seconds(row.startTime!)))].sort((a, b) => a - b);
  const place = new Map(times.map((time, at) => [time, at]));
  const lines = members.map((member, colour) => ({ label: member.label, colour, values: times.map(() => 0) }));
  for (const row of rows) {
    const index = members.findIndex(
      (member) => member.accounts.has(row.account) && (!member.user || member.user === row.user),
    );
    if (index >= 0) lines[index].values[place.get(seconds(row.startTime!))!] += (row.tresSeconds.billing ?? 0) / kHour;
  }
  return { times, lines };
}

// A reset says itself since when usage counts no more: on a manual clock that is not when it was made.
const resetAt = (event: AuditEvent) => / at (\S+)$/.exec(event.after)?.[1] ?? event.time!;

function changesOf(versions: Policy[], events: AuditEvent[], [from, to]: [number, number]): Change[] {
  const said = new Map(
    events.map((event) => [
      /policy version (\d+)/.exec(event.after)?.[1] ?? '',
      event.after.replace(/^policy version \d+ ?/, ''),
    ]),
  );
  const all = [
    ...versions.map(
      (version): Change => ({
        at: seconds(version.appliedAt!),
        time: version.appliedAt!,
        what: `Policy version ${version.version}${said.get(version.version) ? `: ${said.get(version.version)}` : ''}`,
        who: version.appliedBy,
        why: version.comment,
      }),
    ),
    ...events
      .filter((event) => event.action === 'ResetUsage')
      .map(
        (event): Change => ({
          at: seconds(resetAt(event)),
          time: resetAt(event),
          what: `Usage reset of ${event.object}`,
          who: event.principal,
          why: event.comment,
        }),
      ),
  ];
  return all.filter((change) => change.at >= from && change.at <= to).sort((a, b) => a.at - b.at);
}

export const marksOf = (changes: Change[]): Mark[] =>
  changes.map((change, at) => ({ at: change.at, label: String(at + 1) }));

async function samples(
  cluster: string,
  account: string,
  members: Member[],
  from: number,
  signal: AbortSignal,
): Promise<{ samples: Sample[]; isCut: boolean }> {
  const request = { cluster, startTime: new Date(from * 1000).toISOString(), pageSize: kMostRows };
  const ask = (more: object) => pages('PriorityService/ListShareHistory', { ...request, ...more }, kMostPages, signal);
  const accounts = members.filter((member) => !member.user).map((member) => member.account);
  const users = members.filter((member) => member.user).map((member) => member.user);
  const answers = await Promise.all([
    ...(accounts.length ? [ask({ accounts, accountsOnly: true })] : []),
    ...(users.length ? [ask({ accounts: [account], users })] : []),
  ]);
  return {
    samples: answers.flatMap((answer) => answer.pages.flatMap((page) => page.samples)),
    isCut: answers.some((answer) => answer.isCut),
  };
}

async function spent(
  cluster: string,
  members: Member[],
  [from, to]: [number, number],
  isHourly: boolean,
  signal: AbortSignal,
) {
  const request = {
    cluster,
    startTime: new Date(from * 1000).toISOString(),
    endTime: new Date(to * 1000).toISOString(),
    bucket: isHourly ? 'REPORT_BUCKET_HOUR' : 'REPORT_BUCKET_DAY',
    tres: ['billing'],
    applyUsageFactor: true,
    pageSize: kMostRows,
    groupBy: ['REPORT_GROUPING_ACCOUNT', ...(members.some((member) => member.user) ? ['REPORT_GROUPING_USER'] : [])],
    accounts: [...new Set(members.flatMap((member) => [...member.accounts]))],
  };
  const answer = await pages('PriorityService/ReportUsage', request, kMostPages, signal);
  return {
    spent: spentOf(
      answer.pages.flatMap((page) => page.rows),
      members,
    ),
    isCut: answer.isCut,
  };
}

async function changes(
  cluster: string,
  showsResets: boolean,
  range: [number, number],
  signal: AbortSignal,
): Promise<Change[]> {
  const versions = call('AdminService/ListPolicyVersions', { cluster, pageSize: 1000 }, signal);
  const events = showsResets
    ? call(
        'AdminService/ListAuditEvents',
        { cluster, pageSize: 1000, actions: ['ResetUsage', 'ApplyPolicy', 'RollbackPolicy'] },
        signal,
      )
    : Promise.resolve({ events: [] });
  const [told, made] = await Promise.all([versions, events]);
  return changesOf(told.versions, made.events, range);
}

export async function loadPast(
  cluster: string,
  id: string,
  period: string,
  showsResets: boolean,
  signal: AbortSignal,
): Promise<Past> {
  const tree = await pages(
    'PriorityService/ListShares',
    { cluster, accountsOnly: true, pageSize: kMostRows },
    kMostPages,
    signal,
  );
  const accounts = tree.pages.flatMap((page) => page.shares);
  const [account, user = ''] = id ? id.split('/') : [accounts[0]?.account ?? 'root'];
  const users = await pages(
    'PriorityService/ListShares',
    { cluster, accounts: [account], pageSize: kMostRows },
    kMostPages,
    signal,
  );
  const all = membersOf(
    accounts,
    users.pages.flatMap((page) => page.shares).filter((row) => row.user),
    account,
    user,
  );
  const members = all.slice(0, kMostLines);
  const days = (kPeriods[period] ?? kPeriods[kUsual])[1];
  const to = seconds(tree.pages[0].snapshot!.computedAt!);
  const range: [number, number] = [to - days * kDay, to];
  const isHourly = days <= 2;
  const [kept, used, changed] = await Promise.all([
    samples(cluster, account, members, range[0], signal),
    spent(cluster, members, range, isHourly, signal),
    changes(cluster, showsResets, range, signal),
  ]);
  const series = seriesOf(kept.samples, members);
  const first = Math.min(series.times[0] ?? Infinity, used.spent.times[0] ?? Infinity);
  return {
    way: wayTo(accounts, account),
    members,
    others: all.length - members.length,
    series,
    spent: used.spent,
    isHourly,
    isFairTree: tree.pages[0].fairShareAlgorithm === 'fair_tree',
    changes: changed,
    showsResets,
    range: [Math.min(Math.max(range[0], first), to - kHour), to],
    isCut: kept.isCut || used.isCut,
  };
}
