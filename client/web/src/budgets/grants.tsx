// The amounts that accounts and users may use in windows of time, their rest, and the consequences of using them up.
import { useMemo } from 'preact/hooks';
import type { Grant } from '../calls/api';
import { Choices } from '../parts/choices';
import { Filters } from '../parts/filters';
import { figure, time } from '../parts/format';
import { type Column, LongTable } from '../parts/long_table';
import { href, type Route } from '../parts/route';
import type { Site } from '../parts/site';
import { Empty, Loading, Stale, useLoaded } from '../parts/states';
import { usedPart } from './budget_data';
import {
  amountIn,
  isPast,
  type Listed,
  loadListed,
  meteredOf,
  ownerText,
  settingOf,
  shortConsequence,
  stateText,
  toGrant,
  tresOf,
  windowText,
} from './grant_data';
import { GrantDetail } from './grant_detail';
import { GrantState, NoGrants } from './grant_parts';
import { Meter, MeterLegend } from './meter';

const kFilters = [
  ['user', 'User'],
  ['account', 'Account'],
] as const;
const kStates = [
  ['', 'All now'],
  ['active', 'Active'],
  ['exhausted', 'Exhausted'],
  ['begins', 'Not begun'],
  ['past', 'Past'],
] as const;
const kSorts = [
  ['', 'Fullest first'],
  ['end', 'First to end'],
  ['name', 'By name'],
] as const;

const words = (text: string | null) => (text ?? '').split(/[\s,]+/).filter(Boolean);

const isShown = (grant: Grant, state: string, users: string[]) =>
  (state === 'past'
    ? isPast(grant)
    : state === '' || stateText(grant) === (state === 'begins' ? 'not begun' : state)) &&
  (users.length === 0 || users.includes(settingOf(grant, 'User')));

// Grants without a window, or without an end, last; equal ones by the order of their creation.
function inOrder(grants: Listed[], sort: string): Listed[] {
  const fill = ({ balance }: Grant) => (balance ? usedPart(meteredOf(balance)) : -1);
  const end = ({ balance }: Grant) => (balance?.endTime ? Date.parse(balance.endTime) : Infinity);
  if (sort === 'name') return [...grants].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [...grants].sort(sort === 'end' ? (a, b) => end(a) - end(b) || 0 : (a, b) => fill(b) - fill(a));
}

const columns = (cluster: string | undefined): Column<Listed>[] => {
  const minutes = (row: Grant, name: 'grantedMinutes' | 'availableMinutes' | 'usedMinutes' | 'leftMinutes') =>
    row.balance ? amountIn(row, figure)(row.balance[name]) : '–';
  return [
    {
      name: 'Grant',
      key: 'grant',
      cell: (row) => (
        <>
          <a href={toGrant(row.name, row.domain ?? cluster)}>{row.name}</a>
          {row.domain && <span class="soft"> of domain {row.domain}</span>}
        </>
      ),
    },
    { name: 'Whose', key: 'who', cell: ownerText },
    { name: 'TRES', key: 'tres', cell: tresOf },
    { name: 'Window', key: 'window', cell: (row) => <span title={windowText(row)}>{windowText(row)}</span> },
    {
      name: 'Granted',
      key: 'granted',
      cell: (row) => minutes(row, 'grantedMinutes'),
      help: 'Minutes of the TRES, or money',
    },
    {
      name: 'Available',
      key: 'available',
      cell: (row) => minutes(row, 'availableMinutes'),
      help: 'With what was carried over, repaid and transferred',
    },
    {
      name: 'Used',
      key: 'meter',
      cell: (row) => row.balance && <Meter budget={meteredOf(row.balance, row)} beyond={row.balance.beyondMinutes} />,
    },
    { name: 'Used minutes', key: 'used', cell: (row) => minutes(row, 'usedMinutes'), help: 'Times UsageFactor' },
    { name: 'Left', key: 'left', cell: (row) => minutes(row, 'leftMinutes'), help: 'Below 0 = overdrawn' },
    { name: 'State', key: 'state', cell: (row) => <GrantState grant={row} /> },
    {
      name: 'When it is used up',
      key: 'then',
      cell: shortConsequence,
    },
  ];
};

function List({ route, cluster }: { route: Route; cluster: string }) {
  const state = route.query.get('state') ?? '';
  const sort = route.query.get('sort') ?? '';
  const user = route.query.get('user');
  const accounts = words(route.query.get('account'));
  const isLate = state === 'past';
  const { value, failure, at, again } = useLoaded(
    JSON.stringify([cluster, accounts, isLate]),
    30,
    (signal) => loadListed(cluster, accounts, isLate, signal),
    true,
  );
  const rows = useMemo(
    () =>
      inOrder(
        (value?.grants ?? []).filter((grant) => isShown(grant, state, words(user))),
        sort,
      ),
    [value, state, user, sort],
  );
  if (!value) return failure ? <NoGrants failure={failure} again={again} /> : <Loading what="the grants" />;
  const to = (name: string) => (value: string) =>
    href('grants', '', { ...Object.fromEntries(route.query), [name]: value || undefined });
  const isNarrowed = user || state || accounts.length > 0;
  return (
    <>
      <Stale since={at} failure={failure} staleFor={value.snapshot?.staleFor} />
      <div class="heading">
        <Choices label="Which" options={kStates} chosen={state} to={to('state')} />
        <Choices label="Order" options={kSorts} chosen={sort} to={to('sort')} />
      </div>
      {rows.length === 0 ? (
        <Empty>
          {isNarrowed ? (
            'No grant of these is visible to you.'
          ) : (
            <>
              No grants. <code>prioctl grant create</code> grants accounts or a user an amount of usage.
            </>
          )}
        </Empty>
      ) : (
        <>
          <MeterLegend withBeyond />
          <LongTable
            label="Grants"
            className="grants"
            columns={columns(route.query.get('cluster') ?? undefined)}
            rows={rows}
            keyOf={(row) => `${row.domain ?? ''} ${row.name}`}
          />
        </>
      )}
      <p class="note">
        Minutes of the TRES named, without decay, as of the recalculation of {time(value.snapshot?.computedAt)}.
      </p>
    </>
  );
}

export function Grants({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  if (route.id) return <GrantDetail key={route.id} route={route} cluster={cluster} site={site} />;
  return (
    <section aria-labelledby="title">
      <div class="heading">
        <h1 id="title">Grants</h1>
        <Filters label="Filter the grants" names={kFilters} route={route} />
      </div>
      <List route={route} cluster={cluster} />
    </section>
  );
}
