// The places of the parts in the pictures of the association tree. Lengths are pixels, y grows downwards; angles are parts
// of the circle, from the top clockwise.
import { type HierarchyRectangularNode, hierarchy, partition, tree } from 'd3-hierarchy';
import type { Node } from './share_data';

// The children of a node that are down to this level below the root; undefined for those at the end.
const downTo = (root: Node, level: number) => (node: Node) =>
  node.depth - root.depth < level ? node.children : undefined;

// The nodes down to a number of levels, each with its place from x0 to x1: the root from 0 to `length`, the others within that
// of their parent as long as their part of it, in their order.
export function laidOut(
  root: Node,
  value: (node: Node) => number,
  length: number,
  levels: number,
): HierarchyRectangularNode<Node>[] {
  // A node's own value is what its children leave.
  const all = hierarchy(root, downTo(root, levels - 1)).sum(() => 0);
  all.each((node) => {
    (node as { value: number }).value = value(node.data);
  });
  return (partition<Node>().size([length, 1])(all as never) as HierarchyRectangularNode<Node>).descendants();
}

// A part of a ring; `inner` is 0 for the disc in the middle.
export interface Sector {
  node: Node;
  from: number;
  to: number;
  inner: number;
  outer: number;
}

export const kRadius = 200;
const kRings = 3;
const kThinnest = 1 / 360;

export interface Sectors {
  sectors: Sector[];
  others: number; // On the levels that are drawn; too thin to be seen.
}

// The root as a disc, in a ring around it its children, and so on. Sectors thinner than a degree are left out.
export function sectorsOf(root: Node, value: (node: Node) => number): Sectors {
  const nodes = laidOut(root, value, 1, kRings);
  const ring = kRadius / (nodes[0].height + 1);
  const sectors = nodes
    .filter(({ x0, x1 }) => x1 - x0 >= kThinnest)
    .map(({ data, depth, x0, x1 }) => ({
      node: data,
      from: x0,
      to: x1,
      inner: depth * ring,
      outer: (depth + 1) * ring,
    }));
  return { sectors, others: nodes.length - sectors.length };
}

export interface Point {
  x: number;
  y: number;
}

// From the middle of the circle.
const pointAt = (radius: number, part: number): Point => ({
  x: radius * Math.sin(2 * Math.PI * part),
  y: -radius * Math.cos(2 * Math.PI * part),
});

const written = ({ x, y }: Point) => `${x.toFixed(2)} ${y.toFixed(2)}`;

// The path of SVG around a sector. An arc cannot be a whole circle, so each is drawn as two halves.
export function outline({ from, to, inner, outer }: Sector): string {
  const arc = (radius: number, end: number, turn: 0 | 1) =>
    `A${radius} ${radius} 0 0 ${turn} ${written(pointAt(radius, (from + to) / 2))}` +
    `A${radius} ${radius} 0 0 ${turn} ${written(pointAt(radius, end))}`;
  const isWhole = to - from === 1;
  const back =
    inner > 0 ? `${isWhole ? 'M' : 'L'}${written(pointAt(inner, to))}${arc(inner, from, 0)}` : isWhole ? '' : 'L0 0';
  return `M${written(pointAt(outer, from))}${arc(outer, to, 1)}${back}Z`;
}

// The middle of a sector.
export const middleOf = ({ from, to, inner, outer }: Sector): Point =>
  inner > 0 ? pointAt((inner + outer) / 2, (from + to) / 2) : { x: 0, y: 0 };

// Whether a box of this size fits into the sector, its middle in the sector's. A point of it within the inner circle has its
// opposite beyond the outer one.
export function hasRoom(sector: Sector, width: number, height: number): boolean {
  const middle = middleOf(sector);
  const half = (sector.to - sector.from) / 2;
  const isWithin = (corner: Point) =>
    Math.hypot(corner.x, corner.y) <= sector.outer && (sector.inner === 0 || partBetween(middle, corner) <= half);
  return [-1, 1].every((x) =>
    [-1, 1].every((y) => isWithin({ x: middle.x + (x * width) / 2, y: middle.y + (y * height) / 2 })),
  );
}

// The angle between two points, seen from the middle of the circle: 0 to 1/2.
function partBetween(a: Point, b: Point): number {
  const turn = Math.atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
  return Math.abs(turn) / (2 * Math.PI);
}

const kLetter = 7;
const kLines = 28; // The height of two.

// The name above the figure, cut to what fits into the sector; undefined where not even two letters do.
export function nameIn(sector: Sector, figure: string): string | undefined {
  const letters = [...sector.node.label];
  for (let kept = letters.length; kept >= Math.min(2, letters.length); --kept) {
    const name = kept < letters.length ? `${letters.slice(0, kept).join('')}…` : sector.node.label;
    if (hasRoom(sector, kLetter * Math.max([...name].length, figure.length), kLines)) return name;
  }
  return undefined;
}

// A node as a box, by its upper left corner.
export interface Box extends Point {
  node: Node;
  parent?: Box;
}

export interface Boxes {
  boxes: Box[]; // A parent before its children.
  width: number;
  height: number;
  others: number; // The nodes that are not drawn.
}

export const kBox = { width: 150, height: 66 };
const kGap = { x: 10, y: 44 };
const kMostEnds = 40;

// In their order, those with the largest parts.
function largest(nodes: Node[], most: number): Node[] {
  const part = (node: Node) => Math.max(node.allocated, node.used);
  const chosen = new Set([...nodes].sort((a, b) => part(b) - part(a)).slice(0, most));
  return nodes.filter((node) => chosen.has(node));
}

// The children that are drawn, by parent: whole levels while the tree has at most so many ends. A first level with more of them
// has the largest.
function drawnBelow(root: Node, most: number): Map<Node, Node[]> {
  const drawn = new Map<Node, Node[]>();
  let leaves = 0;
  for (let level = [root]; level.length > 0; ) {
    leaves += level.filter((node) => node.children.length === 0).length;
    const next = level.flatMap((node) => node.children);
    if (leaves + next.length > most) break;
    for (const node of level) drawn.set(node, node.children);
    level = next;
  }
  if (!drawn.has(root)) drawn.set(root, largest(root.children, most));
  return drawn;
}

const countOf = (node: Node): number => node.children.reduce((sum, child) => sum + countOf(child), 1);

// The root at the top, a level below the other, each parent in the middle of its children.
export function boxesOf(root: Node, most = kMostEnds): Boxes {
  const drawn = drawnBelow(root, most);
  const { width, height } = kBox;
  const laid = tree<Node>()
    .nodeSize([width + kGap.x, height + kGap.y])
    .separation(() => 1)(hierarchy(root, (node) => drawn.get(node)));
  const nodes = laid.descendants();
  const first = Math.min(...nodes.map(({ x }) => x));
  const made = new Map<Node, Box>();
  for (const { data, parent, x, y } of nodes)
    made.set(data, { node: data, parent: parent ? made.get(parent.data) : undefined, x: x - first, y });
  const boxes = [...made.values()];
  return {
    boxes,
    width: Math.max(...boxes.map(({ x }) => x)) + width,
    height: Math.max(...boxes.map(({ y }) => y)) + height,
    others: countOf(root) - boxes.length,
  };
}
