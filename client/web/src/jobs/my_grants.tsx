// The grants that a user's jobs are charged to: what is left of each, until when, and what happens then.

import {
  amountIn,
  type Listed,
  meteredOf,
  ownerText,
  settingOf,
  shortConsequence,
  toGrant,
  tresOf,
  windowText,
} from '../budgets/grant_data';
import { GrantState } from '../budgets/grant_parts';
import { Meter } from '../budgets/meter';
import { figure, time } from '../parts/format';
import { type Loaded, Stale } from '../parts/states';
import { Table } from '../parts/table';

function Row({ grant, cluster }: { grant: Listed; cluster: string }) {
  const { balance } = grant;
  const amount = amountIn(grant, figure);
  return (
    <tr>
      <th scope="row">
        <a href={toGrant(grant.name, grant.domain ?? (cluster || undefined))}>{grant.name}</a>{' '}
        <span class="soft">
          of {ownerText(grant)}
          {grant.domain && `, domain ${grant.domain}`}
        </span>
      </th>
      <td>
        {balance ? (
          <>
            <b>{amount(balance.leftMinutes)}</b> of {amount(balance.availableMinutes)}
          </>
        ) : (
          '–'
        )}{' '}
        <span class="soft">{grant.currency ? `by ${tresOf(grant)}` : `minutes of ${tresOf(grant)}`}</span>
      </td>
      <td class="of wide">{balance && <Meter budget={meteredOf(balance, grant)} beyond={balance.beyondMinutes} />}</td>
      <td>{balance ? windowText(grant) : `from ${time(settingOf(grant, 'Begin'))}`}</td>
      <td>
        <GrantState grant={grant} />
      </td>
      <td class="wide">{shortConsequence(grant)}</td>
    </tr>
  );
}

// `hasFailed`: what is above it has, and says so.
export function MyGrants({
  loaded,
  hasFailed,
  cluster,
}: {
  loaded: Loaded<Listed[]>;
  hasFailed: boolean;
  cluster: string;
}) {
  const { value: grants, failure, at } = loaded;
  if (grants ? !grants.length : !failure) return null;
  return (
    <section aria-labelledby="my-grants">
      <h2 id="my-grants">Grants {grants && <span class="soft">{grants.length}</span>}</h2>
      {!grants && <p class="note">{failure?.message}</p>}
      {grants && !hasFailed && <Stale since={at} failure={failure} />}
      {!!grants?.length && (
        <Table
          scrolls="Grants"
          className="charged"
          headings={['Grant', 'Left', ['of wide', 'Used'], 'Window', 'State', ['wide', 'When it is used up']]}
        >
          {grants.map((grant) => (
            <Row key={`${grant.domain ?? ''} ${grant.name}`} grant={grant} cluster={cluster} />
          ))}
        </Table>
      )}
    </section>
  );
}
