// The audit: the author, the object, the time and the comment of each change.
import { type AuditEvent, pages } from '../calls/api';
import { Filters } from '../parts/filters';
import { time } from '../parts/format';
import { href, type Route } from '../parts/route';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { Table } from '../parts/table';

const kPage = 100;
const kFilters = [
  ['by', 'Who'],
  ['action', 'Action'],
  ['object', 'What'],
] as const;

function requestOf(cluster: string, query: URLSearchParams) {
  const [action, object] = [query.get('action'), query.get('object')];
  return { cluster, pageSize: kPage, ...(action && { actions: [action] }), ...(object && { objectContains: object }) };
}

// The service wants a principal as it is written, and it is written with how it was proved: a part of it is looked for here.
const isBy = (event: AuditEvent, who: string | null) =>
  !who || event.principal.toLowerCase().includes(who.toLowerCase());

export function Audit({ route, cluster }: { route: Route; cluster: string }) {
  const request = requestOf(cluster, route.query);
  const wanted = Math.max(1, Number(route.query.get('more') ?? 0) + 1);
  const { value, failure, at, again } = useLoaded(
    JSON.stringify([request, wanted]),
    30,
    (signal) => pages('AdminService/ListAuditEvents', request, wanted, signal),
    true,
  );
  const events =
    value?.pages.flatMap((page) => page.events).filter((event) => isBy(event, route.query.get('by'))) ?? [];
  return (
    <>
      <Filters label="Filter the log" names={kFilters} route={route} />
      {!value && (failure ? <Failed failure={failure} again={again} /> : <Loading what="the log" />)}
      {value && (
        <>
          <Stale since={at} failure={failure} />
          {events.length === 0 ? (
            <Empty>Nobody has changed such a thing{value.isCut ? ' lately' : ''}.</Empty>
          ) : (
            <section class="card" aria-label="Audit log">
              <Table scrolls="Audit log" className="audit" headings={['When', 'Who', 'What', 'Before', 'After', 'Why']}>
                {events.map((event) => (
                  <tr>
                    <td class="when">{time(event.time)}</td>
                    <td title={event.principal}>{event.principal.replace(/ \(.*/, '')}</td>
                    <th scope="row">
                      <span class="tag">{event.action}</span> {event.object}
                    </th>
                    <td>{event.before || '–'}</td>
                    <td>{event.after || '–'}</td>
                    <td>{event.comment || '–'}</td>
                  </tr>
                ))}
              </Table>
            </section>
          )}
          {value.isCut && (
            <p>
              <a class="button" href={href('admin', '', { ...Object.fromEntries(route.query), more: String(wanted) })}>
                Older
              </a>
            </p>
          )}
        </>
      )}
    </>
  );
}
