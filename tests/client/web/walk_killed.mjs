// Kills the server while people look, and starts it again.
//
// usage: node walk_killed.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// PRIORITYD_PID is the server at URL, with deploy/example and its jobs; COMMAND, one word a line, starts it again at the same address.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { accessible, check, finish, open, url } from './browser.mjs';

// The page says that there is nothing to show.
const kNothing = 'main .state:not(.failed):not(:has(.spinner))';
// Each view by its name: where it is, what is there once it is whole, and whether it asks again and again.
const kViews = {
  queue: ['queue', '.order .body .row', true],
  held: ['queue?tab=held', '.held .body .row', true],
  job: ['job/40', '.factors tbody tr', true],
  shares: ['shares', '.shares .body .row', true],
  budgets: ['budgets', kNothing, true],
  cost: ['budgets?tab=cost&user=ann', '.outcome .card'],
  history: ['history', 'main .note:has-text("Times are those of")', true],
  whatif: ['whatif?p.PriorityWeightAge=5', '.outcome .facts'],
  versions: ['whatif?tab=versions', 'main table', true],
  administration: ['admin/chem', '.associations button'],
  audit: ['admin?tab=audit', 'main table', true],
  service: ['service', '.cards .card', true],
};
const kAway = /The service does not answer\.|The connection was (lost|closed)\./;
const [program, ...flags] = process.env.COMMAND.split('\n');
let server = Number(process.env.PRIORITYD_PID);
let said = '';  // By the server, at its end.

const answers = () => fetch(`${url}readyz`).then((answer) => answer.ok, () => false);
async function until(isSo, what) {
  for (const begin = Date.now(); !(await isSo());) {
    assert.ok(Date.now() - begin < 300000, what);
    await new Promise((done) => { setTimeout(done, 50); });
  }
}
async function kill() {
  if (server) process.kill(server, 'SIGKILL');
  server = 0;
  await until(async () => !(await answers()), 'the server still answers');
}
// Meanwhile a connection of another process may have got a port: then the server is started once more.
function spawnServer() {
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  server = child.pid;
  said = '';
  child.stderr.on('data', (text) => { said = (said + text).slice(-2000); });
  child.on('close', () => {
    if (server !== child.pid) return;  // Killed.
    server = 0;
    if (said.includes('that no other program listens on')) setTimeout(spawnServer, 100);
  });
}
async function start() {
  spawnServer();
  await until(answers, 'the server does not come back').catch((error) => {
    throw new Error(`${error.message}: ${said}`);
  });
}

const told = (page) => page.locator('.stale, .failed').filter({ hasText: kAway }).filter({ hasText: /trying again/i });
// So that nobody waits for the next time that a view asks.
const jump = (page) => page.clock.fastForward(60000);
// A view may ask while the server is about to answer, and then asks again later.
async function comes(page, locator, state = 'visible') {
  for (const begin = Date.now(); ;) {
    await jump(page);
    try {
      await locator.waitFor({ state, timeout: 5000 });
      return;
    } catch (error) {
      if (Date.now() - begin > 300000) throw error;
    }
  }
}

for (const [name, [hash, landmark, asksAgain]] of Object.entries(kViews)) {
  if (!asksAgain) continue;
  await check(`${name}: what was known stays, is said to be old, and is new again without a reload`, async () => {
    const page = await open(`#/${hash}`, { before: (fresh) => fresh.clock.install() });
    await page.locator(landmark).first().waitFor();
    await page.evaluate(() => { window.isTheSame = true; });
    await kill();
    await comes(page, told(page).first());
    assert.ok(await page.locator(landmark).first().isVisible());
    await accessible(page, name);
    await start();
    await comes(page, told(page).first(), 'detached');
    assert.ok(await page.evaluate(() => window.isTheSame));
    await page.context().close();  // What did not answer is on the console.
  });
}

await check('rights that the service did not answer for are asked for again', async () => {
  const before = async (fresh) => {
    await fresh.clock.install();
    await fresh.route('**/v1/PriorityService/GetCaller*', (route) => route.abort(), { times: 1 });
  };
  const page = await open('#/admin/chem', { before });
  await told(page).first().waitFor();
  await comes(page, page.locator('.associations button').first());
  await comes(page, told(page).first(), 'detached');
  await page.context().close();
});

await check('each view to which somebody goes meanwhile says so, and is there as soon as the service is', async () => {
  const page = await open('#/service', { before: (fresh) => fresh.clock.install() });
  await page.locator('.cards .card').first().waitFor();
  for (const [name, [hash, landmark]] of Object.entries(kViews)) {
    await kill();
    await page.evaluate((to) => { location.hash = `#/${to}`; }, hash);
    await told(page).first().waitFor();
    assert.equal(await page.locator(landmark).count(), 0, name);
    await accessible(page, name);
    await start();
    await comes(page, page.locator(landmark).first());
    await comes(page, told(page).first(), 'detached');
  }
  await page.context().close();
});

await kill();
await finish();
