// What a reader supposes: parameters of the policy, shares and a later time, as the address keeps them.
import type { Policy, Share } from './api';

// What holds now, which a supposition is compared with.
export interface Present {
  policy: Policy;
  accounts: Share[];
  asOf: string;
}

export interface Supposition {
  parameters: Record<string, string>;
  shares: Record<string, string>;
  later: string;
}

export const kLater: Record<string, [string, number]> = {
  '': ['now', 0],
  '6h': ['in 6 hours', 6],
  '1d': ['in a day', 24],
  '7d': ['in 7 days', 168],
  '30d': ['in 30 days', 720],
};

export function suppositionOf(query: URLSearchParams): Supposition {
  const parameters: Record<string, string> = {};
  const shares: Record<string, string> = {};
  for (const [key, value] of query) {
    if (key.startsWith('p.')) parameters[key.slice(2)] = value;
    if (key.startsWith('s.')) shares[key.slice(2)] = value;
  }
  return { parameters, shares, later: query.get('later') ?? '' };
}

export const isEmpty = (it: Supposition) =>
  !it.later && Object.keys(it.parameters).length + Object.keys(it.shares).length === 0;

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

export const requestOf = (cluster: string, policy: Policy, asOf: string, it: Supposition) => ({
  cluster,
  tracked: {},
  limit: 2000,
  movedOnly: true,
  bestOnly: true,
  view: 'RANK_VIEW_FULL',
  ...(asOf && { asOf }),
  shares: Object.entries(it.shares)
    .filter(([, value]) => value)
    .map(supposedShares),
  ...(Object.keys(it.parameters).length && { policyText: textOf(policy, it) }),
  ...(it.later && {
    later: new Date((asOf ? Date.parse(asOf) : Date.now()) + (kLater[it.later]?.[1] ?? 0) * 3600e3).toISOString(),
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
