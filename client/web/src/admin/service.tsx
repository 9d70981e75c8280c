// The state of the service, as `prioctl status` prints it.
import { read, type Status } from '../calls/api';
import { type Figure, Figures } from '../parts/facts';
import { duration, fixed, megabytes, prose, time, whole } from '../parts/format';
import { Failed, Loading, Stale, useLoaded } from '../parts/states';
import { Table } from '../parts/table';

function Part({ title, rows }: { title: string; rows: Figure[] }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <Figures rows={rows} />
    </section>
  );
}

function Warnings({ status }: { status: Status }) {
  if (status.warnings.length === 0) return <p class="good">Nothing is wrong.</p>;
  return (
    <ul class="warnings">
      {status.warnings.map((warning) => (
        <li class={warning.needsAction ? 'urgent' : ''}>
          <span class="tag">{warning.reason}</span> {prose(warning.text)}
        </li>
      ))}
    </ul>
  );
}

function Clusters({ status }: { status: Status }) {
  return (
    <section class="card" aria-label="Clusters">
      <Table
        scrolls="Clusters"
        caption="Clusters"
        headings={[
          'Cluster',
          ['n', 'Recalculated'],
          ['n', 'Every'],
          ['n', 'Late by'],
          ['n', 'Associations'],
          ['n', 'May start'],
          ['n', 'Cannot start'],
          ['n', 'Running'],
        ]}
      >
        {status.clusters.map((cluster) => (
          <tr>
            <th scope="row">{cluster.cluster}</th>
            <td class="n">{cluster.age ? `${duration(cluster.age)} ago` : time(cluster.computedAt)}</td>
            <td class="n">{duration(cluster.period)}</td>
            <td class="n">{duration(cluster.lateBy)}</td>
            <td class="n">{whole(cluster.associations)}</td>
            <td class="n">{whole(cluster.eligibleJobs)}</td>
            <td class="n">{whole(cluster.ineligibleJobs)}</td>
            <td class="n">{whole(cluster.runningJobs)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Replicas({ status }: { status: Status }) {
  return (
    <section class="card" aria-label="Replicas">
      <Table scrolls="Replicas" caption="Replicas" headings={['Address', 'Version', 'Part', ['n', 'Last heard']]}>
        {status.replicas.map((replica) => (
          <tr>
            <th scope="row">{replica.address}</th>
            <td>{replica.version}</td>
            <td>
              {[replica.leader && 'leads', replica.answers && 'answers this page'].filter(Boolean).join(', ') ||
                'follows'}
            </td>
            <td class="n">{duration(replica.unseenFor)} ago</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

export function Service() {
  const { value, failure, at, again } = useLoaded('status', 5, (signal) => read('AdminService/GetStatus', {}, signal));
  return (
    <section aria-labelledby="title">
      <h1 id="title">Service</h1>
      {!value && (failure ? <Failed failure={failure} again={again} /> : <Loading what="the status" />)}
      {value && (
        <>
          <Stale since={at} failure={failure} />
          <Warnings status={value} />
          <Clusters status={value} />
          <div class="cards">
            <Part
              title="This replica"
              rows={[
                ['Version', value.version],
                ['Runs for', duration(value.uptime)],
                ['Listens on', value.address],
                ['Leads', value.leader ? 'yes' : 'no'],
                ['Clock ahead of the database', duration(value.clockAhead)],
              ]}
            />
            <Part
              title="Calls"
              rows={[
                ['Per second', fixed(value.calls?.callsPerSecond, 1)],
                ['Errors per second', fixed(value.calls?.errorsPerSecond, 1)],
                ['Watches open', whole(value.calls?.watchers)],
              ]}
            />
            <Part
              title="Usage records"
              rows={[
                ['Accepted per second', fixed(value.ingest?.acceptedPerSecond, 1)],
                ['Known already per second', fixed(value.ingest?.duplicatesPerSecond, 1)],
                ['Rejected per second', fixed(value.ingest?.rejectedPerSecond, 1)],
                ['Waiting', whole(value.ingest?.waitingRecords)],
              ]}
            />
            <Part
              title="Database"
              rows={[
                ['PostgreSQL', value.database?.serverVersion || '–'],
                ['Schema', whole(value.database?.schemaVersion)],
                [
                  'Connections in use',
                  `${whole(value.database?.connectionsInUse)} of ${whole(value.database?.connections)}`,
                ],
                ['Last error', value.database?.lastError || 'none'],
              ]}
            />
            <Part
              title="Memory"
              rows={[
                ['Resident', megabytes(value.memory?.residentBytes)],
                ['Requests in progress', megabytes(value.memory?.requestBytes)],
                ['Budget of requests', megabytes(value.memory?.budgetBytes)],
              ]}
            />
          </div>
          <Replicas status={value} />
        </>
      )}
    </section>
  );
}
