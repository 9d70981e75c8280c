// The association tree as parts of the cluster: what is allocated beside what was used.
import type { Share } from '../calls/api';
import { fixed, levelFs } from '../parts/format';

export interface Node {
  share: Share;
  id: string;
  label: string;
  allocated: number; // Of the cluster, 0 to 1: with `parent` shares that of the level above.
  width: number; // Of a picture, 0 to 1: those below a node fill it.
  used: number; // Of all usage that is visible, 0 to 1; 0 where nothing was used at all.
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
      allocated: 1,
      width: 0,
      used: 0,
      children: [],
      depth: share.depth,
    };
    const parent = share.user ? accounts.get(share.account) : accounts.get(share.parentAccount);
    if (!share.user) accounts.set(share.account, node);
    root ??= node;
    const usage = root.share.rawUsage;
    node.used = usage > 0 ? share.rawUsage / usage : 0;
    if (parent) node.allocated = allocatedOf(share, parent.allocated);
    parent?.children.push(node);
  }
  if (root) divide(root, 1);
  return root;
}

// `above`: that of the level above.
function allocatedOf({ parentShares, rawShares, levelShares }: Share, above: number): number {
  if (parentShares) return above;
  return levelShares > 0 ? (above * (rawShares ?? 0)) / levelShares : 0;
}

// An account with `parent` shares has the parts of those below it, a user with them none.
const ownOf = (node: Node): number =>
  node.share.parentShares ? node.children.reduce((sum, child) => sum + ownOf(child), 0) : node.allocated;

// Divides the width among the children by their shares; equally if none has any.
function divide(node: Node, width: number) {
  node.width = width;
  const own = node.children.map(ownOf);
  const sum = own.reduce((all, part) => all + part, 0);
  node.children.forEach((child, at) => {
    divide(child, sum > 0 ? (width * own[at]) / sum : width / own.length);
  });
}

// From the node to the one of this name; empty where it is not in the tree.
export function wayTo(node: Node, id: string): Node[] {
  if (node.id === id) return [node];
  for (const child of node.children) {
    const way = wayTo(child, id);
    if (way.length) return [node, ...way];
  }
  return [];
}

export function flat(node: Node, from = node.depth): { node: Node; indent: number }[] {
  return [{ node, indent: node.depth - from }, ...node.children.flatMap((child) => flat(child, from))];
}

// The service of a node: from -1, it has used far more than its share, to 1, far less. An eighth or eight times are as far as
// it goes. `times`: how many times as large the share is as the usage; not a number where neither is any.
const serviceOf = (times: number) => (Number.isNaN(times) ? 0 : Math.max(-1, Math.min(1, Math.log2(times) / 3)));

// By the parts of the cluster.
export const service = (node: Node) => serviceOf(node.allocated / node.used);

// As the fair-share algorithm counts it: by LevelFS, which is 1 where usage is as the share, or by the factor of the other
// algorithms, which is 1/2 there, as 2^-(usage / share). 0 where sshare prints neither.
export function standing({ levelFs, levelFsInfinite, parentShares, fairShare }: Share): number {
  if (levelFsInfinite) return parentShares ? 0 : 1;
  if (levelFs !== undefined) return serviceOf(levelFs);
  return fairShare === undefined ? 0 : serviceOf(1 / Math.log2(1 / fairShare));
}

// sshare prints no LevelFS of `parent` shares.
export const levelText = (share: Share) => (share.parentShares ? '–' : levelFs(share));

// The figure that `standing` is of, as sshare names it; empty where there is none.
export function standingText(share: Share): string {
  if (share.levelFsInfinite || share.levelFs !== undefined)
    return share.parentShares ? '' : `LevelFS ${levelFs(share)}`;
  return share.fairShare === undefined ? '' : `FairShare ${fixed(share.fairShare, 6)}`;
}

export const shade = (value: number) => `${value > 0 ? 'u' : 'o'}${Math.min(4, Math.round(Math.abs(value) * 4))}`;
export const saying = (value: number) =>
  value > 0.04 ? 'under-served' : value < -0.04 ? 'over-served' : 'as it should be';
