// Budgets as rows, and what leads from one to its owner.
import type { Budget } from '../calls/api';
import { Choices } from '../parts/choices';
import { figure, time } from '../parts/format';
import type { Column } from '../parts/long_table';
import { href, type Route } from '../parts/route';
import { type BudgetName, kUsualWindow, kWindows, limitOf, ownerOf } from './budget_data';
import { Meter, percentUsed } from './meter';

export type Query = Record<string, string | undefined>;

// The address of the page of one budget.
export function toOwner(budget: Pick<Budget, 'account' | 'user' | 'qos'>, query: Query): string {
  const { cluster, days } = query;
  if (budget.qos) return href('budgets', '', { cluster, days, of: budget.qos });
  return href('budgets', [budget.account, budget.user].filter(Boolean).join('/'), { cluster, days });
}

export function runsOut(budget: Budget): string {
  if (budget.leftMinutes <= 0) return 'used up';
  return budget.runsOutTime ? time(budget.runsOutTime) : 'never at this rate';
}

// The limit of a budget; only the TRES if there is little room.
export const Limit = ({ of }: { of: BudgetName }) => (
  <span title={limitOf(of)}>
    {of.tres ? (
      <>
        <span class="wide">GrpTRESMins=</span>
        {of.tres}
      </>
    ) : (
      'GrpWall'
    )}
  </span>
);

export const budgetColumns = (query: Query): Column<Budget>[] => [
  { name: 'Whose', key: 'who', cell: (row) => <a href={toOwner(row, query)}>{ownerOf(row)}</a> },
  { name: 'Limit', key: 'limit', cell: (row) => <Limit of={row} /> },
  { name: 'Used', key: 'meter', cell: (row) => <Meter budget={row} /> },
  { name: 'Part', key: 'part', cell: (row) => percentUsed(row) },
  { name: 'Left', key: 'left', cell: (row) => figure(row.leftMinutes), help: 'Minutes of the TRES' },
  { name: 'Of', key: 'of', cell: (row) => figure(row.limitMinutes), help: 'The limit, in minutes of the TRES' },
  { name: 'Used minutes', key: 'used', cell: (row) => figure(row.usedMinutes), help: 'With decay' },
  { name: 'Running', key: 'running', cell: (row) => figure(row.runMinutes), help: 'What running jobs may still use' },
  { name: 'A day', key: 'day', cell: (row) => figure(row.minutesPerDay), help: 'What was used a day lately' },
  { name: 'Runs out', key: 'out', cell: (row) => runsOut(row) },
];

// The choice of the days whose usage counts for the rate.
export function Windows({ route, days }: { route: Route; days: string }) {
  const to = (name: string) =>
    href(route.view, route.id, { ...Object.fromEntries(route.query), days: name === kUsualWindow ? undefined : name });
  return (
    <Choices
      label="The rate is that of the last"
      options={Object.entries(kWindows).map(([name, [label]]) => [name, label])}
      chosen={days}
      to={to}
    />
  );
}
