// The budgets of one account, user or QOS: what is left of each, who uses them up, and what was reached when.
import type { Budget, Share } from '../calls/api';
import { Choices } from '../parts/choices';
import { type Figure, Figures } from '../parts/facts';
import { figure, time } from '../parts/format';
import { LongTable } from '../parts/long_table';
import { href, type Route } from '../parts/route';
import type { Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { wayTo } from '../shares/history_data';
import {
  type Answer,
  keyOf,
  kWindows,
  limitOf,
  loadAccounts,
  loadBudgets,
  loadSpending,
  type Scope,
  unitOf,
  whoseOf,
} from './budget_data';
import { Events } from './budget_events';
import { budgetColumns, type Query, runsOut, Windows } from './budget_table';
import { Meter, MeterLegend, percentUsed } from './meter';
import { Spenders } from './spenders';

const kWall = 'wall-clock'; // Of GrpWall, which names no TRES.

const filterOf = ({ account, user, qos }: Scope) =>
  qos ? { qos: [qos] } : user ? { accounts: [account], users: [user] } : { accounts: [account], subtree: true };
const isOwn = (budget: Budget, scope: Scope) =>
  budget.account === scope.account && budget.user === scope.user && budget.qos === scope.qos;

function BudgetCard({ budget }: { budget: Budget }) {
  const rows: Figure[] = [
    ['Used, with decay', figure(budget.usedMinutes)],
    ['Running jobs may use', figure(budget.runMinutes)],
    ['Limit', figure(budget.limitMinutes)],
    ['Used a day lately', figure(budget.minutesPerDay)],
    ['Runs out', runsOut(budget)],
  ];
  return (
    <section class="card budget" aria-label={limitOf(budget)}>
      <h2>
        {limitOf(budget)}
        {budget.partition && `, partition ${budget.partition}`}
      </h2>
      <p class="left">
        <b>{figure(budget.leftMinutes)}</b> {unitOf(budget.tres)} left, {percentUsed(budget)} used
      </p>
      <Meter budget={budget} />
      <Figures rows={rows} />
    </section>
  );
}

function Crumbs({ scope, way, query }: { scope: Scope; way: string[]; query: Query }) {
  const { cluster, days } = query;
  const above = scope.user ? way : way.slice(0, -1);
  return (
    <nav class="crumbs" aria-label="Where in the tree">
      <a href={href('budgets', '', { cluster })}>Budgets</a> ›{' '}
      {above.map((account) => (
        <>
          <a href={href('budgets', account, { cluster, days })}>{account}</a> ›{' '}
        </>
      ))}
      <b>{scope.qos || scope.user || scope.account}</b>
    </nav>
  );
}

interface Props {
  route: Route;
  cluster: string;
  site: Site;
  scope: Scope;
  days: string;
}
interface Found {
  tree: Share[];
  tres: string[];
  computedAt: string;
}

function Spent({ route, cluster, site, scope, days, tree, tres, computedAt }: Props & Found) {
  const query = Object.fromEntries(route.query);
  const window = kWindows[days][1];
  const end = () => (site.isManual ? Date.parse(computedAt) : Date.now());
  const { value, failure, again } = useLoaded(
    site.isKnown ? JSON.stringify([cluster, scope, tres, days, computedAt]) : undefined,
    0,
    (signal) => loadSpending(cluster, whoseOf(scope, tree), tres, window, end(), signal),
    true,
  );
  const chosen = tres.find((one) => (one || kWall) === query.tres) ?? tres[0];
  return (
    <section class="card" aria-labelledby="spent">
      <div class="heading">
        <h2 id="spent">{scope.user ? 'What uses it up' : 'Who uses it up'}</h2>
        {tres.length > 1 && (
          <Choices
            label="Of which limit"
            options={tres.map((one) => [one, one || kWall])}
            chosen={chosen}
            to={(one) => href('budgets', route.id, { ...query, tres: one || kWall })}
          />
        )}
        <Windows route={route} days={days} />
      </div>
      {value ? (
        <Spenders spenders={value.spenders} tres={chosen} days={window} isOfUser={!!scope.user} query={query} />
      ) : failure ? (
        <Failed failure={failure} again={again} />
      ) : (
        <Loading what="who uses it up" />
      )}
      {value?.isCut && <p class="note">There are more: choose a shorter time.</p>}
      <p class="note">Without decay, with UsageFactor, over the last {kWindows[days][0]}.</p>
    </section>
  );
}

function Known(props: Props & { budgets: Answer; tree: Share[] }) {
  const { route, cluster, scope, budgets } = props;
  const query = Object.fromEntries(route.query);
  // Wall-clock time last.
  const own = budgets.budgets
    .filter((budget) => isOwn(budget, scope))
    .sort((a, b) => Number(!a.tres) - Number(!b.tres));
  const others = budgets.budgets.filter((budget) => !isOwn(budget, scope));
  const tres = [...new Set(own.map((budget) => budget.tres))];
  const where = scope.user ? 'What stands above' : 'Below it';
  return (
    <>
      {own.length === 0 ? (
        <Empty>It has no limit on usage of its own.</Empty>
      ) : (
        <>
          <MeterLegend />
          <div class="cards of-one">
            {own.map((budget) => (
              <BudgetCard budget={budget} />
            ))}
          </div>
        </>
      )}
      <Spent {...props} tres={tres.length ? tres : ['billing']} computedAt={budgets.snapshot.computedAt!} />
      {others.length > 0 && (
        <>
          <h2>{where}</h2>
          <LongTable label={where} className="budgets" columns={budgetColumns(query)} rows={others} keyOf={keyOf} />
        </>
      )}
      <h2>What was reached</h2>
      <Events cluster={cluster} scope={scope} query={query} />
      <p class="note">As of the recalculation of {time(budgets.snapshot.computedAt)}.</p>
    </>
  );
}

export function BudgetDetail(props: Props) {
  const { route, cluster, scope, days } = props;
  const budgets = useLoaded(JSON.stringify([cluster, scope, days]), 30, (signal) =>
    loadBudgets(cluster, filterOf(scope), kWindows[days][1], signal),
  );
  const tree = useLoaded(cluster, 300, (signal) =>
    scope.account ? loadAccounts(cluster, signal) : Promise.resolve([]),
  );
  const failure = budgets.failure ?? tree.failure;
  return (
    <section aria-labelledby="title">
      <Crumbs
        scope={scope}
        way={wayTo(tree.value ?? [], scope.account).map((share) => share.account)}
        query={Object.fromEntries(route.query)}
      />
      <div class="heading">
        <h1 id="title">
          Budget of {scope.qos ? `QOS ${scope.qos}` : scope.user ? `${scope.user} in ${scope.account}` : scope.account}
        </h1>
      </div>
      {!(budgets.value && tree.value) &&
        (failure ? (
          <Failed
            failure={failure}
            again={() => {
              budgets.again();
              tree.again();
            }}
          />
        ) : (
          <Loading what="the budget" />
        ))}
      {budgets.value && tree.value && (
        <>
          <Stale since={budgets.at} failure={failure} staleFor={budgets.value.snapshot.staleFor} />
          <Known {...props} budgets={budgets.value} tree={tree.value} />
        </>
      )}
    </section>
  );
}
