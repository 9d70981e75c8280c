// A limit on usage as a bar: what is used, what running jobs may still use, and where 50 and 80 % are.
import type { Budget, BudgetPart } from './api';
import { reached } from './budget_data';
import { figure } from './format';

// As prioctl prints it.
export const percentUsed = (budget: Pick<Budget, 'usedMinutes' | 'limitMinutes'>) =>
  budget.limitMinutes > 0 ? `${((100 * budget.usedMinutes) / budget.limitMinutes).toFixed(1)} %` : '–';

// `more`: what a job would take on top of these.
export function Meter({ budget, more = 0 }: { budget: Budget; more?: number }) {
  const all = budget.limitMinutes;
  const width = (minutes: number) => `${all > 0 ? Math.min(100, (100 * minutes) / all) : 0}%`;
  const text = `${percentUsed(budget)} used${budget.runMinutes > 0 ? `, running jobs may use ${figure(budget.runMinutes)} minutes` : ''}${more > 0 ? `, the job takes ${figure(more)}` : ''}`;
  return (
    <span class={`meter at${reached(budget)}`} role="img" aria-label={text} title={text}>
      <i class="used" style={{ width: width(all > 0 ? budget.usedMinutes : 0) }} />
      <i class="running" style={{ width: width(budget.runMinutes) }} />
      {more > 0 && <i class="more" style={{ width: width(more) }} />}
    </span>
  );
}

export const PartMeter = ({ part }: { part: BudgetPart }) => <Meter budget={part.budget!} more={part.jobMinutes} />;

export function MeterLegend({ withJob = false }: { withJob?: boolean }) {
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
      {withJob && (
        <li>
          <i class="m-more" aria-hidden="true" />
          the job takes
        </li>
      )}
    </ul>
  );
}
