// Who gets what: the allocation beside the usage, and the table that sshare prints.
import { type HierarchyRectangularNode, hierarchy, partition } from 'd3-hierarchy';
import { useMemo, useRef, useState } from 'preact/hooks';
import { type ListSharesResponse, read, type Share } from './api';
import { fixed, levelFs, percent, time, whole } from './format';
import { type Column, LongTable } from './long_table';
import { go, href, type Route } from './route';
import { Empty, Failed, Loading, Stale, useLoaded } from './states';

export interface Node {
  share: Share;
  id: string;
  label: string;
  allocated: number;
  used: number;
  children: Node[];
  depth: number;
}

const idOf = (share: Share) => [share.account, share.user, share.partition].filter(Boolean).join('/');

// The rows come in sshare's order: an account, its users, then its accounts.
export function treeOf(shares: Share[]): Node | undefined {
  const accounts = new Map<string, Node>();
  let root: Node | undefined;
  for (const share of shares) {
    const node: Node = {
      share,
      id: idOf(share),
      label: share.user || share.account,
      allocated: 0,
      used: share.rawUsage,
      children: [],
      depth: share.depth,
    };
    const parent = share.user ? accounts.get(share.account) : accounts.get(share.parentAccount);
    if (!share.user) accounts.set(share.account, node);
    if (!parent) root ??= node;
    parent?.children.push(node);
  }
  if (root) allocate(root, 1);
  return root;
}

// Shares are parts of a level; an association with `parent` shares takes no part in it by itself.
function allocate(node: Node, allocated: number) {
  node.allocated = allocated;
  const sum = node.children.reduce((all, child) => all + (child.share.rawShares ?? 0), 0);
  for (const child of node.children) {
    const equal = allocated / node.children.length;
    allocate(child, sum > 0 ? (allocated * (child.share.rawShares ?? 0)) / sum : equal);
  }
}

function find(node: Node, id: string): Node | undefined {
  if (node.id === id) return node;
  for (const child of node.children) {
    const found = find(child, id);
    if (found) return found;
  }
  return undefined;
}

function wayTo(node: Node, id: string): Node[] {
  if (node.id === id) return [node];
  for (const child of node.children) {
    const way = wayTo(child, id);
    if (way.length) return [node, ...way];
  }
  return [];
}

// From -1, has used far more than its share, to 1, far less.
export function service(node: Node, usage: number): number {
  const used = usage > 0 ? node.used / usage : 0;
  if (used === node.allocated) return 0;
  if (used === 0) return 1;
  return Math.max(-1, Math.min(1, Math.log2(node.allocated / used) / 3));
}

const shade = (value: number) => `${value > 0 ? 'u' : 'o'}${Math.min(4, Math.round(Math.abs(value) * 4))}`;
const saying = (value: number) => (value > 0.04 ? 'under-served' : value < -0.04 ? 'over-served' : 'as it should be');

const kHeight = 380;
const kLevels = 4;
const kLeastPixels = 3;

function Icicle({
  root,
  usage,
  value,
  title,
  chosen,
  choose,
}: {
  root: Node;
  usage: number;
  value: (node: Node) => number;
  title: string;
  chosen: string;
  choose: (node: Node) => void;
}) {
  const laid = useMemo(() => {
    // A node's own value is what its children leave.
    const tree = hierarchy(root).sum(() => 0);
    tree.each((node) => {
      (node as { value: number }).value = value(node.data);
    });
    return partition<Node>().size([kHeight, kLevels])(tree as never) as HierarchyRectangularNode<Node>;
  }, [root, value]);
  const shown = laid.descendants().filter((node) => node.depth < kLevels && node.x1 - node.x0 >= kLeastPixels);
  const levels = Math.min(kLevels, laid.height + 1);
  const width = 100 / levels;
  return (
    <figure class="icicle">
      <figcaption>{title}</figcaption>
      <div class="plot" style={{ height: `${kHeight}px` }} role="group" aria-label={title}>
        {shown.map((node) => {
          const how = service(node.data, usage);
          const text = `${node.data.label} ${percent(value(node.data))}, ${saying(how)}`;
          const hasRoom = node.x1 - node.x0 >= 16;
          return (
            <button
              type="button"
              class={`cell ${shade(how)} ${node.data.id === chosen ? 'chosen' : ''}`}
              tabIndex={node.x1 - node.x0 >= 12 ? 0 : -1}
              style={{
                top: `${node.x0}px`,
                height: `${Math.max(1, node.x1 - node.x0 - 1)}px`,
                left: `${node.depth * width}%`,
                width: `calc(${width}% - 1px)`,
              }}
              aria-label={hasRoom ? undefined : text}
              title={text}
              onClick={() => choose(node.data)}
            >
              {hasRoom && (
                <>
                  <span>{node.data.label}</span>{' '}
                  <em>
                    {percent(value(node.data))}
                    <small class="unseen">, {saying(how)}</small>
                  </em>
                </>
              )}
            </button>
          );
        })}
      </div>
    </figure>
  );
}

const kAllocated = (node: Node) => node.allocated;

function flat(node: Node, from = node.depth): { node: Node; indent: number }[] {
  return [{ node, indent: node.depth - from }, ...node.children.flatMap((child) => flat(child, from))];
}

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
          cell: ({ node }: Line) => levelFs(node.share),
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

function Tree({ answer, route }: { answer: Accounts; route: Route }) {
  const [hides, setHides] = useState(false);
  const root = useMemo(() => treeOf(answer.shares), [answer]);
  const chosen = (root && find(root, route.id)) || root;
  const usage = root?.used ?? 0;
  const used = useMemo(() => (node: Node) => (usage > 0 ? node.used / usage : 0), [usage]);
  if (!root || !chosen) return <Empty>No association is visible to you here.</Empty>;
  const query = Object.fromEntries(route.query);
  const to = (node: Node) => href('shares', node === root ? '' : node.id, query);
  const way = wayTo(root, chosen.id);
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
      <Scale />
      <div class="icicles">
        <Icicle
          root={chosen}
          usage={usage}
          value={kAllocated}
          title="What is allocated"
          chosen={chosen.id}
          choose={(node) => go(to(node === chosen && way.length > 1 ? way[way.length - 2] : node))}
        />
        {usage > 0 ? (
          <Icicle
            root={chosen}
            usage={usage}
            value={used}
            title="What was used, with decay"
            chosen={chosen.id}
            choose={(node) => go(to(node === chosen && way.length > 1 ? way[way.length - 2] : node))}
          />
        ) : (
          <figure class="icicle">
            <figcaption>What was used</figcaption>
            <Empty>Nothing yet.</Empty>
          </figure>
        )}
      </div>
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
