// The rest of the limits on usage, the time at which they run out at this rate, and their largest users.

import { useMemo } from 'preact/hooks';
import type { Budget } from '../calls/api';
import { Choices, Tabs } from '../parts/choices';
import { Filters } from '../parts/filters';
import { time } from '../parts/format';
import { LongTable } from '../parts/long_table';
import { href, type Route } from '../parts/route';
import type { Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { keyOf, kUsualWindow, kWindows, loadBudgets, type Scope, usedPart } from './budget_data';
import { BudgetDetail } from './budget_detail';
import { Events } from './budget_events';
import { budgetColumns, Windows } from './budget_table';
import { CostForm } from './cost_form';
import { MeterLegend } from './meter';
import { QosUsages } from './qos_usage';

const kFilters = [
  ['user', 'User'],
  ['account', 'Account'],
  ['qos', 'QOS'],
] as const;
const kTabs = [
  ['', 'What is left'],
  ['events', 'What was reached'],
  ['qos', 'Usage of QOS'],
  ['cost', 'What a job costs'],
] as const;

const words = (text: string | null) => (text ?? '').split(/[\s,]+/).filter(Boolean);

// The fullest first, or in the order of the service.
function inOrder(budgets: Budget[], sort: string): Budget[] {
  if (sort === 'name') return budgets;
  const soon = (one: Budget) => (one.leftMinutes <= 0 ? 0 : one.runsOutTime ? Date.parse(one.runsOutTime) : Infinity);
  const before =
    sort === 'out' ? (a: Budget, b: Budget) => soon(a) - soon(b) : (a: Budget, b: Budget) => usedPart(b) - usedPart(a);
  return [...budgets].sort((a, b) => before(a, b) || 0);
}

const kSorts = [
  ['', 'Fullest first'],
  ['out', 'First to run out'],
  ['name', 'By name'],
] as const;

function List({ route, cluster, days }: { route: Route; cluster: string; days: string }) {
  const query = Object.fromEntries(route.query);
  const accounts = words(route.query.get('account'));
  const filter = {
    users: words(route.query.get('user')),
    accounts,
    qos: words(route.query.get('qos')),
    subtree: accounts.length > 0,
  };
  const { value, failure, at, again } = useLoaded(
    JSON.stringify([cluster, filter, days]),
    30,
    (signal) => loadBudgets(cluster, filter, kWindows[days][1], signal),
    true,
  );
  const sort = route.query.get('sort') ?? '';
  const rows = useMemo(() => inOrder(value?.budgets ?? [], sort), [value, sort]);
  const isFiltered = kFilters.some(([name]) => route.query.get(name));
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="the budgets" />;
  return (
    <>
      <Stale since={at} failure={failure} staleFor={value.snapshot.staleFor} />
      <div class="heading">
        <Choices
          label="Order"
          options={kSorts}
          chosen={sort}
          to={(name) => href('budgets', '', { ...query, sort: name || undefined })}
        />
        <Windows route={route} days={days} />
      </div>
      {rows.length === 0 ? (
        <Empty>
          {isFiltered
            ? 'None of these has a limit on usage that is visible to you.'
            : 'Nothing here has a limit on usage. GrpTRESMins and GrpWall of accounts, users and QOS are budgets.'}
        </Empty>
      ) : (
        <>
          <MeterLegend />
          <LongTable label="Budgets" className="budgets" columns={budgetColumns(query)} rows={rows} keyOf={keyOf} />
        </>
      )}
      {value.isCut && <p class="note">There are more: filter by account.</p>}
      <p class="note">
        Minutes of the TRES named, with decay, as of the recalculation of {time(value.snapshot.computedAt)}; the rate is
        that of the last {kWindows[days][0]}.
      </p>
    </>
  );
}

// `chem`, `chem/fay`, or a QOS by `of`.
function scopeOf(route: Route): Scope | undefined {
  const [account = '', user = ''] = route.id.split('/');
  const qos = account ? '' : (route.query.get('of') ?? '');
  return account || qos ? { account, user, qos } : undefined;
}

export function Budgets({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  const days = kWindows[route.query.get('days') ?? ''] ? route.query.get('days')! : kUsualWindow;
  const scope = scopeOf(route);
  if (scope) return <BudgetDetail route={route} cluster={cluster} site={site} scope={scope} days={days} />;
  const tab = route.query.get('tab') ?? '';
  const to = (name: string) =>
    href('budgets', '', { cluster: route.query.get('cluster') ?? undefined, tab: name || undefined });
  return (
    <section aria-labelledby="title">
      <div class="heading">
        <h1 id="title">Budgets</h1>
        {tab === '' && <Filters label="Filter the budgets" names={kFilters} route={route} />}
      </div>
      <Tabs label="What to look at" options={kTabs} chosen={tab} to={to} />
      {tab === 'events' ? (
        <Events cluster={cluster} scope={{ account: '', user: '', qos: '' }} query={Object.fromEntries(route.query)} />
      ) : tab === 'qos' ? (
        <QosUsages cluster={cluster} query={Object.fromEntries(route.query)} />
      ) : tab === 'cost' ? (
        <CostForm route={route} cluster={cluster} user={site.user} />
      ) : (
        <List route={route} cluster={cluster} days={days} />
      )}
    </section>
  );
}
