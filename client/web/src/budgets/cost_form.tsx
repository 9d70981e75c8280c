// The cost of a job before it is submitted; the address holds the request.
import { read } from '../calls/api';
import { useTyped } from '../parts/filters';
import { secondsOf } from '../parts/format';
import type { Route } from '../parts/route';
import { Empty, Failed, Loading, useLoaded } from '../parts/states';
import { Cost, loadCosts } from './cost';

// The fields: the name in the address, the label, the text of an empty field, and the list that helps.
const kFields = [
  ['user', 'User', 'whose job it is'],
  ['account', 'Account', 'the default'],
  ['partition', 'Partition', 'the default', 'partitions'],
  ['jobqos', 'QOS', 'the default', 'jobqos'],
  ['nodes', 'Nodes', '1'],
  ['cpus', 'CPUs in all', '1'],
  ['mem', 'Memory in all, GiB', 'not asked for'],
  ['gpus', 'GPUs in all', 'none'],
  ['time', 'Time limit', "the partition's"],
  ['tasks', 'Array tasks', '1'],
] as const;
const kWhole = new Set(['nodes', 'cpus', 'tasks', 'gpus']);

// The fault of a field while the reader types.
function fault(name: string, text: string): string {
  if (!text) return '';
  if (name === 'time') return secondsOf(text) ? '' : 'minutes, hours:minutes:seconds or days-hours:minutes';
  if (kWhole.has(name) && !/^\d+$/.test(text)) return 'a whole number';
  if (name === 'mem' && !(Number(text) > 0)) return 'a number of GiB';
  return '';
}

function jobOf(query: URLSearchParams, user: string) {
  const given = (name: string) => query.get(name) ?? '';
  const count = (name: string) => Number(given(name)) || undefined;
  const tres = {
    ...(given('mem') && { mem: Number(given('mem')) * 1024 }),
    ...(given('gpus') && { 'gres/gpu': Number(given('gpus')) }),
  };
  return {
    jobId: 'new',
    user: given('user') || user,
    account: given('account'),
    partitions: [given('partition')].filter(Boolean),
    qos: [given('jobqos')].filter(Boolean),
    nodes: count('nodes') ?? 1,
    cpus: count('cpus') ?? 1,
    tres,
    ...(count('tasks') && { arrayTasks: count('tasks') }),
    ...(given('time') && { timeLimit: `${secondsOf(given('time'))}s` }),
  };
}

function Fields({ route, user, partitions, qos }: { route: Route; user: string; partitions: string[]; qos: string[] }) {
  const { set, shown } = useTyped(route);
  return (
    <form class="fields" aria-label="The job" onSubmit={(event) => event.preventDefault()}>
      {kFields.map(([name, label, empty, list]) => {
        const wrong = fault(name, route.query.get(name) ?? '');
        return (
          <label>
            {label}
            <input
              name={name}
              list={list}
              autocomplete="off"
              spellcheck={false}
              placeholder={name === 'user' && user ? user : empty}
              value={shown(name)}
              aria-invalid={wrong ? 'true' : undefined}
              onInput={(event) => set(name, event.currentTarget.value)}
            />
            {wrong && <span class="short">want {wrong}</span>}
          </label>
        );
      })}
      <datalist id="partitions">
        {partitions.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <datalist id="jobqos">
        {qos.map((name) => (
          <option value={name} />
        ))}
      </datalist>
    </form>
  );
}

async function namesOf(cluster: string, signal: AbortSignal) {
  const named: Record<string, string> = cluster ? { cluster } : {};
  const [partitions, qos] = await Promise.all([
    read('AdminService/ListPartitions', named, signal),
    read('AdminService/ListQos', named, signal),
  ]);
  return { partitions: partitions.partitions.map((one) => one.name), qos: qos.qos.map((one) => one.name) };
}

export function CostForm({ route, cluster, user }: { route: Route; cluster: string; user: string }) {
  const names = useLoaded(cluster, 0, (signal) => namesOf(cluster, signal));
  const job = jobOf(route.query, user);
  const isRight = !!job.user && kFields.every(([name]) => !fault(name, route.query.get(name) ?? ''));
  const request = { cluster, jobs: { jobs: [job] } };
  const { value, failure, isPending } = useLoaded(
    isRight ? JSON.stringify(request) : undefined,
    0,
    (signal) => loadCosts(request, signal),
    true,
  );
  return (
    <div class="suppose">
      <div class="controls">
        <section class="card" aria-labelledby="asked">
          <h2 id="asked">A job that asks for</h2>
          <Fields route={route} user={user} partitions={names.value?.partitions ?? []} qos={names.value?.qos ?? []} />
        </section>
      </div>
      <div class="outcome" aria-busy={isRight && isPending}>
        {!job.user ? (
          <Empty>
            Enter the user of the job: the page then shows the cost of the job if it runs until its time limit. Nothing
            is submitted.
          </Empty>
        ) : !isRight ? (
          <Empty>Something that it asks for cannot be read.</Empty>
        ) : failure ? (
          <Failed failure={failure} />
        ) : value ? (
          value.map((cost) => (
            <section class="card" aria-label="What it costs">
              <h2>
                {[
                  `${cost.user} in ${cost.account}`,
                  cost.partition && `partition ${cost.partition}`,
                  cost.qos && `QOS ${cost.qos}`,
                ]
                  .filter(Boolean)
                  .join(', ')}
              </h2>
              <Cost cost={cost} query={{ cluster: cluster || undefined }} />
            </section>
          ))
        ) : (
          <Loading what="the cost" />
        )}
      </div>
    </div>
  );
}
