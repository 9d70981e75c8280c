// The shares beside the usage, and the table that sshare prints.
import { useMemo, useRef, useState } from 'preact/hooks';
import { type ListSharesResponse, read, type Share } from '../calls/api';
import { Choices } from '../parts/choices';
import { fixed, time, whole } from '../parts/format';
import { type Column, LongTable } from '../parts/long_table';
import { href, type Route } from '../parts/route';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { ShareBoxes } from './share_boxes';
import { flat, levelText, type Node, treeOf, wayTo } from './share_data';
import { Icicle } from './share_icicle';
import { Pie } from './share_pie';

type Line = { node: Node; indent: number };
const columnsOf = (isFairTree: boolean, to: (node: Node) => string): Column<Line>[] => [
  {
    name: 'Account',
    key: 'name',
    cell: ({ node, indent }) => (
      <span style={{ paddingLeft: `${indent * 14}px` }}>
        {node.share.user ? '' : <a href={to(node)}>{node.share.account}</a>}
      </span>
    ),
  },
  { name: 'User', key: 'user', cell: ({ node }) => node.share.user },
  {
    name: 'RawShares',
    key: 'shares',
    cell: ({ node }) => (node.share.parentShares ? 'parent' : whole(node.share.rawShares)),
    help: 'Shares as assigned',
  },
  {
    name: 'NormShares',
    key: 'norm',
    cell: ({ node }) => fixed(node.share.normShares, 6),
    help: isFairTree ? 'The part of its level' : 'The part of the cluster',
  },
  {
    name: 'RawUsage',
    key: 'usage',
    cell: ({ node }) => whole(node.share.rawUsage),
    help: 'Decayed usage in billing-seconds',
  },
  {
    name: 'EffectvUsage',
    key: 'effective',
    cell: ({ node }) => fixed(node.share.effectiveUsage, 6),
    help: 'Usage as the algorithm counts it',
  },
  { name: 'FairShare', key: 'fair', cell: ({ node }) => fixed(node.share.fairShare, 6), help: 'The factor, 0 to 1' },
  ...(isFairTree
    ? [
        {
          name: 'LevelFS',
          key: 'level',
          cell: ({ node }: Line) => levelText(node.share),
          help: 'Above 1 under-served, below 1 over-served',
        },
      ]
    : []),
];

const kSmall = 2000;
const kMost = 100000;

async function all(parameters: Record<string, string>, signal: AbortSignal): Promise<ListSharesResponse> {
  let answer: ListSharesResponse | undefined;
  for (let token = ''; ; ) {
    const page = await read(
      'PriorityService/ListShares',
      { ...parameters, pageSize: String(kMost), ...(token && { pageToken: token }) },
      signal,
    );
    answer = answer ? { ...page, shares: [...answer.shares, ...page.shares] } : page;
    token = page.nextPageToken;
    if (!token) return answer;
  }
}

interface Accounts extends ListSharesResponse {
  isLarge: boolean;
}

// A tree of some size comes without its users. Once it is known to be large that is asked for at once.
async function loadTree(cluster: string, wasLarge: boolean, signal: AbortSignal): Promise<Accounts> {
  const named: Record<string, string> = cluster ? { cluster } : {};
  if (!wasLarge) {
    const small = await read('PriorityService/ListShares', { ...named, pageSize: String(kSmall) }, signal);
    if (!small.nextPageToken) return { ...small, isLarge: false };
  }
  return { ...(await all({ ...named, accountsOnly: 'true' }, signal)), isLarge: true };
}

// Of a large tree the users of the account that is looked at.
async function loadUsers(cluster: string, account: string, signal: AbortSignal): Promise<Share[]> {
  const { shares } = await all({ ...(cluster && { cluster }), accounts: account }, signal);
  return shares.filter((share) => share.user);
}

function withUsers(tree: Accounts, users: Share[] | undefined): Accounts {
  if (!users?.length) return tree;
  const place = tree.shares.findIndex((share) => !share.user && share.account === users[0].account) + 1;
  return { ...tree, shares: [...tree.shares.slice(0, place), ...users, ...tree.shares.slice(place)] };
}

function Scale() {
  return (
    <div class="scale">
      <span>over-served</span>
      {['o4', 'o3', 'o2', 'o1', 'u0', 'u1', 'u2', 'u3', 'u4'].map((name) => (
        <i class={name} aria-hidden="true" />
      ))}
      <span>under-served</span>
    </div>
  );
}

// As `prioctl shares --form` names them.
const kForms = { icicle: 'Icicle', pies: 'Pies', tree: 'Tree' };
type Form = keyof typeof kForms;
const formOf = (route: Route) =>
  (Object.keys(kForms) as Form[]).find((name) => name === route.query.get('form')) ?? 'icicle';

