// Walks the budgets, and what jobs cost: each figure is the one that prioctl prints.
//
// usage: PRIOCTL=FILE PRIORITYD_SERVER=HOST:PORT node walk_budgets.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// The server at URL is empty, or FILLED=1 by a walk before; deploy/example is taken from the folder it is run in.
import assert from 'node:assert/strict';
import { check, close, everywhere, finish, open, url } from './browser.mjs';
import { prioctl, tableOf } from './prioctl.mjs';
import { asker, fill } from './site.mjs';

const ask = asker(url);
if (!process.env.FILLED) await fill(ask, 'deploy/example', { budgets: true });

await everywhere({
  budgets: ['#/budgets', '.budgets .body .row'],
  budget_of_account: ['#/budgets/chem', '.spenders tbody tr'],
  budget_of_user: ['#/budgets/chem%2Ffay', '.spenders, #spent ~ .note'],
  budget_of_qos: ['#/budgets?of=normal', '.spenders tbody tr'],
  budget_events: ['#/budgets?tab=events', '.events .body .row'],
  qos_usage: ['#/budgets?tab=qos', '.qos-usage tbody tr'],
  cost: ['#/budgets?tab=cost&user=fay&cpus=16&time=2-0', '.cost .parts'],
  no_cost: ['#/budgets?tab=cost', '.outcome .state'],
});

const number = (text) => (text === '' ? '' : Number(text.replaceAll(',', '').replace(/ ?%/, '')));
const cellsOf = (page, rows) => page.locator(rows).evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
// `5 Jan 2026, 18:00` as prioctl writes it, to the minute.
const isoOf = (text) => (/\d{4}, /.test(text) ? new Date(`${text} UTC`).toISOString().slice(0, 16) : { 'used up': 'used up', 'never at this rate': '-' }[text]);
const ownerOf = (row) => (row.QOS ? `QOS ${row.QOS}` : row.USER ? `${row.USER} in ${row.ACCOUNT}` : row.ACCOUNT);

// Times are those of the site's zone once it is known.
const zoned = (page) => page.getByLabel('Views').getByRole('link', { name: 'Service' }).waitFor();

const kBudget = ['ACCOUNT', 'USER', 'PARTITION', 'QOS', 'LIMIT', 'MINUTES', 'USED', 'USED%', 'RUNMINS', 'LEFT', 'PERDAY', 'RUNSOUT'];

await check('budgets have the figures that prioctl budget prints', async () => {
  const page = await open('#/budgets?sort=name');
  await page.locator('.budgets .body .row').first().waitFor();
  await zoned(page);
  const shown = (await cellsOf(page, '.budgets .body .row')).map((cells) => [cells[0], cells[1], ...[3, 4, 5, 6, 7, 8].map((at) => number(cells[at])), isoOf(cells[9])]);
  const printed = tableOf(prioctl('budget'), kBudget).map((row) => [ownerOf(row), row.LIMIT, ...['USED%', 'LEFT', 'MINUTES', 'USED', 'RUNMINS', 'PERDAY'].map((name) => number(row[name])), row.RUNSOUT.replace(/:\d\d$/, '')]);
  assert.ok(printed.length >= 6 && printed.some((row) => row[6] > 0));
  assert.deepEqual(shown, printed);
  await close(page);
});

await check('the fullest budget stands first, and thresholds are told by more than colour', async () => {
  const page = await open('#/budgets');
  await page.locator('.budgets .body .row').first().waitFor();
  const parts = (await cellsOf(page, '.budgets .body .row')).map((cells) => number(cells[3]));
  assert.deepEqual(parts, [...parts].sort((a, b) => b - a));
  const meters = await page.locator('.budgets .meter').evaluateAll((all) => all.map((one) => [one.className, one.getAttribute('aria-label')]));
  meters.forEach(([name, label], at) => {
    assert.equal(name, `meter at${parts[at] >= 100 ? 100 : parts[at] >= 80 ? 80 : parts[at] >= 50 ? 50 : 0}`);
    assert.ok(label.startsWith(`${parts[at].toFixed(1)} % used`), label);
  });
  await close(page);
});

