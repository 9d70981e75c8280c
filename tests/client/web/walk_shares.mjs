// Walks the pictures of shares: each figure is the one that prioctl prints, and that of the SLURM 2.0 document.
//
// usage: PRIOCTL=FILE PRIORITYD_SERVER=HOST:PORT node walk_shares.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// The server at URL is empty, or FILLED=orc by a walk before; deploy/example is taken from the folder it is run in.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { check, close, everywhere, finish, open, url } from './browser.mjs';
import { prioctl, tableOf } from './prioctl.mjs';
import { asker } from './site.mjs';

const ask = asker(url);

// The worked example of the SLURM 2.0 document, "Fair-share", "Example". The machine delivers 10 CPUs x 86,400 s x 2.
const kMachine = 1728000;
const kConf = 'ClusterName=slurm20\nClock=manual\nPriorityDecayHalfLife=1-0\nFairShareAlgorithm=linear\nNodeName=n1 CPUs=10\n';
const kDump = `Cluster - 'slurm20':Fairshare=1
Parent - 'root'
Account - 'A':Fairshare=40
Account - 'D':Fairshare=60
Parent - 'A'
Account - 'B':Fairshare=30
Account - 'C':Fairshare=10
Parent - 'D'
Account - 'E':Fairshare=25
Account - 'F':Fairshare=35
Parent - 'B'
User - 'user1':DefaultAccount='B':Fairshare=1
Parent - 'C'
User - 'user2':DefaultAccount='C':Fairshare=1
User - 'user3':DefaultAccount='C':Fairshare=1
Parent - 'E'
User - 'user4':DefaultAccount='E':Fairshare=1
Parent - 'F'
User - 'user5':DefaultAccount='F':Fairshare=1
`;

async function fillDocument() {
  const take = (files) => ask('AdminService/Import', { cluster: 'slurm20', files: files.map(([kind, content]) => ({ kind: `FILE_KIND_${kind}`, name: kind, content })) });
  await take([['SLURM_CONF', kConf], ['SACCTMGR_DUMP', kDump]]);
  await ask('AdminService/Recalculate', { cluster: 'slurm20', asOf: '2026-01-05T00:00:00Z' });
  await take([['USAGE', `B|user1||${0.2 * kMachine}\nC|user2||${0.25 * kMachine}\nE|user4||${0.25 * kMachine}\n`]]);
  await ask('AdminService/Recalculate', { cluster: 'slurm20' });
}

async function fillExample() {
  const files = [['SLURM_CONF', 'slurm.conf'], ['QOS', 'qos.txt'], ['SACCTMGR_DUMP', 'sacctmgr.dump'], ['SSHARE', 'sshare.txt']];
  await ask('AdminService/Import', { files: files.map(([kind, name]) => ({ kind: `FILE_KIND_${kind}`, name, content: readFileSync(`deploy/example/${name}`, 'utf8') })) });
  return (await ask('AdminService/ListClusters', {})).clusters[0].name;
}

const kExample = process.env.FILLED ?? (await fillExample());
if (!process.env.FILLED) await fillDocument();
const at = (account, form, cluster = kExample) => `#/shares${account && `/${account}`}?cluster=${cluster}&form=${form}`;

await everywhere({
  pies: [at('', 'pies'), '.pie .part'],
  pies_of_account: [at('chem', 'pies'), '.pie .part'],
  tree: [at('', 'tree'), '.boxes .part'],
  tree_of_user: [at('chem%2Ffay', 'tree'), '.boxes .part'],
});

// What a screen reader says of each part, in the order of the tree.
const saidOf = (page, parts) => page.locator(parts).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
const number = (text) => Number(text.replace(/%/, ''));

await check('the pies have the parts that prioctl shares prints', async () => {
  const page = await open(at('', 'pies'));
  await page.locator('.pie .part').first().waitFor();
  const printed = tableOf(prioctl('--cluster', kExample, 'shares'), ['ACCOUNT', 'USER', 'ALLOCATED', 'USED']);
  for (const [title, column] of [['What is allocated', 'ALLOCATED'], ['What was used, with decay', 'USED']]) {
    const said = await saidOf(page, `svg[aria-label="${title}"] .part`);
    // Three levels: root, its accounts, and what is in these.
    assert.ok(said.length > 4, said.join());
    for (const one of said) {
      const [, name, figure] = /^(\S+) ([\d.]+) %, /.exec(one);
      // Printed with two digits, shown with one or two.
      assert.ok(printed.some((row) => (row.USER || row.ACCOUNT) === name && Math.abs(number(row[column]) - Number(figure)) <= (Number(figure) < 10 ? 0.0051 : 0.0551)), one);
    }
  }
  await close(page);
});

