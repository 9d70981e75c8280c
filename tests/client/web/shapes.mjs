// Compares the shapes of the pictures of shares with a second, naive computation, without a browser.
//
// usage: node shapes.mjs FOLDER_OF_PAGE
// FOLDER_OF_PAGE has src and node_modules with esbuild.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

const folder = path.resolve(process.argv[2]);
const { build } = createRequire(path.join(folder, 'package.json'))('esbuild');

async function modules() {
  const contents = "export * from './shares/share_shapes'; export * from './shares/share_data';";
  const { outputFiles } = await build({ stdin: { contents, resolveDir: path.join(folder, 'src') }, bundle: true, write: false, format: 'esm' });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}
const { boxesOf, hasRoom, kBox, kRadius, laidOut, middleOf, nameIn, outline, saying, sectorsOf, service, standing, treeOf, wayTo } = await modules();

const share = (parentAccount, account, user, rawShares, rawUsage, more = {}) => ({ account, parentAccount, user, partition: '', depth: 0, rawShares, parentShares: rawShares === undefined, rawUsage, ...more });

// With level_shares by its definition: the sum of raw shares of all with the same fair-share parent, the nearest account above
// whose shares are not `parent`.
function grown(rows) {
  const accounts = new Map(rows.filter((row) => !row.user).map((row) => [row.account, row]));
  const aboveOf = (row) => accounts.get(row.user ? row.account : row.parentAccount);
  const levelOf = (row) => {
    let above = aboveOf(row);
    while (above?.parentShares && aboveOf(above)) above = aboveOf(above);
    return above;
  };
  const sums = new Map();
  for (const row of rows) sums.set(levelOf(row), (sums.get(levelOf(row)) ?? 0) + (row.rawShares ?? 0));
  for (const row of rows) row.levelShares = sums.get(levelOf(row));
  return treeOf(rows);
}

// The example of the SLURM 2.0 document, its usage in hundredths of the machine.
const kExample = [
  share('', 'root', '', 1, 70), share('root', 'A', '', 40, 45), share('A', 'B', '', 30, 20), share('B', 'B', 'user1', 1, 20), share('A', 'C', '', 10, 25),
  share('C', 'C', 'user2', 1, 25), share('C', 'C', 'user3', 1, 0), share('root', 'D', '', 60, 25), share('D', 'E', '', 25, 25), share('E', 'E', 'user4', 1, 25),
  share('D', 'F', '', 35, 0), share('F', 'F', 'user5', 1, 0),
];
const depths = { root: 0, A: 1, D: 1, B: 2, C: 2, E: 2, F: 2 };
for (const row of kExample) row.depth = depths[row.account] + (row.user ? 1 : 0);

// The same numbers on each run; Knuth's generator.
function random(seed) {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
    return Number(state >> 33n) % below;
  };
}

// Accounts with children of random number, shares and usage; usage of a parent is the sum.
function randomShares(seed, levels, most) {
  const next = random(seed);
  const rows = [];
  const add = (parent, depth) => {
    const account = `a${rows.length}`;
    const row = share(parent, account, '', next(4) === 0 ? undefined : next(100), 0, { depth });
    rows.push(row);
    const children = depth < levels ? next(most + 1) : 0;
    if (children === 0) row.rawUsage = next(3) * next(1000);
    for (let n = 0; n < children; ++n) row.rawUsage += add(account, depth + 1).rawUsage;
    return row;
  };
  add('', 0);
  return rows;
}

const all = (node) => [node, ...node.children.flatMap(all)];
const kValues = { width: (node) => node.width, used: (node) => node.used };

test('the parts of the example are those that the document states', () => {
  const root = grown(kExample);
  const parts = Object.fromEntries(all(root).map((node) => [node.label, node.allocated]));
  const stated = { A: 0.4, D: 0.6, B: 0.3, C: 0.1, E: 0.25, F: 0.35, user1: 0.3, user2: 0.05, user3: 0.05, user4: 0.25, user5: 0.35 };
  for (const [name, part] of Object.entries(stated)) assert.ok(Math.abs(parts[name] - part) < 1e-12, name);
  const used = Object.fromEntries(all(root).map((node) => [node.label, node.used]));
  assert.equal(used.C, 25 / 70);
  assert.equal(used.root, 1);
});