await check('an account leads to its users, whose parts add up to its rate, and a user to her jobs', async () => {
  const page = await open('#/budgets');
  await page.locator('.budgets').getByRole('link', { name: 'chem', exact: true }).first().click();
  await page.locator('.spenders tbody tr').first().waitFor();
  const [budget] = tableOf(prioctl('budget', '-A', 'chem'), kBudget).filter((row) => row.USER === '' && row.LIMIT === 'GrpTRESMins=cpu');
  const card = await page.getByRole('region', { name: 'GrpTRESMins=cpu' }).innerText();
  assert.ok(card.includes(Number(budget.LEFT).toLocaleString('en', { maximumSignificantDigits: 6 })), card);
  const rows = await cellsOf(page, '.spenders tbody tr');
  assert.deepEqual(rows.map((cells) => cells[0]).sort(), ['eve', 'fay', 'joy']);
  const sum = rows.reduce((all, cells) => all + number(cells[1]), 0);
  assert.ok(Math.abs(sum - Number(budget.PERDAY)) < 1e-4 * sum, `${sum} ${budget.PERDAY}`);
  await page.getByRole('link', { name: 'wall-clock' }).click();
  await page.waitForFunction(() => document.querySelector('.spenders thead').textContent.includes('minutes a day') && !document.querySelector('.spenders thead').textContent.includes('cpu'));
  await page.locator('.spenders').getByRole('link', { name: 'fay' }).click();
  await page.waitForFunction(() => decodeURIComponent(location.hash).startsWith('#/budgets/chem/fay') && /^fay-/.test(document.querySelector('.spenders tbody th')?.textContent ?? ''));
  await close(page);
});

await check('what was reached is what prioctl budget events prints, newest first', async () => {
  const page = await open('#/budgets?tab=events');
  await page.locator('.events .body .row').first().waitFor();
  await zoned(page);
  const shown = (await cellsOf(page, '.events .body .row')).map((cells) => [isoOf(cells[0]), cells[1].replace(' ', ''), cells[2], cells[3], number(cells[4]), number(cells[5])]);
  const printed = tableOf(prioctl('budget', 'events'), ['ID', 'TIME', 'ACCOUNT', 'USER', 'PARTITION', 'QOS', 'LIMIT', 'REACHED', 'MINUTES', 'USED']);
  assert.ok(printed.length >= 4);
  assert.deepEqual(shown, printed.reverse().map((row) => [row.TIME.slice(0, 16), row.REACHED, ownerOf(row), row.LIMIT, number(row.USED), number(row.MINUTES)]));
  await close(page);
});

await check('usage of QOS has the figures that prioctl qos-usage prints', async () => {
  const page = await open('#/budgets?tab=qos');
  await page.locator('.qos-usage tbody tr').first().waitFor();
  const shown = (await cellsOf(page, '.qos-usage tbody tr')).map((cells) => cells.slice(-7).map((cell, at) => (at ? number(cell) : cell)));
  const printed = tableOf(prioctl('qos-usage'), ['QOS', 'TRES', 'USEDMINS', 'GRPTRESMINS', 'RUNMINS', 'GRPTRESRUNMINS', 'RUNNING', 'GRPTRES']);
  assert.ok(printed.length > 10);
  assert.deepEqual(shown, printed.map((row) => Object.values(row).slice(1).map((cell, at) => (at ? number(cell) : cell))));
  await close(page);
});

