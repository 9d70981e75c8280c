// The budgets of one account, user or QOS: what is left of each, who uses them up, and what was reached when.
import type { ComponentChildren } from 'preact';
import { type Budget, type Scope, type Spender, keyOf, kWindows, limitOf, loadBudgets, loadSpending, unitOf } from './budget_data';
import { Events } from './budget_events';
import { type Query, Windows, budgetColumns, runsOut } from './budget_table';
import { figure, percent, time } from './format';
import { LongTable } from './long_table';
import { Meter, MeterLegend, percentUsed } from './meter';
import { href, type Route } from './route';
import { type Site } from './site';
import { Empty, Failed, Loading, Stale, useLoaded } from './states';

const kMostSpenders = 15;

const filterOf = ({ account, user, qos }: Scope) => (qos ? { qos: [qos] } : user ? { accounts: [account], users: [user] } : { accounts: [account], subtree: true });
const isOwn = (budget: Budget, scope: Scope) => budget.account === scope.account && budget.user === scope.user && budget.qos === scope.qos;

function BudgetCard({ budget }: { budget: Budget }) {
  const rows = [['Used, with decay', figure(budget.usedMinutes)], ['Running jobs may use', figure(budget.runMinutes)], ['Limit', figure(budget.limitMinutes)], ['Used a day lately', figure(budget.minutesPerDay)], ['Runs out', runsOut(budget)]];
  return (
    <section class="card budget" aria-label={limitOf(budget)}>
      <h2>{limitOf(budget)}{budget.partition && `, partition ${budget.partition}`}</h2>
      <p class="left"><b>{figure(budget.leftMinutes)}</b> {unitOf(budget.tres)} left, {percentUsed(budget)} used</p>
      <Meter budget={budget} />
      <dl class="figures">{rows.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </section>
  );
}

// Those who used most of `tres`, and what all others used together.
function topOf(spenders: Spender[], tres: string, days: number) {
  const known = spenders.map((one) => ({ ...one, aDay: (one.minutes[tres] ?? 0) / days })).filter((one) => one.aDay > 0).sort((a, b) => b.aDay - a.aDay);
  return { shown: known.slice(0, kMostSpenders), others: known.slice(kMostSpenders), sum: known.reduce((sum, one) => sum + one.aDay, 0) };
}

function Spenders({ spenders, tres, days, scope, query }: { spenders: Spender[]; tres: string; days: number; scope: Scope; query: Query }) {
  const { shown, others, sum } = topOf(spenders, tres, days);
  if (shown.length === 0) return <p class="note">Nothing of it was used in this time.</p>;
  const hasAccounts = !scope.user && new Set(shown.map((one) => one.account)).size > 1;
  const link = (one: Spender) => (one.jobId ? <a href={href('job', one.jobId, { cluster: query.cluster })}>{one.jobId}</a>
    : one.user ? <a href={href('budgets', `${one.account}/${one.user}`, { cluster: query.cluster, days: query.days })}>{one.user}</a> : one.label);
  const row = (name: ComponentChildren, account: string, aDay: number) => (
    <tr>
      <th scope="row">{name}</th>{hasAccounts && <td>{account}</td>}
      <td class="n strong">{figure(aDay)}</td><td class="n">{percent(aDay / sum)}</td>
      <td class="barcell"><span class="bar" aria-hidden="true"><i class="m-0" style={{ width: `${(100 * aDay) / Math.max(shown[0].aDay, aDay)}%` }} /></span></td>
    </tr>
  );
  return (
    <table class="spenders">
      <thead><tr><th scope="col">{scope.user ? 'Job' : 'User'}</th>{hasAccounts && <th scope="col">Account</th>}<th scope="col" class="n">{unitOf(tres)} a day</th><th scope="col" class="n">Part</th><th scope="col" class="barcell">Part</th></tr></thead>
      <tbody>
        {shown.map((one) => row(link(one), one.account, one.aDay))}
        {others.length > 0 && row(`${others.length} others`, '', others.reduce((all, one) => all + one.aDay, 0))}
      </tbody>
      <tfoot><tr><th scope="row" colSpan={hasAccounts ? 2 : 1}>All</th><td class="n strong">{figure(sum)}</td><td class="n">{percent(1)}</td><td class="barcell" /></tr></tfoot>
    </table>
  );
}

function Crumbs({ scope, way, query }: { scope: Scope; way: string[]; query: Query }) {
  const { cluster, days } = query;
  const above = scope.user ? way : way.slice(0, -1);
  return (
    <nav class="crumbs" aria-label="Where in the tree">
      <a href={href('budgets', '', { cluster })}>Budgets</a> › {above.map((account) => <><a href={href('budgets', account, { cluster, days })}>{account}</a> › </>)}
      <b>{scope.qos || scope.user || scope.account}</b>
    </nav>
  );
}

interface Props { route: Route; cluster: string; site: Site; scope: Scope; days: string }

function Spent({ route, cluster, site, scope, days, tres, computedAt, others }: Props & { tres: string[]; computedAt: string; others: Budget[] }) {
  const query = Object.fromEntries(route.query);
  const window = kWindows[days][1];
  const end = () => (site.isManual ? Date.parse(computedAt) : Date.now());
  const { value, failure, again } = useLoaded(site.isKnown ? JSON.stringify([cluster, scope, tres, days, computedAt]) : undefined, 0, (signal) => loadSpending(cluster, scope, tres, window, end(), signal), true);
  const chosen = tres.find((one) => one === query.tres) ?? tres[0];
  return (
    <>
      <Crumbs scope={scope} way={value?.way.map((share) => share.account) ?? [scope.account].filter(Boolean)} query={query} />
      <section class="card" aria-labelledby="spent">
        <div class="heading">
          <h2 id="spent">{scope.user ? 'What uses it up' : 'Who uses it up'}</h2>
          {tres.length > 1 && <nav class="choices" aria-label="Of which limit">{tres.map((one) => <a href={href('budgets', route.id, { ...query, tres: one })} aria-current={one === chosen ? 'true' : undefined}>{one || 'wall-clock'}</a>)}</nav>}
          <Windows route={route} days={days} />
        </div>
        {value ? <Spenders spenders={value.spenders} tres={chosen} days={window} scope={scope} query={query} /> : failure ? <Failed failure={failure} again={again} /> : <Loading what="who uses it up" />}
        <p class="note">Without decay, with UsageFactor, over the last {kWindows[days][0]}.</p>
      </section>
      {others.length > 0 && <><h2>{scope.user ? 'What stands above' : 'Below it'}</h2><LongTable label={scope.user ? 'Budgets above' : 'Budgets below'} className="budgets" columns={budgetColumns(query)} rows={others} keyOf={keyOf} /></>}
      <h2>What was reached</h2>
      <Events cluster={cluster} scope={scope} query={query} />
    </>
  );
}

export function BudgetDetail(props: Props) {
  const { cluster, scope, days } = props;
  const { value, failure, at, again } = useLoaded(JSON.stringify([cluster, scope, days]), 30, (signal) => loadBudgets(cluster, filterOf(scope), kWindows[days][1], signal));
  const own = value?.budgets.filter((budget) => isOwn(budget, scope)) ?? [];
  const tres = [...new Set(own.map((budget) => budget.tres))];
  return (
    <section aria-labelledby="title">
      <h1 id="title">Budget of {scope.qos ? `QOS ${scope.qos}` : scope.user ? `${scope.user} in ${scope.account}` : scope.account}</h1>
      {!value && (failure ? <Failed failure={failure} again={again} /> : <Loading what="the budget" />)}
      {value && <>
        <Stale since={at} failure={failure} staleFor={value.snapshot.staleFor} />
        {own.length === 0 ? <Empty>It has no limit on usage of its own.</Empty> : <><MeterLegend /><div class="cards">{own.map((budget) => <BudgetCard budget={budget} />)}</div></>}
        <Spent {...props} tres={tres.length ? tres : ['billing']} computedAt={value.snapshot.computedAt} others={value.budgets.filter((budget) => !isOwn(budget, scope))} />
        <p class="note">As of the recalculation of {time(value.snapshot.computedAt)}.</p>
      </>}
    </section>
  );
}
