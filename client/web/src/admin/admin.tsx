// The tree and the QOS as they are set, changed in place by those who may; and who changed what.
import { useState } from 'preact/hooks';
import { type Association, call, pages, type Qos, type Share } from '../calls/api';
import { Tabs } from '../parts/choices';
import { href, type Route } from '../parts/route';
import { type Deed, may, mayChangeAll, type Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, Unknown, useLoaded } from '../parts/states';
import { Table } from '../parts/table';
import { wayTo } from '../shares/history_data';
import { Audit } from './audit';
import { Editor } from './editor';
import { leasedAs, leasedText } from './leased';
import { Leases } from './leases';

interface Level {
  account: string;
  way: Share[];
  rows: Association[];
  etag: string;
  isCut: boolean;
  mayChange: boolean;
}

const kMostRows = 5000;
const kTreeWords = [
  'Fairshare',
  'QOS',
  'DefaultQOS',
  'Priority',
  'GrpTRESMins',
  'GrpWall',
  'MaxSubmitJobs',
  'MaxJobsAccrue',
  'GrpJobsAccrue',
];
const kQosWords = [
  'Priority',
  'UsageFactor',
  'UsageThreshold',
  'GrpTRESMins',
  'GrpWall',
  'MaxSubmitJobsPerUser',
  'Preempt',
  'Flags',
];
// Texts about an account, which nothing here acts on.
const kSaid = new Set(['Description', 'Organization', 'Comment']);

async function coordinatedBy(cluster: string, user: string, signal: AbortSignal): Promise<string[]> {
  const { users } = await call('AdminService/ListUsers', { cluster, where: { names: [user] } }, signal);
  return users.flatMap((one) => one.coordinatedAccounts);
}

// A coordinator may change everything below the coordinated accounts, but not these accounts.
async function mayChangeBelow(cluster: string, way: Share[], site: Site, signal: AbortSignal): Promise<boolean> {
  if (mayChangeAll(site)) return true;
  if (!may(site, 'changeTree') || !site.user) return false;
  const hers = new Set(site.coordinates ?? (await coordinatedBy(cluster, site.user, signal)));
  return way.some((share) => hers.has(share.account));
}

async function loadLevel(cluster: string, id: string, site: Site, signal: AbortSignal): Promise<Level> {
  const tree = await pages('PriorityService/ListShares', { cluster, accountsOnly: true, pageSize: 100000 }, 2, signal);
  const accounts = tree.pages.flatMap((page) => page.shares);
  const account = id || accounts[0]?.account || 'root';
  const way = wayTo(accounts, account);
  // By the keys of what is asked for: a filter by what stands above reads the whole tree.
  const below = accounts
    .filter((row) => row.parentAccount === account)
    .slice(0, kMostRows)
    .map((row) => row.account);
  const ask = (where: object) => call('AdminService/ListAssociations', { cluster, where, pageSize: kMostRows }, signal);
  const [own, inner, mayChange] = await Promise.all([
    ask({ accounts: [account] }),
    below.length ? ask({ accounts: below, users: [''] }) : undefined,
    mayChangeBelow(cluster, way, site, signal),
  ]);
  const rows = [...(inner?.associations ?? []), ...own.associations.filter((row) => row.user)];
  return { account, way, rows, etag: own.etag, isCut: !!own.nextPageToken || !!inner?.nextPageToken, mayChange };
}

// Leased settings beside those that are set.
const limits = (row: Association | Qos, shown: string[]) => {
  const leased = (row.leased ?? []).filter((one) => !shown.includes(one.name));
  const isSet = ([name]: [string, string]) => !shown.includes(name) && !kSaid.has(name);
  return [
    ...Object.entries(row.attributes)
      .filter((one) => isSet(one) && !leased.some(({ name }) => name === one[0]))
      .map(([name, value]) => `${name}=${value}`),
    ...leased.map((one) => `${one.name}=${leasedText(one)}`),
  ].join(' ');
};

const nameOf = (row: Association) => [row.user || row.account, row.partition].filter(Boolean).join('/');
const titleOf = (row: Association) =>
  row.user
    ? `User ${row.user} in ${row.account}${row.partition ? `, partition ${row.partition}` : ''}`
    : `Account ${row.account}`;
const wordsOf = (words: string[], set: Record<string, string>) => [
  ...words,
  ...Object.keys(set).filter((name) => !words.includes(name) && !kSaid.has(name)),
];

