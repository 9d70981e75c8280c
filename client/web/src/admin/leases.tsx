// Settings with an end: which there are, and their end before it.
import { useState } from 'preact/hooks';
import { call, type Lease, pages } from '../calls/api';
import { time } from '../parts/format';
import { href, type Route } from '../parts/route';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { Table } from '../parts/table';
import { sentencesOf, TwoSteps } from '../whatif/apply';

const kPage = 200;
const kPast = ['LEASE_STATE_ENDED', 'LEASE_STATE_CANCELLED'];
const kStates: Record<string, string> = {
  LEASE_STATE_PENDING: 'pending',
  LEASE_STATE_ACTIVE: 'active',
  LEASE_STATE_ENDED: 'ended',
  LEASE_STATE_CANCELLED: 'cancelled',
};
const kSigns: Record<string, string> = { SETTING_OPERATOR_ADD: '+=', SETTING_OPERATOR_REMOVE: '-=' };

const settingsOf = (lease: Lease) =>
  lease.settings.map((one) => `${one.name}${kSigns[one.operator ?? ''] ?? '='}${one.value}`).join(' ');

function End({ lease, cluster, done, close }: { lease: Lease; cluster: string; done: () => void; close: () => void }) {
  const run = async (comment: string, validateOnly: boolean) => {
    const answer = await call('AdminService/EndLeases', {
      cluster,
      ids: [lease.id],
      options: { validateOnly, comment },
    });
    return { ...answer, sentences: sentencesOf(answer) };
  };
  return (
    <section class="card editor" aria-labelledby="ending">
      <div class="heading">
        <h2 id="ending">
          Lease {lease.id} of {lease.object}
        </h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
      <TwoSteps verb="End it" run={run} done={done} />
    </section>
  );
}

function Row({ lease, isChosen, choose }: { lease: Lease; isChosen: boolean; choose: () => void }) {
  const isOpen = !kPast.includes(lease.state);
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <td class="n">{lease.id}</td>
      <th scope="row">{lease.object}</th>
      <td>{settingsOf(lease)}</td>
      <td class="when">{time(lease.beginTime)}</td>
      <td class="when">{time(lease.endTime)}</td>
      <td>{kStates[lease.state] ?? lease.state}</td>
      <td title={lease.createdBy}>{lease.createdBy.replace(/ \(.*/, '')}</td>
      <td>{lease.comment || '–'}</td>
      <td class="n">
        {isOpen && (
          <button type="button" aria-label={`End lease ${lease.id} of ${lease.object}`} onClick={choose}>
            End
          </button>
        )}
      </td>
    </tr>
  );
}

export function Leases({ route, cluster }: { route: Route; cluster: string }) {
  const isPast = route.query.get('state') === 'past';
  const wanted = Math.max(1, Number(route.query.get('more') ?? 0) + 1);
  const request = { cluster, pageSize: kPage, ...(isPast && { states: kPast }) };
  const { value, failure, at, again } = useLoaded(JSON.stringify([request, wanted]), 30, (signal) =>
    pages('AdminService/ListLeases', request, wanted, signal),
  );
  const [chosen, setChosen] = useState<Lease>();
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="the leases" />;
  const leases = value.pages.flatMap((page) => page.leases);
  const query = Object.fromEntries(route.query);
  return (
    <>
      <Stale since={at} failure={failure} />
      <p class="note">
        A setting with an end: write Until when you change an account, a user or a QOS.{' '}
        <a href={href('admin', '', { ...query, more: undefined, state: isPast ? undefined : 'past' })}>
          {isPast ? 'Those that have not ended' : 'Past ones'}
        </a>
      </p>
      {leases.length === 0 ? (
        <Empty>{isPast ? 'No lease has ended.' : 'No setting has an end.'}</Empty>
      ) : (
        <section class="card" aria-label="Leases">
          <Table
            scrolls="Leases"
            className="leases"
            headings={[
              ['n', 'Lease'],
              'What',
              'Settings',
              'From',
              'Until',
              'State',
              'Who',
              'Why',
              <span class="unseen">End</span>,
            ]}
          >
            {leases.map((one) => (
              <Row key={one.id} lease={one} isChosen={one.id === chosen?.id} choose={() => setChosen(one)} />
            ))}
          </Table>
        </section>
      )}
      {value.isCut && (
        <p>
          <a class="button" href={href('admin', '', { ...query, more: String(wanted) })}>
            Older
          </a>
        </p>
      )}
      {chosen && !isPast && (
        <End key={chosen.id} lease={chosen} cluster={cluster} done={again} close={() => setChosen(undefined)} />
      )}
    </>
  );
}
