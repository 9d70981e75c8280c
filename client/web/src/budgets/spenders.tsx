// The largest users of a TRES in some days.
import type { ComponentChildren } from 'preact';
import { figure, percent } from '../parts/format';
import { href } from '../parts/route';
import { BarCell, Table } from '../parts/table';
import { type Spender, unitOf } from './budget_data';
import type { Query } from './budget_table';

const kMostSpenders = 15;

// The largest users of `tres`, and the sum of all others.
function topOf(spenders: Spender[], tres: string, days: number) {
  const known = spenders
    .map((one) => ({ ...one, aDay: (one.minutes[tres] ?? 0) / days }))
    .filter((one) => one.aDay > 0)
    .sort((a, b) => b.aDay - a.aDay);
  return {
    shown: known.slice(0, kMostSpenders),
    others: known.slice(kMostSpenders),
    sum: known.reduce((sum, one) => sum + one.aDay, 0),
  };
}

export function Spenders({
  spenders,
  tres,
  days,
  isOfUser,
  query,
}: {
  spenders: Spender[];
  tres: string;
  days: number;
  isOfUser: boolean;
  query: Query;
}) {
  const { shown, others, sum } = topOf(spenders, tres, days);
  if (shown.length === 0) return <p class="note">Nothing of it was used in this time.</p>;
  const hasAccounts = !isOfUser && new Set(shown.map((one) => one.account)).size > 1;
  const link = (one: Spender) =>
    one.jobId ? (
      <a href={href('job', one.jobId, { cluster: query.cluster })}>{one.jobId}</a>
    ) : one.user ? (
      <a href={href('budgets', `${one.account}/${one.user}`, { cluster: query.cluster, days: query.days })}>
        {one.user}
      </a>
    ) : (
      one.label
    );
  const row = (name: ComponentChildren, account: string, aDay: number) => (
    <tr>
      <th scope="row">{name}</th>
      {hasAccounts && <td>{account}</td>}
      <td class="n strong">{figure(aDay)}</td>
      <td class="n">{percent(aDay / sum)}</td>
      <BarCell className="m-0" percent={(100 * aDay) / Math.max(shown[0].aDay, aDay)} />
    </tr>
  );
  return (
    <Table
      className="spenders"
      headings={[
        isOfUser ? 'Job' : 'User',
        hasAccounts && 'Account',
        ['n', `${unitOf(tres)} a day`],
        ['n', 'Part'],
        ['barcell', 'Part'],
      ]}
      foot={
        <tr>
          <th scope="row" colSpan={hasAccounts ? 2 : 1}>
            All
          </th>
          <td class="n strong">{figure(sum)}</td>
          <td class="n">{percent(1)}</td>
          <td class="barcell" />
        </tr>
      }
    >
      {shown.map((one) => row(link(one), one.account, one.aDay))}
      {others.length > 0 &&
        row(
          `${others.length} others`,
          '',
          others.reduce((all, one) => all + one.aDay, 0),
        )}
    </Table>
  );
}