// The angle at the middle of a part, as the browser has it: from the first point of its path over the second to the third.
const angles = (page, svg) => page.locator(`${svg} .part path`).evaluateAll((paths) => paths.map((path) => {
  const points = path.getAttribute('d').match(/-?[\d.]+ -?[\d.]+(?=A|L|M|Z)/g).map((pair) => pair.split(' ').map(Number));
  const half = Math.abs(Math.atan2(points[0][0] * points[1][1] - points[0][1] * points[1][0], points[0][0] * points[1][0] + points[0][1] * points[1][1]));
  return (2 * half) / (2 * Math.PI);
}));

await check('figure 1 of the document: A has 40 and D 60 parts of the circle, and their accounts theirs', async () => {
  const page = await open(at('', 'pies', 'slurm20'));
  const svg = 'svg[aria-label="What is allocated"]';
  await page.locator(`${svg} .part`).first().waitFor();
  const said = await saidOf(page, `${svg} .part`);
  assert.deepEqual(said.map((one) => one.replace(/ %.*/, '')), ['root 100.0', 'A 40.0', 'D 60.0', 'B 30.0', 'C 10.0', 'E 25.0', 'F 35.0']);
  const wanted = [1, 0.4, 0.6, 0.3, 0.1, 0.25, 0.35];
  (await angles(page, svg)).forEach((part, n) => assert.ok(Math.abs(part - wanted[n]) < 1e-4, `${said[n]}: ${part}`));
  await close(page);
});

await check('figure 3 of the document: the tree has its shares, its effective usage and its factors', async () => {
  const page = await open(at('', 'tree', 'slurm20'));
  await page.locator('.boxes .part').first().waitFor();
  const said = Object.fromEntries((await saidOf(page, '.boxes .part')).map((one) => [one.split(', ')[0], one.split(', ')]));
  const stated = {
    A: [0.4, 0.45], D: [0.6, 0.25], B: [0.3, 0.3875], C: [0.1, 0.3], E: [0.25, 0.25], F: [0.35, 0.1458],
    user1: [0.3, 0.3875, 0.45625], user2: [0.05, 0.275, 0.3875], user3: [0.05, 0.15, 0.45], user4: [0.25, 0.25, 0.5], user5: [0.35, 0.1458, 0.6021],
  };
  for (const [name, figures] of Object.entries(stated)) {
    const shown = said[name].slice(1, 1 + figures.length).map((text) => text.split(' '));
    assert.deepEqual(shown.map(([column]) => column), ['NormShares', 'EffectvUsage', 'FairShare'].slice(0, figures.length));
    figures.forEach((figure, n) => assert.ok(Math.abs(Number(shown[n][1]) - figure) <= 0.00005, `${name}: ${shown[n]}, want ${figure}`));
  }
  // "Users 1, 2, and 3 are over-serviced while user 5 is under-serviced."
  assert.deepEqual(['user1', 'user2', 'user3', 'user5'].map((name) => said[name].at(-1)), ['over-served', 'over-served', 'over-served', 'under-served']);
  await close(page);
});

await check('the tree has the figures that prioctl sshare prints, and its lines are as thick as the usage', async () => {
  const page = await open(at('', 'tree'));
  await page.locator('.boxes .part').first().waitFor();
  const said = await saidOf(page, '.boxes .part');
  const printed = prioctl('--cluster', kExample, 'sshare', '-a', '-P', '-n', '-o', 'Account,User,NormShares,EffectvUsage,LevelFS,NormUsage').trim().split('\n').map((line) => line.trim().split('|'));
  assert.equal(said.length, printed.length);
  const isAs = (shown, figure) => Math.abs(Number(shown.split(' ')[1]) - Number(figure)) < 1e-6;
  for (const one of said) {
    const [name, shares, usage, level] = one.split(', ');
    // Root has no NormShares in sshare; there is also a user of that name.
    const isIt = ([account, user, normShares, effective, levelFs]) => (user || account.trim()) === name && isAs(shares, normShares || 1) && isAs(usage, effective)
      && (levelFs ? level === `LevelFS ${levelFs}` || isAs(level, levelFs) : !level.startsWith('LevelFS'));
    assert.ok(printed.some(isIt), `${one} in ${printed.join('\n')}`);
  }
  const lines = await page.locator('.boxes line').evaluateAll((all) => all.map((line) => Number(line.getAttribute('stroke-width'))));
  const used = printed.slice(1).map((row) => Math.max(1, 14 * Number(row.at(-1))));
  const sorted = (all) => [...all].sort((a, b) => a - b);
  sorted(lines).forEach((width, n) => assert.ok(Math.abs(width - sorted(used)[n]) < 1e-4));
  await close(page);
});

