// Grants of usage, what is left of them, and what happens then; amounts are TRES-minutes.
import {
  call,
  Failure,
  type Grant,
  type GrantBalance,
  type GrantStatement,
  type Share,
  type Snapshot,
} from '../calls/api';
import { hundredths, money, time } from '../parts/format';
import { href } from '../parts/route';
import { loadAccounts, loadSpending, type Spending, unitOf, whoseOf } from './budget_data';
import type { Metered } from './meter';

export const toGrant = (name: string, cluster: string | undefined) => href('grants', name, { cluster });

// Empty = the grant does not have it.
export const settingOf = (grant: Grant, name: string) => grant.attributes[name] ?? '';
export const accountsOf = (grant: Grant) => settingOf(grant, 'Accounts').split(',');
export const tresOf = (grant: Grant) => settingOf(grant, 'TRES') || 'billing';

// The TRES that a grant counts, with weights: of `cpu=1,gres/gpu=20`, or of one TRES.
export function termsOf(tres: string): [tres: string, weight: number][] {
  return tres.split(',').map((term) => {
    const [name, weight = '1'] = term.split('=');
    return [name, Number(weight)];
  });
}

export function ownerText(grant: Grant): string {
  const user = settingOf(grant, 'User');
  return user ? `${user} in ${settingOf(grant, 'Accounts')}` : settingOf(grant, 'Accounts');
}

const kStates: Record<string, string> = {
  GRANT_STATE_NOT_BEGUN: 'not begun',
  GRANT_STATE_ACTIVE: 'active',
  GRANT_STATE_EXHAUSTED: 'exhausted',
  GRANT_STATE_ENDED: 'ended',
  GRANT_STATE_REVOKED: 'revoked',
};
export const stateText = (grant: Grant) => kStates[grant.state] ?? grant.state;
export const isPast = (grant: Grant) => ['GRANT_STATE_ENDED', 'GRANT_STATE_REVOKED'].includes(grant.state);
const isOpen = (grant: Grant) => ['GRANT_STATE_ACTIVE', 'GRANT_STATE_EXHAUSTED'].includes(grant.state);
export const isRolling = (grant: Grant) => settingOf(grant, 'Window').startsWith('rolling');

// `quarter until 1 Jan 2027, 00:00`; a rolling one ends each midnight.
export function windowText(grant: Grant): string {
  const kind = settingOf(grant, 'Window') || 'fixed';
  return grant.balance?.endTime && !isRolling(grant) ? `${kind} until ${time(grant.balance.endTime)}` : kind;
}

export function shortConsequence(grant: Grant): string {
  const consequence = settingOf(grant, 'Consequence');
  const [kind = '', value = ''] = consequence.split(/:(.*)/s);
  if (kind === 'demote') return demotionText(value);
  if (kind === 'cap') return `at most ${value} running`;
  return { block: 'jobs wait', refuse: 'new jobs refused', warn: 'a warning' }[kind] ?? 'nothing';
}

function demotionText(value: string): string {
  const [factor = '', part] = value.split('=');
  if (part === undefined) return `QOS factor of ${value}`;
  if (factor === 'Band') return `priority of at most ${part}`;
  return `${part} of the points of ${factor === 'Priority' ? 'every factor' : factor}`;
}

// The consequence for the jobs of its owner when it is used up.
export function consequenceText(grant: Grant): string {
  const kind = settingOf(grant, 'Consequence').split(':')[0] ?? '';
  const plain = {
    '': 'nothing happens',
    block: 'its jobs wait',
    refuse: 'new jobs are refused',
    warn: 'explanations of its jobs say so',
  }[kind];
  if (plain) return plain;
  const short = shortConsequence(grant);
  if (kind === 'cap') return `its running jobs have ${short.replace(' running', '')}`;
  return short.startsWith('priority')
    ? `its jobs have a ${short}`
    : `its jobs have ${/^QOS/.test(short) ? 'the ' : ''}${short}`;
}

// The consequence when it is used up, and its end, in sentences. `beside`: the other grants of its owner.
export function happens(grant: Grant, beside: Grant[]): string[] {
  if (isPast(grant))
    return [`It ${stateText(grant) === 'revoked' ? 'was revoked' : 'has ended'}; its statement is kept.`];
  const begins = grant.balance ? [] : [`It begins at ${time(settingOf(grant, 'Begin'))}.`];
  const then = `${consequenceText(grant)}${untilText(grant)}.`;
  if (beside.length > 0)
    return [
      ...begins,
      `When nothing is left of it nor of the other grants of ${ownerText(grant)}, the last of them decides; by this one ${then}`,
    ];
  if (grant.state === 'GRANT_STATE_EXHAUSTED') return [`It is used up: ${then}`];
  const beyond = grant.balance?.beyondMinutes ?? 0;
  const more = amountIn(grant, (minutes) => `${hundredths(minutes)} minutes`)(beyond);
  return [...begins, `When it is used up${beyond > 0 ? `, and ${more} beyond it` : ''}, ${then}`];
}