// tests/scenarios/parent_fair_share.txt: amy and bob, below the department, compete with the lab.
test('with parent shares an allocation is that of the level above, and those below an account fill its width', () => {
  const root = grown([
    share('', 'root', '', 1, 0), share('root', 'department', '', undefined, 0), share('department', 'department', 'amy', 1, 0),
    share('department', 'department', 'bob', 1, 0), share('root', 'lab', '', 2, 0), share('lab', 'lab', 'cat', 1, 0),
    share('lab', 'lab', 'dan', undefined, 0),
  ]);
  assert.deepEqual(all(root).map((node) => node.allocated), [1, 1, 0.25, 0.25, 0.5, 0.5, 0.5]);
  assert.deepEqual(all(root).map((node) => node.width), [1, 0.5, 0.25, 0.25, 0.5, 0.5, 0]);
});

test('an association is found with those above it, and an unknown one is not', () => {
  const root = grown(kExample);
  assert.deepEqual(wayTo(root, 'C/user2').map((node) => node.label), ['root', 'A', 'C', 'user2']);
  assert.deepEqual(wayTo(root, 'X'), []);
});

test('the colours of the example are those of its words: users 1, 2 and 3 are over-serviced, user 5 is under-serviced', () => {
  const said = (fairShare) => saying(standing({ fairShare, levelFsInfinite: false }));
  assert.deepEqual([0.45625, 0.3875, 0.45, 0.5, 0.6021].map(said), ['over-served', 'over-served', 'over-served', 'as it should be', 'under-served']);
});

test('standing is a third of the binary logarithm of how many times the share is the usage', () => {
  for (const times of [0.001, 0.2, 0.5, 1, 1.7, 4, 900]) {
    const naive = Math.min(1, Math.max(-1, Math.log(times) / Math.log(8)));
    assert.ok(Math.abs(standing({ levelFs: times, levelFsInfinite: false }) - naive) < 1e-12);
    // Classic: F = 2^-(usage / share).
    assert.ok(Math.abs(standing({ fairShare: 2 ** (-1 / times), levelFsInfinite: false }) - naive) < 1e-9);
  }
  assert.equal(standing({ levelFsInfinite: true, fairShare: 0.1 }), 1);
  assert.equal(standing({ levelFs: 0, levelFsInfinite: false }), -1);
  assert.equal(standing({ fairShare: 1, levelFsInfinite: false }), 1);
  assert.equal(standing({ fairShare: 0, levelFsInfinite: false }), -1);
  assert.equal(standing({ levelFsInfinite: false }), 0);
  assert.equal(service({ allocated: 0, used: 0 }), 0);
});

test('a sector begins where the parts before it end, and its angle is its part of the root', () => {
  for (let seed = 1; seed <= 40; ++seed) {
    const tree = grown(randomShares(seed, 5, 6));
    for (const root of [tree, ...tree.children]) {
      for (const [name, value] of Object.entries(kValues)) {
        if (value(root) === 0) continue;
        // In the order of the tree, the angle of each is 2 pi times its part, within that of its parent.
        const naive = new Map();
        const place = (node, from) => {
          naive.set(node, from);
          for (const child of node.children) {
            place(child, from);
            from += (2 * Math.PI * value(child)) / value(root);
          }
        };
        place(root, 0);
        const { sectors, others } = sectorsOf(root, value);
        const seen = all(root).filter((node) => node.depth - root.depth < 3 && value(node) / value(root) >= 1 / 360 + 1e-9);
        for (const node of seen) assert.ok(sectors.some((sector) => sector.node === node), `${seed} ${name} ${node.id}`);
        for (const { node, from, to } of sectors) {
          assert.ok(Math.abs(2 * Math.PI * from - naive.get(node)) < 1e-9, `${seed} ${name} ${node.id}`);
          assert.ok(Math.abs(2 * Math.PI * (to - from) - (2 * Math.PI * value(node)) / value(root)) < 1e-9);
        }
        const levels = all(root).filter((node) => node.depth - root.depth < 3);
        assert.equal(others, levels.length - sectors.length);
        const deepest = Math.max(...all(root).map((node) => node.depth - root.depth));
        const ring = kRadius / Math.min(3, deepest + 1);
        for (const { node, inner, outer } of sectors) {
          assert.ok(Math.abs(inner - (node.depth - root.depth) * ring) < 1e-9);
          assert.ok(Math.abs(outer - inner - ring) < 1e-9);
        }
      }
    }
  }
});

