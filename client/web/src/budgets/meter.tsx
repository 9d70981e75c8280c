// A limit on usage as a bar: what is used, what running jobs may still use, and where 50 and 80 % are; of a grant also what
// may be used beyond it.
import type { Budget, BudgetPart } from '../calls/api';
import { figure, money } from '../parts/format';
import { reached } from './budget_data';

// As prioctl prints it.
export const percentUsed = (budget: Pick<Budget, 'usedMinutes' | 'limitMinutes'>) =>
  budget.limitMinutes > 0 ? `${((100 * budget.usedMinutes) / budget.limitMinutes).toFixed(1)} %` : '–';

// `currency`: of money.
export type Metered = Pick<Budget, 'usedMinutes' | 'limitMinutes' | 'runMinutes'> & { currency?: string };

type Part = [kind: string, minutes: number];

// The parts for which there is room, one after the other, cut to it.
function within(all: number, parts: Part[]): Part[] {
  let room = all;
  return parts.flatMap(([kind, minutes]): Part[] => {
    const shown = Math.min(minutes, room);
    room -= Math.max(0, shown);
    return shown > 0 ? [[kind, shown]] : [];
  });
}

// `more`: what a job would take on top of these. `beyond`: what may be used beyond the limit.
export function Meter({ budget, more = 0, beyond = 0 }: { budget: Metered; more?: number; beyond?: number }) {
  const limit = Math.max(0, budget.limitMinutes);
  const all = limit + beyond;
  const width = (minutes: number) => `${all > 0 ? (100 * minutes) / all : 0}%`;
  const parts = within(all, [
    ['used', Math.min(budget.usedMinutes, limit)],
    ['excess', budget.usedMinutes - limit],
    ['running', budget.runMinutes],
    ['more', more],
  ]);
  const amount = (minutes: number) =>
    budget.currency ? money(minutes, budget.currency) : `${figure(minutes)} minutes`;
  const text = [
    `${percentUsed(budget)} used`,
    beyond > 0 && `${amount(beyond)} may be used beyond it`,
    budget.runMinutes > 0 && `running jobs may use ${amount(budget.runMinutes)}`,
    more > 0 && `the job takes ${figure(more)}`,
  ]
    .filter(Boolean)
    .join(', ');
  return (
    <span
      class={`meter at${reached(budget)}`}
      style={beyond > 0 ? { '--limit': width(limit) } : {}}
      role="img"
      aria-label={text}
      title={text}
    >
      {parts.map(([kind, minutes]) => (
        <i class={kind} style={{ width: width(minutes) }} />
      ))}
    </span>
  );
}

export const PartMeter = ({ part }: { part: BudgetPart }) => <Meter budget={part.budget!} more={part.jobMinutes} />;

export function MeterLegend({ withJob = false, withBeyond = false }: { withJob?: boolean; withBeyond?: boolean }) {
  return (
    <ul class="legend" aria-label="What the colours of the bars are">
      <li>
        <i class="m-0" aria-hidden="true" />
        used
      </li>
      <li>
        <i class="m-50" aria-hidden="true" />
        from 50 %
      </li>
      <li>
        <i class="m-80" aria-hidden="true" />
        from 80 %
      </li>
      <li>
        <i class="m-100" aria-hidden="true" />
        used up
      </li>
      <li>
        <i class="m-running" aria-hidden="true" />
        running jobs may still use
      </li>
      {withBeyond && (
        <>
          <li>
            <i class="m-beyond" aria-hidden="true" />
            may be used beyond
          </li>
          <li>
            <i class="m-excess" aria-hidden="true" />
            used beyond
          </li>
        </>
      )}
      {withJob && (
        <li>
          <i class="m-more" aria-hidden="true" />
          the job takes
        </li>
      )}
    </ul>
  );
}
