// The cost of a job that takes all its time: the billing arithmetic, its part of the budgets above it, its effect on
// fair-share.
import { type BudgetPart, call, type JobCost } from '../calls/api';
import { Facts } from '../parts/facts';
import { duration, figure, fixed, percent, prose } from '../parts/format';
import { Table } from '../parts/table';
import { keyOf, limitOf, ownerOf } from './budget_data';
import { type Query, toOwner } from './budget_table';
import { MeterLegend, PartMeter } from './meter';

export async function loadCosts(request: object, signal: AbortSignal): Promise<JobCost[]> {
  return (await call('PriorityService/EstimateJobCost', request, signal)).costs;
}

function Parts({ parts, query }: { parts: BudgetPart[]; query: Query }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Budgets, scrolls">
      <Table
        className="parts"
        caption="What it takes of the budgets above it, in minutes of the TRES"
        headings={['Whose', 'Limit', ['barcell', 'Used'], ['n', 'It takes'], ['n', 'Part'], ['n', 'Left then']]}
      >
        {parts.map((part) => (
          <tr key={keyOf(part.budget!)}>
            <th scope="row">
              <a href={toOwner(part.budget!, query)}>{ownerOf(part.budget!)}</a>
            </th>
            <td>{limitOf(part.budget!)}</td>
            <td class="barcell">
              <PartMeter part={part} />
            </td>
            <td class="n strong">{figure(part.jobMinutes)}</td>
            <td class="n">{percent(part.part)}</td>
            <td class={`n ${part.leftAfterMinutes < 0 ? 'short' : ''}`}>{figure(part.leftAfterMinutes)}</td>
          </tr>
        ))}
      </Table>
      <MeterLegend withJob />
    </div>
  );
}

function Terms({ cost }: { cost: JobCost }) {
  if (cost.billing!.terms.length === 0) return null;
  return (
    <Table
      className="terms"
      caption="Billing TRES"
      headings={['TRES', ['n', 'Count'], ['n', 'Weight'], ['n', 'Value'], 'Counts']}
      foot={
        <tr>
          <th scope="row" colSpan={3}>
            Billing
          </th>
          <td class="n strong">{figure(cost.billing!.billing)}</td>
          <td />
        </tr>
      }
    >
      {cost.billing!.terms.map((term) => (
        <tr class={term.counted ? '' : 'zero'}>
          <th scope="row">{term.tres}</th>
          <td class="n">{figure(term.count)}</td>
          <td class="n">{figure(term.weight)}</td>
          <td class="n">{figure(term.value)}</td>
          <td>{term.counted ? 'yes' : 'no'}</td>
        </tr>
      ))}
    </Table>
  );
}

function Held({ cost }: { cost: JobCost }) {
  return (
    <Table className="held-tres" caption="What it holds" headings={['TRES', ['n', 'Minutes'], ['n', 'Hours']]}>
      {Object.entries(cost.tresMins)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([tres, minutes]) => (
          <tr>
            <th scope="row">{tres}</th>
            <td class="n">{figure(minutes)}</td>
            <td class="n">{figure(minutes / 60)}</td>
          </tr>
        ))}
    </Table>
  );
}

export function Cost({ cost, query }: { cost: JobCost; query: Query }) {
  const each = cost.timeLimit ? '' : ' an hour';
  const facts = [
    ['Billing-hours', `${figure(cost.usage / 3600)}${each}`],
    ['Time limit', cost.timeLimit ? duration(cost.timeLimit) : 'none'],
    ['Each second', figure(cost.billing!.usagePerSecond)],
    ...(cost.billing!.usageFactor === 1 ? [] : [['UsageFactor', figure(cost.billing!.usageFactor)]]),
    ...(cost.fairShareAfter === undefined
      ? []
      : [['Fair-share after it', `${fixed(cost.fairShare, 4)} → ${fixed(cost.fairShareAfter, 4)}`]]),
  ];
  return (
    <div class="cost">
      <Facts facts={facts} />
      <ul class="sentences plain">
        {cost.sentences.map((sentence) => (
          <li>{prose(sentence)}</li>
        ))}
      </ul>
      {cost.budgets.length > 0 && <Parts parts={cost.budgets} query={query} />}
      <details class="more">
        <summary>The arithmetic</summary>
        <div class="beside">
          <Terms cost={cost} />
          <Held cost={cost} />
        </div>
      </details>
    </div>
  );
}