test('the number of sectors is bounded by the degrees of a circle, whatever the number of users', () => {
  const rows = [share('', 'root', '', 1, 0, { depth: 0 })];
  for (let n = 0; n < 5000; ++n) rows.push(share('root', 'root', `u${n}`, 1, 0, { depth: 1 }));
  assert.equal(sectorsOf(grown(rows), kValues.width).sectors.length, 1);
  rows.push(share('root', 'big', '', 5000, 0, { depth: 1 }));
  assert.deepEqual(sectorsOf(grown(rows), kValues.width).sectors.map(({ node }) => node.label), ['root', 'big']);
});

test('of an account without usage only itself is drawn', () => {
  const root = grown(kExample);
  const [f] = wayTo(root, 'F').slice(-1);
  assert.deepEqual(sectorsOf(f, kValues.used).sectors.map(({ node }) => node.label), ['F']);
});

// The points of a path of SVG that are stated in it, with the radius of the arcs.
const pointsOf = (path) => [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)|A([\d.]+) [\d.]+ 0 0 [01] (-?[\d.]+) (-?[\d.]+)/g)].map((found) => (found[3] ? [found[4], found[5], found[3]] : [found[1], found[2]]).map(Number));

test('the outline of a sector has its corners on its circles, at its angles', () => {
  for (const [from, to] of [[0, 0.25], [0.1, 0.9], [0.97, 1], [0, 0.999]]) {
    const [a, b] = [100, 150];
    const at = (radius, part) => [radius * Math.cos(Math.PI / 2 - 2 * Math.PI * part), -radius * Math.sin(Math.PI / 2 - 2 * Math.PI * part)];
    const half = (from + to) / 2;
    const wanted = [at(b, from), at(b, half), at(b, to), at(a, to), at(a, half), at(a, from)];
    const found = pointsOf(outline({ from, to, inner: a, outer: b }));
    assert.equal(found.length, wanted.length);
    found.forEach(([x, y, radius], n) => {
      assert.ok(Math.abs(x - wanted[n][0]) < 0.006 && Math.abs(y - wanted[n][1]) < 0.006, `${from} ${to} ${n}`);
      if (radius) assert.equal(radius, n < 3 ? b : a);
    });
  }
  // A quarter of a disc ends in the middle; a whole one has no edge.
  assert.deepEqual(pointsOf(outline({ from: 0, to: 0.25, inner: 0, outer: 10 })).at(-1), [0, 0]);
  assert.equal(pointsOf(outline({ from: 0, to: 1, inner: 0, outer: 10 })).length, 3);
  assert.equal(outline({ from: 0, to: 1, inner: 5, outer: 10 }).match(/M/g).length, 2);
});

test('a text has room where each point of its box is within the sector', () => {
  const next = random(7);
  let fitting = 0;
  for (let n = 0; n < 3000; ++n) {
    const from = next(1000) / 1000;
    const to = from + (1 + next(1000 * (1 - from) + 1)) / 1002;
    const inner = 40 + next(60);
    const sector = { from, to, inner, outer: inner + 20 + next(60) };
    const [width, height] = [5 + next(80), 5 + next(40)];
    const middle = middleOf(sector);
    const isWithin = (x, y) => {
      const radius = Math.hypot(x, y);
      let part = (Math.PI / 2 - Math.atan2(-y, x)) / (2 * Math.PI);
      while (part < from - 1e-9) part += 1;
      return radius >= sector.inner - 1e-9 && radius <= sector.outer + 1e-9 && part <= to + 1e-9;
    };
    // A grid over the box.
    const naive = (times) => {
      for (let i = 0; i <= 40; ++i) for (let j = 0; j <= 40; ++j) if (!isWithin(middle.x + times * width * (i / 40 - 0.5), middle.y + times * height * (j / 40 - 0.5))) return false;
      return true;
    };
    assert.ok(hasRoom(sector, width, height) ? naive(1) : !naive(1.05), JSON.stringify({ sector, width, height }));
    fitting += hasRoom(sector, width, height);
  }
  assert.ok(fitting > 300 && fitting < 2700, `${fitting}`);
});

