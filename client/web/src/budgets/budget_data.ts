// Limits on usage, what is left of them, and who uses them up; amounts are TRES-minutes.
import { type Budget, type BudgetEvent, call, pages, type Share, type Snapshot, type UsageRow } from '../calls/api';
import { below } from '../shares/history_data';

// GrpTRESMins of one TRES, or GrpWall where `tres` is empty, of an account, of a user in one, or of a QOS.
export interface BudgetName {
  account: string;
  user: string;
  partition: string;
  qos: string;
  tres: string;
}
// By sacctmgr's names.
export const limitOf = (name: BudgetName) => (name.tres ? `GrpTRESMins=${name.tres}` : 'GrpWall');
// Of a grant also a sum, as `cpu=1,gres/gpu=20`, or the money of a price book, as `price/academic`.
export const isPrice = (tres: string) => tres.startsWith('price/');
export const unitOf = (tres: string) =>
  tres.includes('=') || isPrice(tres) ? `minutes of ${tres}` : tres ? `${tres}-minutes` : 'minutes';
export const ownerOf = (name: BudgetName) =>
  name.qos
    ? `QOS ${name.qos}`
    : name.user
      ? `${name.user} in ${[name.account, name.partition].filter(Boolean).join('/')}`
      : name.account;
export const keyOf = (name: BudgetName) => [name.account, name.user, name.partition, name.qos, name.tres].join(' ');
export const usedPart = (budget: { usedMinutes: number; limitMinutes: number }) =>
  budget.limitMinutes > 0 ? budget.usedMinutes / budget.limitMinutes : 1;

// Of 50, 80 and 100 %, which is reached; 0 = none.
export function reached(budget: { usedMinutes: number; limitMinutes: number }): 0 | 50 | 80 | 100 {
  const part = usedPart(budget);
  return part >= 1 ? 100 : part >= 0.8 ? 80 : part >= 0.5 ? 50 : 0;
}

// The selected owner: an account, a user in it, a QOS, or all.
export interface Scope {
  account: string;
  user: string;
  qos: string;
}
export const kWindows: Record<string, [string, number]> = {
  '1': ['a day', 1],
  '7': ['7 days', 7],
  '30': ['30 days', 30],
  '90': ['90 days', 90],
};
export const kUsualWindow = '7';
const kMostPages = 3;

export interface Answer {
  budgets: Budget[];
  snapshot: Snapshot;
  isCut: boolean;
}

export async function loadBudgets(cluster: string, filter: object, days: number, signal: AbortSignal): Promise<Answer> {
  const request = { cluster, ...filter, rateWindow: `${days * 86400}s` };
  const answer = await pages('PriorityService/ListBudgets', request, kMostPages, signal);
  return {
    budgets: answer.pages.flatMap((page) => page.budgets),
    snapshot: answer.pages[0].snapshot!,
    isCut: answer.isCut,
  };
}

const kEventsPage = 10000;

// All that are kept, newest first; `isCut` where there are more still.
export async function loadEvents(
  cluster: string,
  scope: Scope,
  signal: AbortSignal,
): Promise<{ events: BudgetEvent[]; isCut: boolean }> {
  const filter = {
    cluster,
    accounts: [scope.account].filter(Boolean),
    users: [scope.user].filter(Boolean),
    qos: [scope.qos].filter(Boolean),
    pageSize: kEventsPage,
  };
  const events: BudgetEvent[] = [];
  let more = true;
  for (let after = '0', page = 0; more && page < kMostPages; ++page) {
    const answer = await call('PriorityService/ListBudgetEvents', { ...filter, afterEventId: after }, signal);
    events.push(...answer.events);
    after = answer.lastEventId;
    more = answer.more;
  }
  return { events: events.reverse(), isCut: more };
}

// The usage of each user in the period, most first: `minutes` by TRES, wall-clock minutes under no name.
export interface Spender {
  label: string;
  account: string;
  user: string;
  jobId: string;
  minutes: Record<string, number>;
}
export interface Spending {
  spenders: Spender[];
  isCut: boolean;
}

function spenderOf(row: UsageRow): Spender {
  const minutes: Record<string, number> = { '': row.wallSeconds / 60 };
  for (const [tres, seconds] of Object.entries(row.tresSeconds)) minutes[tres] = seconds / 60;
  return {
    label: row.jobId || row.user || `${row.account} itself`,
    account: row.account,
    user: row.user,
    jobId: row.jobId,
    minutes,
  };
}

// The accounts of the tree, for what is below one and what above.
export async function loadAccounts(cluster: string, signal: AbortSignal): Promise<Share[]> {
  const answer = await pages(
    'PriorityService/ListShares',
    { cluster, accountsOnly: true, pageSize: 100000 },
    kMostPages,
    signal,
  );
  return answer.pages.flatMap((page) => page.shares);
}

// The filter of a report of usage; of users by their jobs.
export interface Whose {
  accounts: string[];
  users: string[];
  qos: string[];
}

export function whoseOf(scope: Scope, tree: Share[]): Whose {
  const accounts = scope.user ? [scope.account] : scope.account ? [...below(tree, scope.account)] : [];
  return { accounts, users: [scope.user].filter(Boolean), qos: [scope.qos].filter(Boolean) };
}

// A user's jobs; of an account or a QOS its users. `end`: until when, in milliseconds since 1970.
export async function loadSpending(
  cluster: string,
  whose: Whose,
  tres: string[],
  days: number,
  end: number,
  signal: AbortSignal,
): Promise<Spending> {
  const request = {
    cluster,
    startTime: new Date(end - days * 86400e3).toISOString(),
    endTime: new Date(end).toISOString(),
    applyUsageFactor: true,
    tres: tres.filter(Boolean),
    groupBy: [
      'REPORT_GROUPING_ACCOUNT',
      'REPORT_GROUPING_USER',
      ...(whose.users.length > 0 ? ['REPORT_GROUPING_JOB'] : []),
    ],
    ...whose,
  };
  const answer = await pages('PriorityService/ReportUsage', request, kMostPages, signal);
  return { spenders: answer.pages.flatMap((page) => page.rows).map(spenderOf), isCut: answer.isCut };
}
