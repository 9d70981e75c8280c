// A reader's suppositions: parameters of the policy, shares, grants and a later time, as the address keeps them.
import type { Grant, Policy, Share } from '../calls/api';

// The present values, with which a supposition is compared.
export interface Present {
  policy: Policy;
  accounts: Share[];
  grants?: Grant[]; // Not ended; undefined if the reader may not see them, or the service knows none.
  asOf: string;
}

export interface Supposition {
  parameters: Record<string, string>;
  shares: Record<string, string>;
  grants: Record<string, string>; // Their settings by name, `Amount=100h Consequence=block`.
  revoked: string[];
  transfers: Record<string, string>; // Amounts by the grants, `FROM TO`.
  later: string;
}

export const kLater: Record<string, [string, number]> = {
  '': ['now', 0],
  '6h': ['in 6 hours', 6],
  '1d': ['in a day', 24],
  '7d': ['in 7 days', 168],
  '30d': ['in 30 days', 720],
};

// The keys of the address that begin so, without that.
const beginning = (query: URLSearchParams, prefix: string): Record<string, string> =>
  Object.fromEntries(
    [...query].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]),
  );

export const suppositionOf = (query: URLSearchParams): Supposition => ({
  parameters: beginning(query, 'p.'),
  shares: beginning(query, 's.'),
  grants: beginning(query, 'g.'),
  revoked: Object.keys(beginning(query, 'r.')),
  transfers: beginning(query, 't.'),
  later: query.get('later') ?? '',
});

export const hasGrants = (it: Supposition) =>
  Object.keys(it.grants).length + it.revoked.length + Object.keys(it.transfers).length > 0;

export const isEmpty = (it: Supposition) =>
  !it.later && !hasGrants(it) && Object.keys(it.parameters).length + Object.keys(it.shares).length === 0;

const kMeta = /[.*+?^${}()|[\]\\]/g;

// The text with `name` set: in its line, what follows the value in it kept, or at the end.
function withParameter(text: string, name: string, value: string): string {
  const line = new RegExp(`^(\\s*${name.replace(kMeta, '\\$&')}\\s*=\\s*)\\S*`, 'im');
  return line.test(text)
    ? text.replace(line, (_, begin) => begin + value)
    : `${text.replace(/\n?$/, '\n')}${name}=${value}\n`;
}

export const textOf = (policy: Policy, it: Supposition) =>
  Object.entries(it.parameters).reduce((text, [name, value]) => withParameter(text, name, value), policy.text);

// `chem`, `chem/fay` or `chem/fay/gpu`.
const partsOf = (id: string) => {
  const [account, user = '', partition = ''] = id.split('/');
  return { account, user, partition };
};

const supposedShares = ([id, value]: [string, string]) => ({
  ...partsOf(id),
  ...(value === 'parent' ? { parentShares: true } : { rawShares: Number(value) }),
});

const kSetting = /^([A-Za-z]+)(\+=|-=|=)(\S*)$/;
const kOperators: Record<string, string> = { '+=': 'ADD', '-=': 'REMOVE', '=': 'SET' };
const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

function settingOf(word: string) {
  const [, name = '', operator = '=', value = ''] = word.match(kSetting) ?? [];
  return { name, operator: `SETTING_OPERATOR_${kOperators[operator]}`, value };
}

// TRES-minutes, or hours: `120000`, `2000h`.
const kAmount = /^(\d+(?:\.\d+)?)(h?)$/;

function minutesOf(text: string): number {
  const [, number = '', hours] = text.match(kAmount) ?? [];
  return number ? Number(number) * (hours ? 60 : 1) : NaN;
}

const isMoney = (present: Present, name: string) => !!present.grants?.find((grant) => grant.name === name)?.currency;

// 3600 times an amount of a currency, with all its digits: `200.5` as `721800.0`.
function secondsOf(text: string): string {
  const [whole = '', decimals = ''] = text.split('.');
  const digits = String(BigInt(whole + decimals) * 3600n).padStart(decimals.length + 1, '0');
  const point = digits.length - decimals.length;
  return decimals ? `${digits.slice(0, point)}.${digits.slice(point)}` : digits;
}

// The parts that the service could not answer, in a sentence; empty = none.
export function faultOf(present: Present, it: Supposition): string {
  for (const [name, settings] of Object.entries(it.grants)) {
    if (it.revoked.includes(name)) return `${name}: got settings of a revoked grant, want none`;
    const wrong = wordsOf(settings).find((word) => !kSetting.test(word));
    if (wrong) return `${name}: got ${wrong}, want SETTING=VALUE, such as Amount=100h`;
  }
  for (const [grants, amount] of Object.entries(it.transfers)) {
    const [from = ''] = wordsOf(grants);
    if (wordsOf(grants).length !== 2) return `transfer: got ${grants}, want two grants`;
    if (!(minutesOf(amount) > 0)) return `transfer of ${grants}: got ${amount}, want an amount, such as 200h`;
    if (isMoney(present, from) && /h/.test(amount))
      return `transfer of ${grants}: got ${amount}, want an amount of the currency, such as 200.50`;
  }
  return '';
}

const supposedGrants = (it: Supposition) => [
  ...Object.entries(it.grants).map(([name, text]) => ({ name, settings: wordsOf(text).map(settingOf) })),
  ...it.revoked.map((name) => ({ name, revoked: true })),
];

const supposedTransfer = (present: Present, grants: string, amount: string) => {
  const [from = '', to] = wordsOf(grants);
  if (!kAmount.test(amount) || !isMoney(present, from)) return { from, to, amountMinutes: minutesOf(amount) };
  return { from, to, amountTresSeconds: secondsOf(amount.replace('h', '')) };
};

export const requestOf = (cluster: string, present: Present, it: Supposition) => ({
  cluster,
  tracked: {},
  limit: 2000,
  movedOnly: true,
  bestOnly: true,
  view: 'RANK_VIEW_FULL',
  ...(present.asOf && { asOf: present.asOf }),
  shares: Object.entries(it.shares)
    .filter(([, value]) => value)
    .map(supposedShares),
  ...(Object.keys(it.grants).length + it.revoked.length && { grants: supposedGrants(it) }),
  ...(Object.keys(it.transfers).length && {
    grantTransfers: Object.entries(it.transfers).map(([grants, amount]) => supposedTransfer(present, grants, amount)),
  }),
  ...(Object.keys(it.parameters).length && { policyText: textOf(present.policy, it) }),
  ...(it.later && {
    later: new Date(
      (present.asOf ? Date.parse(present.asOf) : Date.now()) + (kLater[it.later]?.[1] ?? 0) * 3600e3,
    ).toISOString(),
  }),
});

export const sharesRequest = (cluster: string, id: string, value: string, options: object) => {
  const { account, user, partition } = partsOf(id);
  return {
    cluster,
    where: { accounts: [account], users: [user], partitions: [partition] },
    settings: [{ name: 'Fairshare', value }],
    options,
  };
};
