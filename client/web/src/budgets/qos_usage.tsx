// Usage and limits of QOS: what `prioctl qos-usage` prints.
import { call, type ListQosUsageResponse, type QosUsage } from '../calls/api';
import { figure, time } from '../parts/format';
import { href } from '../parts/route';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { Head } from '../parts/table';
import type { Query } from './budget_table';

// The counted TRES, then minutes used, their limit, minutes that running jobs may use, their limit, what runs, its limit.
const noTime = [undefined, undefined, undefined, undefined];

type Line = [string, ...(number | undefined)[]];

const minutes = (duration: string | undefined) =>
  duration === undefined ? undefined : Math.trunc(parseFloat(duration)) / 60;

function linesOf(answer: ListQosUsageResponse, qos: QosUsage): Line[] {
  const { tresUsage, tresRunMins, tresRunning, grpTresMins, otherLimits } = qos;
  const isShown = (tres: string) =>
    tres in tresUsage || tres in tresRunMins || tres in grpTresMins || `GrpTRES=${tres}` in otherLimits;
  return [
    ['wall', minutes(qos.wallUsage) ?? 0, minutes(qos.grpWall)],
    ['jobs', ...noTime, qos.runningJobs, otherLimits.GrpJobs],
    ['submitted', ...noTime, qos.submittedJobs, otherLimits.GrpSubmitJobs],
    ...answer.tres
      .filter(isShown)
      .map(
        (tres): Line => [
          tres,
          tres in tresUsage ? tresUsage[tres] / 60 : undefined,
          grpTresMins[tres],
          tresRunMins[tres],
          otherLimits[`GrpTRESRunMins=${tres}`],
          tresRunning[tres],
          otherLimits[`GrpTRES=${tres}`],
        ],
      ),
  ];
}

const text = (value: number | undefined) => (value === undefined ? '' : figure(value));

function Of({ answer, qos, query }: { answer: ListQosUsageResponse; qos: QosUsage; query: Query }) {
  return (
    <tbody>
      {linesOf(answer, qos).map(([what, ...values], at) => (
        <tr>
          {at === 0 && (
            <th scope="rowgroup" rowSpan={linesOf(answer, qos).length}>
              <a href={href('budgets', '', { cluster: query.cluster, of: qos.name })}>{qos.name}</a>
              {qos.usageFactor !== 1 && <div class="soft">UsageFactor {figure(qos.usageFactor)}</div>}
            </th>
          )}
          <th scope="row">{what}</th>
          {[0, 1, 2, 3, 4, 5].map((n) => (
            <td class="n">{text(values[n])}</td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

export function QosUsages({ cluster, query }: { cluster: string; query: Query }) {
  const { value, failure, at, again } = useLoaded(cluster, 30, (signal) =>
    call('PriorityService/ListQosUsage', { cluster }, signal),
  );
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="usage of QOS" />;
  return (
    <>
      <Stale since={at} failure={failure} staleFor={value.snapshot!.staleFor} />
      {value.qos.length === 0 ? (
        <Empty>This cluster has no QOS that is visible to you.</Empty>
      ) : (
        <section class="card" aria-label="Usage of QOS">
          <div class="scroll" tabIndex={0} role="region" aria-label="Usage of QOS, scrolls">
            <table class="qos-usage">
              <Head
                headings={[
                  'QOS',
                  'What',
                  ['n', 'Used minutes'],
                  ['n', 'GrpTRESMins'],
                  ['n', 'Run minutes'],
                  ['n', 'GrpTRESRunMins'],
                  ['n', 'Running'],
                  ['n', 'GrpTRES'],
                ]}
              />
              {value.qos.map((qos) => (
                <Of answer={value} qos={qos} query={query} />
              ))}
            </table>
          </div>
        </section>
      )}
      <p class="note">
        Run minutes are what running jobs may still use. Limits of wall, jobs and submitted are GrpWall, GrpJobs and
        GrpSubmitJobs. As of {time(value.snapshot!.computedAt)}.
      </p>
    </>
  );
}