function Forms({ route, form }: { route: Route; form: Form }) {
  const to = (name: string) =>
    href('shares', route.id, { ...Object.fromEntries(route.query), form: name === 'icicle' ? undefined : name });
  return <Choices label="Form of the picture" options={Object.entries(kForms)} chosen={form} to={to} />;
}

const used = (node: Node) => node.used;
// The title of each side, the lengths of its parts, and their figures.
const kSides: [string, (node: Node) => number, (node: Node) => number][] = [
  ['What is allocated', (node) => node.width, (node) => node.allocated],
  ['What was used, with decay', used, used],
];

function Sides({
  chosen,
  hasUsage,
  form,
  to,
}: {
  chosen: Node;
  hasUsage: boolean;
  form: Form;
  to: (node: Node) => string;
}) {
  const Side = form === 'pies' ? Pie : Icicle;
  return (
    <div class="icicles">
      {kSides.map(([title, length, value], at) => (
        <figure class="icicle">
          <figcaption>{title}</figcaption>
          {at === 0 || hasUsage ? (
            <Side root={chosen} length={length} value={value} title={title} to={to} />
          ) : (
            <Empty>Nothing yet.</Empty>
          )}
        </figure>
      ))}
    </div>
  );
}

function Tree({ answer, route }: { answer: Accounts; route: Route }) {
  const [hides, setHides] = useState(false);
  const root = useMemo(() => treeOf(answer.shares), [answer]);
  if (!root) return <Empty>No association is visible to you here.</Empty>;
  const found = wayTo(root, route.id);
  const way = found.length ? found : [root];
  const chosen = way[way.length - 1];
  const form = formOf(route);
  const query = Object.fromEntries(route.query);
  const to = (node: Node) => href('shares', node === root ? '' : node.id, query);
  // The one that is open leads to the one above.
  const open = (node: Node) => to(node === chosen && way.length > 1 ? way[way.length - 2] : node);
  const lines = flat(chosen).filter(({ node }) => !hides || !node.share.user);
  return (
    <>
      <nav class="crumbs" aria-label="Where in the tree">
        {way.map((node, at) =>
          at === way.length - 1 ? (
            <b>{node.label}</b>
          ) : (
            <>
              <a href={to(node)}>{node.label}</a> ›{' '}
            </>
          ),
        )}
      </nav>
      <div class="heading">
        <Scale />
        <Forms route={route} form={form} />
      </div>
      {form === 'tree' ? (
        <ShareBoxes root={chosen} to={open} />
      ) : (
        <Sides chosen={chosen} hasUsage={root.used > 0} form={form} to={open} />
      )}
      {answer.isLarge && <p class="note">The tree is large: users are shown of the account that is open.</p>}
      <label class="check">
        <input type="checkbox" checked={hides} onChange={(event) => setHides(event.currentTarget.checked)} />
        Accounts only
      </label>
      <LongTable
        label="Shares"
        className="shares"
        columns={columnsOf(answer.fairShareAlgorithm === 'fair_tree', to)}
        rows={lines}
        keyOf={({ node }) => node.id}
      />
    </>
  );
}

export function Shares({ route, cluster }: { route: Route; cluster: string }) {
  const account = route.id.split('/')[0];
  const large = useRef('');
  const tree = useLoaded(
    cluster,
    15,
    (signal) => loadTree(cluster, large.current === `large ${cluster}`, signal),
    true,
  );
  const isLarge = !!tree.value?.isLarge;
  if (isLarge) large.current = `large ${cluster}`;
  const users = useLoaded(
    isLarge && account ? JSON.stringify([cluster, account]) : undefined,
    15,
    (signal) => loadUsers(cluster, account, signal),
    true,
  );
  const known = users.isPending ? undefined : users.value;
  const value = useMemo(() => tree.value && withUsers(tree.value, known), [tree.value, known]);
  return (
    <section aria-labelledby="title">
      <div class="heading">
        <h1 id="title">Shares</h1>
        {value && (
          <span class="note">
            Recalculated {time(value.snapshot!.computedAt)}, {value.fairShareAlgorithm.replace('_', ' ')}
          </span>
        )}
      </div>
      {!value && (tree.failure ? <Failed failure={tree.failure} again={tree.again} /> : <Loading what="the tree" />)}
      {value && (
        <>
          <Stale since={tree.at} failure={tree.failure ?? users.failure} staleFor={value.snapshot!.staleFor} />
          <Tree answer={value} route={route} />
        </>
      )}
    </section>
  );
}
