// The versions of the policy, what differs between any two, and how to go back to one.
import { call, type Policy, read } from '../calls/api';
import { time } from '../parts/format';
import { href, type Route } from '../parts/route';
import type { Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { Table } from '../parts/table';
import { TwoSteps, useMayApplyPolicy } from './apply';

export interface Difference {
  name: string;
  before: string;
  after: string;
  description: string;
}

export function differences(from: Policy, to: Policy): Difference[] {
  const before = new Map((from.parameters?.all ?? []).map((one) => [one.name, one]));
  const after = new Map((to.parameters?.all ?? []).map((one) => [one.name, one]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({
      name,
      before: before.get(name)?.value ?? '',
      after: after.get(name)?.value ?? '',
      description: (after.get(name) ?? before.get(name))!.description,
    }))
    .filter((one) => one.before !== one.after);
}

// Lines that only one of the texts has, as often as it has them more.
export function lines(from: string, to: string): { sign: '-' | '+'; text: string }[] {
  const only = (these: string[], those: string[]) => {
    const left = new Map<string, number>();
    for (const line of those) left.set(line, (left.get(line) ?? 0) + 1);
    return these.filter((line) => {
      const n = left.get(line) ?? 0;
      left.set(line, n - 1);
      return n <= 0 && line.trim();
    });
  };
  const [a, b] = [from.split('\n'), to.split('\n')];
  return [
    ...only(a, b).map((text) => ({ sign: '-' as const, text })),
    ...only(b, a).map((text) => ({ sign: '+' as const, text })),
  ];
}

function Diff({ cluster, from, to }: { cluster: string; from: string; to: string }) {
  const get = (version: string, signal: AbortSignal) =>
    read('AdminService/GetPolicy', { ...(cluster && { cluster }), version }, signal);
  const { value, failure, again } = useLoaded(JSON.stringify([cluster, from, to]), 0, (signal) =>
    Promise.all([get(from, signal), get(to, signal)]),
  );
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="both versions" />;
  const changed = differences(...value);
  const text = lines(value[0].text, value[1].text);
  return (
    <section class="card diff" aria-labelledby="differs">
      <h2 id="differs">
        From version {from} to {to}
      </h2>
      {changed.length === 0 ? (
        <p>The parameters mean the same.</p>
      ) : (
        <Table
          scrolls="Differences"
          headings={['Parameter', `Version ${from}`, `Version ${to}`, ['wide', 'What it says']]}
        >
          {changed.map((one) => (
            <tr>
              <th scope="row">
                <code>{one.name}</code>
              </th>
              <td>{one.before || '–'}</td>
              <td class="strong">{one.after || '–'}</td>
              <td class="wide soft">{one.description}</td>
            </tr>
          ))}
        </Table>
      )}
      {text.length > 0 && (
        <>
          <h3>Lines of the file</h3>
          <pre class="lines" tabIndex={0} role="region" aria-label="Lines that differ">
            {text.map((line) => (
              <div class={line.sign === '+' ? 'added' : 'removed'}>
                {line.sign} {line.text}
              </div>
            ))}
          </pre>
        </>
      )}
    </section>
  );
}

export function Versions({
  route,
  cluster,
  site,
  changed,
}: {
  route: Route;
  cluster: string;
  site: Site;
  changed: () => void;
}) {
  const mayApply = useMayApplyPolicy(cluster, site);
  const { value, failure, at, again } = useLoaded(cluster, 30, (signal) =>
    call('AdminService/ListPolicyVersions', { cluster, pageSize: 1000 }, signal),
  );
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="the versions" />;
  const versions = value.versions;
  if (versions.length === 0) return <Empty>This cluster has no policy yet.</Empty>;
  const to = route.query.get('to') ?? versions[0].version;
  const from = route.query.get('from') ?? versions.find((one) => Number(one.version) < Number(to))?.version ?? to;
  const query = Object.fromEntries(route.query);
  const at_ = (more: Record<string, string>) => href('whatif', '', { ...query, tab: 'versions', from, to, ...more });
  const again_ = versions.find((one) => one.version === from && one.version !== versions[0].version);
  return (
    <>
      <Stale since={at} failure={failure} />
      <section class="card" aria-label="Versions">
        <Table scrolls="Versions" className="versions" headings={[['n', 'Version'], 'Applied', 'By', 'Why', 'Compare']}>
          {versions.map((one) => (
            <tr>
              <th scope="row" class="n">
                {one.version}
              </th>
              <td class="when">{time(one.appliedAt)}</td>
              <td>{one.appliedBy.replace(/ \(.*/, '')}</td>
              <td>{one.comment || '–'}</td>
              <td class="pick">
                <a
                  href={at_({ from: one.version })}
                  aria-current={one.version === from ? 'true' : undefined}
                  aria-label={`From version ${one.version}`}
                >
                  from
                </a>{' '}
                <a
                  href={at_({ to: one.version })}
                  aria-current={one.version === to ? 'true' : undefined}
                  aria-label={`To version ${one.version}`}
                >
                  to
                </a>
              </td>
            </tr>
          ))}
        </Table>
      </section>
      <Diff cluster={cluster} from={from} to={to} />
      {mayApply && again_ && (
        <section class="card" aria-labelledby="back">
          <h2 id="back">Go back to version {from}</h2>
          <TwoSteps
            key={from}
            verb={`Make it as version ${from} was`}
            done={() => {
              again();
              changed();
            }}
            run={async (comment, validateOnly) => {
              const answer = await call('AdminService/RollbackPolicy', {
                cluster,
                version: from,
                comment,
                validateOnly,
                expectedVersion: versions[0].version,
              });
              return {
                ...answer,
                sentences: answer.created
                  ? [`A new version ${answer.policy!.version}, with the text of version ${from}`]
                  : [],
              };
            }}
          />
        </section>
      )}
    </>
  );
}