// Until when that is so.
function untilText(grant: Grant): string {
  if (!settingOf(grant, 'Consequence')) return '';
  if (isRolling(grant)) return ', until usage has fallen out of its window or more is granted';
  return grant.balance?.endTime
    ? `, until ${time(grant.balance.endTime)} or more is granted`
    : ', until more is granted';
}

// An amount of it as text: of money in its currency, otherwise its minutes as `plain` writes them.
export const amountIn = (grant: Grant, plain: (minutes: number) => string) => (minutes: number) =>
  grant.currency ? money(minutes, grant.currency) : plain(minutes);
// The unit after such an amount.
export const unitText = (grant: Grant) => (grant.currency ? '' : ` ${unitOf(tresOf(grant))}`);

// A window as the bars show it.
export const meteredOf = (balance: GrantBalance, grant?: Grant): Metered => ({
  usedMinutes: balance.usedMinutes,
  limitMinutes: balance.availableMinutes,
  runMinutes: grant?.runningMinutes ?? 0,
  currency: grant?.currency,
});

// Whether the failure is of an older service that knows no grants, not of one that does not know this grant.
export const knowsNoGrants = (failure: Failure) => failure.isUnknownCall && failure.reason !== 'UNKNOWN_GRANT';

export async function loadGrants(cluster: string, accounts: string[], includePast: boolean, signal: AbortSignal) {
  return call('PriorityService/ListGrants', { cluster, accounts, includePast }, signal);
}

export type Listed = Grant & { domain?: string }; // Of that usage domain; undefined = of the cluster itself.

// With those of its usage domain, to which its jobs are charged too, where the reader may see them.
export async function loadListed(cluster: string, accounts: string[], includePast: boolean, signal: AbortSignal) {
  const own = await loadGrants(cluster, accounts, includePast, signal);
  const { domain } = own;
  if (!domain) return { ...own, grants: own.grants as Listed[] };
  const all = await loadGrants(domain, accounts, includePast, signal).catch((error) => {
    if (error instanceof Failure && (error.isRefused || error.status === 404)) return { grants: [] };
    throw error;
  });
  return { ...own, grants: [...own.grants, ...all.grants.map((grant) => ({ ...grant, domain }))] as Listed[] };
}

// Another grant of the same accounts or user and TRES: the two are used one after the other.
const isBeside = (one: Grant, other: Grant) =>
  one.name !== other.name && isOpen(one) && ownerText(one) === ownerText(other) && tresOf(one) === tresOf(other);

export interface Statement {
  grant: Grant;
  windows: GrantBalance[];
  snapshot: Snapshot;
  beside: Grant[];
  tree: Share[];
}

export async function loadStatement(cluster: string, name: string, signal: AbortSignal): Promise<Statement> {
  const { grant, windows, snapshot } = (await call(
    'PriorityService/GetGrantStatement',
    { cluster, name },
    signal,
  )) as GrantStatement & { grant: Grant; snapshot: Snapshot };
  const [others, tree] = await Promise.all([
    loadGrants(cluster, accountsOf(grant), false, signal),
    loadAccounts(cluster, signal),
  ]);
  return { grant, windows, snapshot, beside: others.grants.filter((one) => isBeside(one, grant)), tree };
}

// The usage of the owner in `days` before `end`, in milliseconds since 1970; also of the sum that the grant counts.
export async function loadUse(
  cluster: string,
  { grant, tree }: Statement,
  days: number,
  end: number,
  signal: AbortSignal,
): Promise<Spending> {
  const user = settingOf(grant, 'User');
  const all = accountsOf(grant).map((account) => whoseOf({ account, user, qos: '' }, tree));
  const accounts = [...new Set(all.flatMap((whose) => whose.accounts))];
  const terms = termsOf(tresOf(grant));
  const names = terms.map(([tres]) => tres);
  const { spenders, isCut } = await loadSpending(cluster, { ...all[0], accounts }, names, days, end, signal);
  const sum = (minutes: Record<string, number>) =>
    terms.reduce((all, [tres, weight]) => all + weight * (minutes[tres] ?? 0), 0);
  return {
    spenders: spenders.map((one) => ({ ...one, minutes: { ...one.minutes, [tresOf(grant)]: sum(one.minutes) } })),
    isCut,
  };
}

// The time at which an amount is used up at a rate, in seconds since 1970; undefined where it lasts to the end of the
// window.
export function usedUpAt(minutes: number, perDay: number, balance: GrantBalance, from: string): number | undefined {
  const at = Date.parse(from) / 1000 + (minutes / perDay) * 86400;
  return balance.endTime && at >= Date.parse(balance.endTime) / 1000 ? undefined : at;
}

// The totals of a statement. The available and the left amount have none: they are carried over, and are then in two
// windows.
export function sumOf(windows: GrantBalance[]) {
  const sum = (name: 'grantedMinutes' | 'carriedMinutes' | 'repaidMinutes' | 'transferredMinutes' | 'usedMinutes') =>
    windows.reduce((all, window) => all + window[name], 0);
  return [
    sum('grantedMinutes'),
    sum('carriedMinutes'),
    sum('repaidMinutes'),
    sum('transferredMinutes'),
    undefined,
    sum('usedMinutes'),
  ] as const;
}