function Tree({ route, cluster, site }: { route: Route; cluster: string; site: Site }) {
  const { value, failure, at, again } = useLoaded(
    JSON.stringify([cluster, route.id, [...site.roles], mayChangeAll(site)]),
    0,
    (signal) => loadLevel(cluster, route.id, site, signal),
    true,
  );
  const [edited, setEdited] = useState<string>();
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="the tree" />;
  const query = Object.fromEntries(route.query);
  const row = value.rows.find((one) => one.id === edited);
  const words = mayChangeAll(site) ? kTreeWords : kTreeWords.filter((name) => name !== 'Priority');
  const change = (settings: object[], options: object) =>
    call('AdminService/UpdateAssociations', {
      cluster,
      where: { accounts: [row!.account], users: [row!.user], partitions: [row!.partition] },
      settings,
      options: { ...options, etag: value.etag },
    });
  return (
    <>
      <Stale since={at} failure={failure} />
      <nav class="crumbs" aria-label="Where in the tree">
        {value.way.map((share, index) =>
          index === value.way.length - 1 ? (
            <b>{share.account}</b>
          ) : (
            <>
              <a href={href('admin', index === 0 ? '' : share.account, query)}>{share.account}</a> ›{' '}
            </>
          ),
        )}
      </nav>
      {value.rows.length === 0 && <Empty>Nothing below it is visible to you.</Empty>}
      {value.rows.length > 0 && (
        <section class="card" aria-label={`Below ${value.account}`}>
          <Table
            scrolls="Associations"
            className="associations"
            headings={[
              'Account or user',
              ['n', 'Fairshare'],
              ['wide', 'QOS'],
              'What else is set',
              value.mayChange && <span class="unseen">Change</span>,
            ]}
          >
            {value.rows.map((one) => (
              <tr class={one.id === edited ? 'chosen' : ''}>
                <th scope="row">
                  {one.user ? nameOf(one) : <a href={href('admin', one.account, query)}>{one.account}</a>}
                </th>
                <td class="n">{leasedAs(one, 'Fairshare') ?? one.attributes.Fairshare ?? '–'}</td>
                <td class="wide">
                  {leasedAs(one, 'QOS') ?? one.attributes.QOS ?? (
                    <span class="soft" title="from above">
                      {one.inherited.QOS ?? '–'}
                    </span>
                  )}
                </td>
                <td>{limits(one, ['Fairshare', 'QOS']) || <span class="soft">–</span>}</td>
                {value.mayChange && (
                  <td class="n">
                    <button type="button" aria-label={`Change ${titleOf(one)}`} onClick={() => setEdited(one.id)}>
                      Change
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </Table>
        </section>
      )}
      {value.isCut && <p class="note">The first {value.rows.length} are shown; prioctl sacctmgr knows all.</p>}
      {row && (
        <Editor
          key={row.id}
          title={titleOf(row)}
          words={wordsOf(words, row.attributes)}
          set={row.attributes}
          inherited={row.inherited}
          mayLease={may(site, 'seeLeases')}
          change={change}
          done={again}
          close={() => setEdited(undefined)}
        />
      )}
      {value.mayChange && (
        <p class="note">
          What other shares would do to the queue: <a href={href('whatif', '', { cluster: query.cluster })}>What if</a>.
        </p>
      )}
      {!value.mayChange && <p class="note">Operators change it, and coordinators what is below their accounts.</p>}
    </>
  );
}

function QosList({ cluster, site }: { cluster: string; site: Site }) {
  const { value, failure, at, again } = useLoaded(cluster, 0, (signal) =>
    call('AdminService/ListQos', { cluster }, signal),
  );
  const [edited, setEdited] = useState<string>();
  if (!value) return failure ? <Failed failure={failure} again={again} /> : <Loading what="the QOS" />;
  const mayChange = mayChangeAll(site);
  const one = value.qos.find((qos) => qos.name === edited);
  const change = (settings: object[], options: object) =>
    call('AdminService/UpdateQos', {
      cluster,
      names: [edited],
      settings,
      options: { ...options, etag: value.etag },
    });
  return (
    <>
      <Stale since={at} failure={failure} />
      {value.qos.length === 0 ? (
        <Empty>This cluster has no QOS.</Empty>
      ) : (
        <section class="card" aria-label="QOS">
          <Table
            scrolls="QOS"
            className="qos"
            headings={[
              'QOS',
              ['n', 'Priority'],
              ['n', 'UsageFactor'],
              'What else is set',
              mayChange && <span class="unseen">Change</span>,
            ]}
          >
            {value.qos.map((qos) => (
              <tr class={qos.name === edited ? 'chosen' : ''}>
                <th scope="row">{qos.name}</th>
                <td class="n">{leasedAs(qos, 'Priority') ?? qos.attributes.Priority ?? '–'}</td>
                <td class="n">{qos.attributes.UsageFactor ?? '–'}</td>
                <td>{limits(qos, ['Priority', 'UsageFactor']) || <span class="soft">–</span>}</td>
                {mayChange && (
                  <td class="n">
                    <button type="button" aria-label={`Change QOS ${qos.name}`} onClick={() => setEdited(qos.name)}>
                      Change
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </Table>
        </section>
      )}
      {one && (
        <Editor
          key={one.name}
          title={`QOS ${one.name}`}
          words={wordsOf(kQosWords, one.attributes)}
          set={one.attributes}
          inherited={{}}
          mayLease={may(site, 'seeLeases')}
          change={change}
          done={again}
          close={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

const kTabs: [string, string, Deed?][] = [
  ['', 'Accounts and users'],
  ['qos', 'QOS'],
  ['leases', 'Leases', 'seeLeases'],
  ['audit', 'Audit log', 'seeAudit'],
];

export function Admin(props: { route: Route; cluster: string; site: Site }) {
  const { route, cluster, site } = props;
  const tab = route.query.get('tab') ?? '';
  const to = (name: string) =>
    href('admin', '', { cluster: route.query.get('cluster') ?? undefined, tab: name || undefined });
  return (
    <section aria-labelledby="title">
      <h1 id="title">Administration</h1>
      <Tabs
        label="What to look at"
        options={kTabs.filter(([, , deed]) => !deed || may(site, deed))}
        chosen={tab}
        to={to}
      />
      {!site.isKnown ? (
        <Unknown what="what you may" failure={site.failure} />
      ) : tab === 'qos' ? (
        <QosList cluster={cluster} site={site} />
      ) : tab === 'leases' ? (
        <Leases route={route} cluster={cluster} />
      ) : tab === 'audit' ? (
        <Audit route={route} cluster={cluster} />
      ) : (
        <Tree {...props} />
      )}
    </section>
  );
}
