// The events of usage that reached 50, 80 or 100 % of a budget or of a grant, newest first.
import type { BudgetEvent } from '../calls/api';
import { figure, moment, money, time } from '../parts/format';
import { type Column, LongTable } from '../parts/long_table';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { loadEvents, ownerOf, type Scope } from './budget_data';
import { Limit, type Query, toOwner } from './budget_table';
import { toGrant } from './grant_data';

const amount = (row: BudgetEvent, minutes: number) => (row.currency ? money(minutes, row.currency) : figure(minutes));

const columns = (query: Query): Column<BudgetEvent>[] => [
  {
    name: 'When',
    key: 'when',
    cell: (row) => <span title={time(row.reachedTime)}>{moment(Date.parse(row.reachedTime!) / 1000)}</span>,
  },
  { name: 'Reached', key: 'reached', cell: (row) => <span class={`tag r${row.percent}`}>{row.percent} %</span> },
  {
    name: 'Whose',
    key: 'who',
    cell: (row) => (row.grant ? ownerOf(row) : <a href={toOwner(row, query)}>{ownerOf(row)}</a>),
  },
  {
    name: 'Limit',
    key: 'limit',
    cell: (row) => (row.grant ? <a href={toGrant(row.grant, query.cluster)}>grant {row.grant}</a> : <Limit of={row} />),
  },
  { name: 'Used', key: 'used', cell: (row) => amount(row, row.usedMinutes), help: 'Minutes, or money, as it was' },
  { name: 'Of', key: 'of', cell: (row) => amount(row, row.limitMinutes), help: 'The limit, as it was' },
];

export function Events({ cluster, scope, query }: { cluster: string; scope: Scope; query: Query }) {
  const { value, failure, at, again } = useLoaded(JSON.stringify([cluster, scope]), 30, (signal) =>
    loadEvents(cluster, scope, signal),
  );
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="the events" />;
  return (
    <>
      <Stale since={at} failure={failure} />
      {value.events.length === 0 ? (
        <Empty>No budget or grant has reached 50, 80 or 100 % in the time that is kept.</Empty>
      ) : (
        <LongTable
          label="Thresholds reached"
          className="events"
          columns={columns(query)}
          rows={value.events}
          keyOf={(row) => row.eventId}
        />
      )}
      {value.isCut && (
        <p class="note">
          There are more; <code>prioctl budget events</code> prints all.
        </p>
      )}
    </>
  );
}