await check('a job costs on its page what prioctl cost prints', async () => {
  const page = await open('#/job/40');
  await page.locator('.cost').waitFor();
  const text = prioctl('cost', '40');
  const printed = tableOf(text, ['TRES', 'MINUTES', 'HOURS']);
  await page.locator('.cost summary').click();
  const shown = await cellsOf(page, '.held-tres tbody tr');
  assert.ok(printed.length > 0);
  assert.deepEqual(shown.map((cells) => [cells[0], number(cells[1]), number(cells[2])]), printed.map((row) => [row.TRES, number(row.MINUTES), number(row.HOURS)]));
  const sentences = await page.locator('.cost .sentences li').allInnerTexts();
  assert.ok(sentences.length > 1);
  for (const sentence of sentences) assert.ok(text.includes(sentence), sentence);
  await close(page);
});

await check('a job that nobody has submitted costs what EstimateJobCost says, and what cannot be read is told', async () => {
  const page = await open('#/budgets?tab=cost');
  const fields = page.getByRole('form', { name: 'The job' });
  await fields.getByLabel('User').fill('fay');
  await fields.getByLabel('CPUs in all').fill('16');
  await fields.getByLabel('Time limit').fill('2-0');
  await page.waitForFunction(() => location.hash.includes('time=2-0'));
  await page.locator('.cost .parts').waitFor();
  const { costs } = await ask('PriorityService/EstimateJobCost', { jobs: { jobs: [{ jobId: 'new', user: 'fay', nodes: 1, cpus: 16, timeLimit: '172800s' }] } });
  assert.equal(number(await page.locator('.cost .facts dd').first().innerText()), costs[0].usage / 3600);
  const rows = await cellsOf(page, '.parts tbody tr');
  assert.deepEqual(rows.map((cells) => [cells[1], number(cells[3])]), costs[0].budgets.map((part) => [part.budget.tres ? `GrpTRESMins=${part.budget.tres}` : 'GrpWall', part.jobMinutes]));
  await fields.getByLabel('Time limit').fill('two days');
  await page.getByText('want minutes, hours:minutes:seconds').waitFor();
  assert.equal(await page.locator('.cost').count(), 0);
  await close(page);
});

await check('who asks of an account without a limit is told so, and who spends nevertheless', async () => {
  const page = await open('#/budgets/phys1');
  await page.getByText('It has no limit on usage of its own.').waitFor();
  await page.locator('.spenders').getByRole('link', { name: 'ann' }).waitFor();
  await close(page);
});

await check('without a service the budgets stay, and say how old they are', async () => {
  const page = await open('#/budgets', { before: (fresh) => fresh.clock.install() });
  await page.locator('.budgets .body .row').first().waitFor();
  await page.context().setOffline(true);
  await page.clock.fastForward(31000);
  await page.locator('.stale').waitFor();
  assert.ok(await page.locator('.budgets .body .row').count() > 0);
  await page.context().close();
});

// What PlanStarts says of a job, which only a cluster with known nodes has.
const kStart = { jobId: '40', partition: 'main', qos: 'normal', expectedStart: '2026-11-24T06:30:00Z', startsNow: false, reserved: true, backfilled: false, reason: 'Resources', message: 'It waits for 4 nodes.', nodes: ['n1', 'n2', 'n3', 'n4', 'n5'], behindJobId: '1', rank: 3 };
const planned = (start) => async (page) => page.route('**/ExplainPriority', async (route) => {
  const answer = await route.fetch();
  await route.fulfill({ response: answer, json: { ...await answer.json(), ...(start ? { plannedStart: start } : { plannedStart: null }) } });
});

await check('a job tells when it is expected to start where the service knows, and says nothing where it does not', async () => {
  const page = await open('#/job/40', { before: planned(kStart) });
  await page.locator('.expected').waitFor();
  await page.locator('.facts').first().getByText('24 Nov 2026, 07:30').waitFor();
  assert.match(await page.locator('.expected').innerText(), /Resources It waits for 4 nodes. It waits for job 1. On n1, n2, n3, n4 and 1 more./);
  await close(page);
  const other = await open('#/job/40', { before: planned(undefined) });
  await other.locator('.factors').waitFor();
  assert.equal(await other.locator('.expected').count(), 0);
  assert.ok(!(await other.locator('.facts').first().innerText()).includes('Expected start'));
  await close(other);
});

await finish();
