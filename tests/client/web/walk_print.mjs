// Prints every view, shows a user's card, and looks at what is asked before the page's program is there.
//
// usage: node walk_print.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// The server at URL has deploy/example and its jobs.
import assert from 'node:assert/strict';
import { accessible, check, close, finish, open, url } from './browser.mjs';
import { asker } from './site.mjs';

const ask = asker(url);
const grant = { Accounts: 'chem', Amount: '2000h', Window: 'quarter', Borrow: '10%', Consequence: 'demote:q10' };
await ask('AdminService/UpdateGrants', { names: ['chem-2026'], allowMissing: true, settings: Object.entries(grant).map(([name, value]) => ({ name, value })) });
await ask('AdminService/Recalculate', {});

// Of each view where it is, what is there once it is whole, and what has to be on paper.
const kViews = {
  queue: ['#/queue', '.order .body .row', '.order .body .row'],
  held: ['#/queue?tab=held', '.held .body .row', '.held .body .row'],
  job: ['#/job/40?versus=9', 'section[aria-labelledby=versus] table', '.factors tbody tr'],
  shares: ['#/shares', '.shares .body .row', '.shares .body .row'],
  pies: ['#/shares?form=pies', '.pie .part', '.pie .part'],
  tree: ['#/shares?form=tree', '.boxes .part', '.boxes .part'],
  budgets: ['#/budgets', 'main .state:not([role])', 'h1'],
  grants: ['#/grants', '.grants .body .row', '.grants .body .row'],
  grant: ['#/grants/chem-2026', '.amounts tbody tr', '.statement tbody tr'],
  cost: ['#/budgets?tab=cost&user=fay&cpus=16&time=2-0', '.cost', '.cost .sentences'],
  history: ['#/history/chem', 'main h1', 'h1'],
  whatif: ['#/whatif?p.PriorityWeightFairshare=2000', '.moved .body .row', '.moved .body .row'],
  versions: ['#/whatif?tab=versions', '.versions tbody tr', '.versions tbody tr'],
  admin: ['#/admin/chem', '.associations tbody tr', '.associations tbody tr'],
  audit: ['#/admin?tab=audit', '.audit tbody tr', '.audit tbody tr'],
  service: ['#/service', '.cards .card', '.cards .card'],
};
const kPaper = { width: 703, height: 1000 };  // A4 upright, without its margins, at 96 pixels an inch.

const brightness = (colour) => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;

for (const [name, [hash, landmark, content]] of Object.entries(kViews)) {
  await check(`${name} prints as a report: no navigation, nothing beyond the paper, dark on white`, async () => {
    const page = await open(hash, { theme: 'dark' });
    await page.locator(landmark).first().waitFor();
    await page.setViewportSize(kPaper);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.waitForFunction(() => document.documentElement.hasAttribute('data-printing'));
    for (const gone of ['header', '.filters', 'main button:not(.cell)']) assert.equal(await page.locator(gone).filter({ visible: true }).count(), 0, gone);
    assert.ok(await page.locator(content).first().isVisible());
    const beyond = await page.evaluate((most) => [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > most + 1 && !one.closest('.unseen') && getComputedStyle(one).visibility !== 'hidden').map((one) => `${one.tagName}.${one.className} ${Math.round(one.getBoundingClientRect().right)}`), kPaper.width);
    assert.deepEqual(beyond.slice(0, 3), []);
    const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.querySelector('h1')).color, getComputedStyle(document.body).backgroundColor]);
    assert.ok(brightness(ink) < 80 && brightness(paper) > 250, `${ink} on ${paper}`);
    await close(page);
  });
}

await check('a table is printed whole, row below row, and is short again on the screen', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  const isWhole = (wanted) => page.waitForFunction((whole) => {
    const rows = Number(document.querySelector('.order [role=table]').getAttribute('aria-rowcount')) - 1;
    return rows > 0 && (document.querySelectorAll('.order .body .row').length === rows) === whole;
  }, wanted);
  await isWhole(false);
  await page.emulateMedia({ media: 'print' });
  await isWhole(true);
  const tops = await page.locator('.order .body .row').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top));
  assert.ok(tops.every((top, at) => at === 0 || top > tops[at - 1]));
  await page.emulateMedia({ media: 'screen' });
  await isWhole(false);
  await close(page);
});