await check('on a phone the account that is open is in sight, with all below it within reach', async () => {
  const page = await open(at('', 'tree'), { width: 'phone' });
  await page.locator('.boxes .part').first().waitFor();
  const [box, scroll] = await Promise.all(['.boxes rect', '.icicle .scroll'].map((one) => page.locator(one).first().boundingBox()));
  assert.ok(box.x >= scroll.x && box.x + box.width <= scroll.x + scroll.width, JSON.stringify({ box, scroll }));
  await page.locator('.boxes').getByRole('link', { name: /^dan, / }).focus();
  const last = await page.locator('.boxes rect').last().boundingBox();
  assert.ok(last.x >= scroll.x - 1 && last.x + last.width <= scroll.x + scroll.width + 1, JSON.stringify({ last, scroll }));
  await close(page);
});

await check('an account with many users: those with the largest parts are drawn, and the number of others is stated', async () => {
  const users = Array.from({ length: 300 }, (_, n) => `User - 'u${n}':DefaultAccount='lab':Fairshare=${n < 5 ? 1000 : 1}`);
  await ask('AdminService/Import', { cluster: 'many', files: [['SLURM_CONF', 'ClusterName=many\nClock=manual\nNodeName=n1 CPUs=10\n'], ['SACCTMGR_DUMP', ["Cluster - 'many':Fairshare=1", "Parent - 'root'", "Account - 'lab':Fairshare=1", "Parent - 'lab'", ...users].join('\n')]].map(([kind, content]) => ({ kind: `FILE_KIND_${kind}`, name: kind, content })) });
  await ask('AdminService/Recalculate', { cluster: 'many', asOf: '2026-01-05T00:00:00Z' });
  const page = await open(at('lab', 'tree', 'many'));
  await page.locator('.boxes .part').first().waitFor();
  assert.equal(await page.locator('.boxes .part').count(), 1 + 40);
  await page.getByText('260 associations are not drawn').waitFor();
  const said = await saidOf(page, '.boxes .part');
  for (let n = 0; n < 5; ++n) assert.ok(said.some((one) => one.startsWith(`u${n}, `)));
  await page.getByRole('link', { name: 'Pies', exact: true }).click();
  await page.getByText('Nothing yet.').waitFor();
  assert.deepEqual((await saidOf(page, '.pie .part')).map((one) => one.split(' ')[0]), ['lab', 'u0', 'u1', 'u2', 'u3', 'u4']);
  await page.getByText('Too small to be drawn: 295.').waitFor();
  await close(page);
});

await check('the keyboard chooses the form and opens an account, and the address keeps both', async () => {
  const page = await open(at('', 'icicle'));
  await page.locator('.icicle .cell').first().waitFor();
  await page.getByRole('link', { name: 'Pies', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.locator('svg[aria-label="What is allocated"]').getByRole('link', { name: /^chem / }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#/shares/chem?') && location.hash.includes('form=pies'));
  assert.match((await saidOf(page, '.pie .part'))[0], /^chem /);
  // The one in the middle leads back.
  await page.locator('.pie .part').first().click();
  await page.waitForFunction(() => location.hash.startsWith('#/shares?'));
  await page.getByRole('link', { name: 'Tree', exact: true }).click();
  await page.locator('.boxes').getByRole('link', { name: /^phys, / }).click();
  await page.waitForFunction(() => location.hash.startsWith('#/shares/phys?') && location.hash.includes('form=tree'));
  assert.deepEqual((await saidOf(page, '.boxes .part')).slice(0, 2).map((one) => one.split(', ')[0]), ['phys', 'phys1']);
  assert.equal(await page.locator('.shares .body .row').count() >= 2, true);
  await close(page);
});

await finish();
