// Measures the page at a large site, in a headless Chromium: what the first view costs beside an empty
// page of the same server, and how long each thing takes that a reader does. Not part of the tests.
//
// usage: node large.mjs FOLDER_OF_PAGE URL     (see browser.mjs; the server at URL is empty)
// ACCOUNTS, USERS of each and JOBS: by default 1000, 99 and 100000. ROUNDS: by default 20. FILLED=1: it is
// there already. ONLY=TEXT measures what has that in its name.
import { close, finish, open, url } from './browser.mjs';
import { asker } from './site.mjs';

const number = (name, usual) => Number(process.env[name] ?? usual);
const [accounts, users, jobs, rounds] = [number('ACCOUNTS', 1000), number('USERS', 99), number('JOBS', 100000), number('ROUNDS', 20)];
const ask = asker(url);
const isWanted = (name) => name.includes(process.env.ONLY ?? '');
const each = (n, make) => Array.from({ length: n }, (_, at) => make(at));

// 25 departments, the accounts below them, and in each its users.
function dump() {
  const lines = ["Cluster - 'large':Fairshare=1", "Parent - 'root'", ...each(25, (d) => `Account - 'd${d}':Fairshare=${d + 1}`)];
  for (let d = 0; d < 25; ++d) lines.push(`Parent - 'd${d}'`, ...each(accounts / 25, (a) => `Account - 'a${d}-${a}':Fairshare=${a + 1}`));
  for (let a = 0; a < accounts; ++a) {
    const account = `a${a % 25}-${Math.floor(a / 25)}`;
    lines.push(`Parent - '${account}'`, ...each(users, (u) => `User - 'u${a}-${u}':DefaultAccount='${account}':Fairshare=1`));
  }
  return `${lines.join('\n')}\n`;
}

const conf = 'ClusterName=large\nNodeName=n[1-1000] CPUs=64\nPartitionName=main Nodes=ALL Default=YES\nPriorityType=priority/multifactor\nPriorityWeightFairshare=10000\nPriorityWeightAge=1000\nPriorityWeightJobSize=500\nPriorityMaxAge=7-0\n';

async function fill() {
  await ask('AdminService/Import', { files: [{ kind: 'FILE_KIND_SLURM_CONF', name: 'slurm.conf', content: conf }, { kind: 'FILE_KIND_SACCTMGR_DUMP', name: 'dump', content: dump() }] });
  const now = Date.now();
  const user = (at) => [at % accounts, Math.floor(at / accounts) % users];
  const records = each(20000, (at) => ({ source: 'large', recordId: String(at), user: `u${user(at).join('-')}`, startTime: new Date(now - 7200e3), endTime: new Date(now - 3600e3 + (at % 60) * 1e3), tres: { cpu: 1 + (at % 61) } }));
  await ask('PriorityService/RecordUsage', { records });
  for (let from = 0; from < jobs; from += 20000) {
    await ask('PriorityService/UpdateJobs', { source: 'large', upserts: each(Math.min(20000, jobs - from), (at) => ({ jobId: String(1e6 + from + at), user: `u${user(7 * (from + at)).join('-')}`, partitions: ['main'], cpus: 1 + ((from + at) % 64), nodes: 1, submitTime: new Date(now - ((from + at) * 7919) % 600000 * 1e3) })) });
  }
  await ask('AdminService/Recalculate', {});
}

const sorted = (all) => [...all].sort((a, b) => a - b);
const at = (all, part) => Math.round(sorted(all)[Math.ceil(part * all.length) - 1]);
function tell(name, all) { console.log(`${name.padEnd(46)} p50 ${String(at(all, 0.5)).padStart(5)} ms   p95 ${String(at(all, 0.95)).padStart(5)} ms   (${all.length})`); }

// In the page: from the start of the navigation until `landmark` is there and painted.
const seen = (page, landmark) => page.evaluate((selector) => new Promise((done) => {
  const look = () => (document.querySelector(selector) ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))) : requestAnimationFrame(look));
  look();
}), landmark);

async function firstView(name, hash, landmark) {
  if (!isWanted(name)) return;
  const all = [];
  for (let n = 0; n < rounds; ++n) {
    const page = await open(hash);
    all.push(await seen(page, landmark));
    await close(page);
  }
  tell(name, all);
}

// In the page: from the deed until what it says is true and painted.
async function deed(name, page, act, isDone, before = () => {}) {
  if (!isWanted(name)) return;
  const all = [];
  for (let n = 0; n < rounds; ++n) {
    await page.evaluate(before, n);
    await page.waitForTimeout(50);
    all.push(await page.evaluate(([doing, done, turn]) => new Promise((resolve) => {
      const [doIt, ready] = [eval(doing), eval(done)];
      const begin = performance.now();
      doIt(turn);
      const look = () => (ready(turn) ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin))) : requestAnimationFrame(look));
      look();
    }), [act.toString(), isDone.toString(), n]));
  }
  tell(name, all);
}

const begin = Date.now();
if (!process.env.FILLED) await fill();
console.log(`${25 + accounts * (users + 1)} associations, ${jobs} jobs, filled in ${Math.round((Date.now() - begin) / 1000)} s`);

await firstView('an empty page', '#/elsewhere', '.state');
await firstView('the queue, until its first rows are painted', '#/queue', '.order .body .row');
await firstView('the queue of one user', '#/queue?user=u7-0', '.order .body .row');
await firstView('a job', '#/job/1000500', '.factors tbody tr');
await firstView('what if, another weight', '#/whatif?p.PriorityWeightAge=5000', '.outcome .facts');
await firstView('administration of an account', '#/admin/a7-0', '.associations tbody tr');
await firstView('history of an account', '#/history/a7-0', '.changes, .state, .plotted');
await firstView('shares', '#/shares', '.shares .body .row');

const queue = await open('#/queue');
await queue.locator('.order .body .row').first().waitFor();
await deed('the queue: scroll anywhere', queue,
  (n) => { document.querySelector('.order').scrollTop = 34 * (37 + n * 40); },
  (n) => [...document.querySelectorAll('.order .body .row')].some((row) => row.getAttribute('aria-rowindex') === String(37 + n * 40 + 4)));
await deed('the queue: to those that cannot start, and back', queue,
  () => { location.hash = '#/queue?tab=held'; }, () => !document.querySelector('.order'), () => { location.hash = '#/queue'; });
await close(queue);
const shares = await open('#/shares');
await shares.locator('.shares .body .row').first().waitFor();
await deed('shares: open an account', shares,
  (n) => { location.hash = `#/shares/d${n % 25}`; }, (n) => document.querySelector('.crumbs b')?.textContent === `d${n % 25}`, () => { location.hash = '#/shares'; });
await shares.evaluate(() => { location.hash = '#/shares'; });
await shares.waitForTimeout(500);
await deed('shares: scroll anywhere', shares,
  (n) => { document.querySelector('.shares').scrollTop = 34 * (20 + n * 40); },
  (n) => [...document.querySelectorAll('.shares .body .row')].some((row) => row.getAttribute('aria-rowindex') === String(20 + n * 40 + 4)));
await close(shares);
await finish();