test('a name is cut to the room of its sector, and left out where it has none', () => {
  const named = (label, from, to) => nameIn({ node: { label }, from, to, inner: 66, outer: 133 }, '5 %');
  assert.equal(named('bio', 0, 0.25), 'bio');
  assert.match(named('computational-biology', 0.2, 0.3), /^comp.*…$/);
  assert.equal(named('bio', 0, 0.01), undefined);
  assert.equal(named('', 0, 0.5), '');
  // As many letters of 7 x 14 pixels as fit, the last of them for what is left out.
  const sector = { node: { label: 'x'.repeat(40) }, from: 0.2, to: 0.45, inner: 66, outer: 133 };
  const letters = [...nameIn(sector, '5 %')].length;
  assert.ok(hasRoom(sector, 7 * letters, 28) && !hasRoom(sector, 7 * (letters + 1), 28));
});

// Whether the boxes keep apart, each parent in the middle of its first and last child and a level above it.
function assertTidy({ boxes, width, height }) {
  for (const [at, a] of boxes.entries()) {
    assert.ok(a.x >= 0 && a.y >= 0 && a.x + kBox.width <= width + 1e-9 && a.y + kBox.height <= height + 1e-9);
    for (const b of boxes.slice(at + 1)) assert.ok(a.y !== b.y || Math.abs(a.x - b.x) >= kBox.width, `${a.node.id} ${b.node.id}`);
    if (a.parent) assert.ok(a.y >= a.parent.y + kBox.height);
    const children = boxes.filter((box) => box.parent === a);
    if (children.length) assert.ok(Math.abs(a.x - (children[0].x + children.at(-1).x) / 2) < 1e-6);
  }
}

test('the tree of the example is whole: a box for each association, lines to the account above', () => {
  const drawn = boxesOf(grown(kExample));
  assertTidy(drawn);
  assert.equal(drawn.others, 0);
  const lines = Object.fromEntries(drawn.boxes.map((box) => [box.node.label, box.parent?.node.label]));
  assert.deepEqual(lines, { root: undefined, A: 'root', D: 'root', B: 'A', C: 'A', E: 'D', F: 'D', user1: 'B', user2: 'C', user3: 'C', user4: 'E', user5: 'F' });
});

test('a large tree is drawn down to the last level that has at most as many ends as are asked for', () => {
  for (let seed = 1; seed <= 60; ++seed) {
    const root = grown(randomShares(seed, 6, 5));
    for (const most of [1, 7, 40]) {
      const drawn = boxesOf(root, most);
      assertTidy(drawn);
      const nodes = all(root);
      // The ends of the tree that is cut below a level: on that level, and above it without children.
      const ends = (level) => nodes.filter((node) => node.depth === level || (node.depth < level && node.children.length === 0)).length;
      let level = 0;
      while (level < 6 && ends(level + 1) <= most) ++level;
      const wanted = nodes.filter((node) => node.depth <= level);
      if (level === 0 && root.children.length > 0) assert.equal(drawn.boxes.length, 1 + Math.min(most, root.children.length));
      else assert.deepEqual(new Set(drawn.boxes.map((box) => box.node)), new Set(wanted));
      assert.equal(drawn.others, nodes.length - drawn.boxes.length);
    }
  }
});

test('of a level with too many associations the largest are drawn, in their order', () => {
  const rows = [share('', 'root', '', 1, 1000, { depth: 0 })];
  for (let n = 0; n < 100; ++n) rows.push(share('root', 'root', `u${n}`, n % 10 === 3 ? 50 : 1, n % 10 === 7 ? 100 : 0, { depth: 1 }));
  const drawn = boxesOf(grown(rows), 20);
  assertTidy(drawn);
  assert.deepEqual(drawn.boxes.slice(1).map(({ node }) => Number(node.label.slice(1)) % 10), Array.from({ length: 20 }, (_, n) => (n % 2 ? 7 : 3)));
  assert.equal(drawn.others, 80);
});

test('an icicle of 380 pixels has the same parts as the circle', () => {
  const root = grown(randomShares(3, 4, 5));
  const [long, circle] = [380, 1].map((length) => laidOut(root, kValues.width, length, 4));
  long.forEach((node, at) => assert.ok(Math.abs(node.x0 - 380 * circle[at].x0) < 1e-9 && node.data === circle[at].data));
});