await check('Chromium makes a report of several pages of the queue', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  const pdf = (await page.pdf({ preferCSSPageSize: true, format: 'A4' })).toString('latin1');
  assert.ok(pdf.match(/\/Type\s*\/Page\b/g).length >= 2);
  await close(page);
});

await check('the queue is asked for once, and before the program of the page is there', async () => {
  const sent = [];
  const page = await open('#/queue?user=fay', { before: async (fresh) => {
    fresh.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await fresh.route('**/app.js', async (route) => {
      // Whatever it takes: without the program nobody else asks.
      if (!sent.some((path) => path.endsWith('WatchRanking'))) await fresh.waitForRequest('**/WatchRanking');
      sent.push('the program');
      await route.continue();
    });
  } });
  await page.locator('.order .body .row').first().waitFor();
  const asked = sent.map((path, at) => (path.endsWith('WatchRanking') ? at : -1)).filter((at) => at >= 0);
  assert.equal(asked.length, 1, sent.join(' '));
  assert.ok(asked[0] < sent.indexOf('the program'), sent.join(' '));
  assert.deepEqual([...new Set(await page.locator('.order .body .c-user').allTextContents())], ['fay']);
  await close(page);
});

await check('all that the page is made of comes compressed, 250 kB at most', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  const files = await page.evaluate(() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter((one) => !new URL(one.name).pathname.startsWith('/v1/')).map((one) => [new URL(one.name).pathname, one.encodedBodySize, one.decodedBodySize]));
  assert.deepEqual(files.map(([path]) => path).filter((path) => !path.endsWith('.svg')).sort(), ['/', '/app.js', '/first.js', '/style.css']);
  assert.ok(files.every(([path, sent, whole]) => path.endsWith('.svg') || sent < 0.7 * whole), JSON.stringify(files));
  assert.ok(files.reduce((sum, [, sent]) => sum + sent, 0) <= 250000, JSON.stringify(files));
  await close(page);
});

await check('a card tells where the jobs of a user stand in the whole queue, and her fair-share', async () => {
  const page = await open('card?user=fay', { width: 'phone' });
  await page.locator('.portal tbody tr').first().waitFor();
  const jobs = await ask('PriorityService/RankJobs', { tracked: {}, users: ['fay'], bestOnly: true, limit: 3 });
  const { ranked, rankedTotal } = await ask('PriorityService/RankJobs', { tracked: {} });
  assert.deepEqual((await page.locator('.portal .facts dd').allInnerTexts()).map(Number), [jobs.rankedTotal, jobs.ineligibleTotal, jobs.runningTotal]);
  const rows = await page.locator('.portal table').first().locator('tbody tr').evaluateAll((all) => all.map((row) => [row.children[0].textContent, row.children[1].textContent]));
  assert.deepEqual(rows, jobs.ranked.map((row) => [row.jobId, `${ranked.find((one) => one.jobId === row.jobId && one.partition === row.partition && one.qos === row.qos).rank} of ${rankedTotal}`]));
  const { shares } = await ask('PriorityService/ListShares', { users: ['fay'] });
  assert.ok((await page.locator('.portal').innerText()).includes(shares.find((share) => share.user === 'fay').fairShare.toFixed(4)));
  assert.equal(await page.locator('.portal a').first().getAttribute('target'), '_blank');
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    await accessible(page, `card ${theme}`);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await close(page);
});

await check('a card of nobody says what it wants, and one of somebody without jobs that there are none', async () => {
  const nobody = await open('card');
  await nobody.getByRole('alert').waitFor();
  assert.match(await nobody.getByRole('alert').innerText(), /card\?user=NAME/);
  await nobody.context().close();
  const gus = await open('card?user=dan');
  await gus.locator('.portal .facts').waitFor();
  await close(gus);
});

await finish();
