// Walks every view of the page in a headless Chromium, as its readers would.
//
// usage: node walk.mjs FOLDER_OF_PAGE URL [FOLDER_FOR_PICTURES]
// Prints a line for each fault, and exits with 1 if there was one; see browser.mjs.
import assert from 'node:assert/strict';
import { check, close, everywhere, finish, open, url } from './browser.mjs';

const kViews = {
  queue: ['#/queue', '.order .body .row'],
  held: ['#/queue?tab=held', '.held .body .row'],
  job: ['#/job/40', '.factors tbody tr'],
  versus: ['#/job/40?versus=9', 'section[aria-labelledby=versus] table'],
  shares: ['#/shares', '.icicle .cell'],
  account: ['#/shares/chem', '.shares .body .row'],
  service: ['#/service', '.cards .card'],
  signin: ['#/signin', 'input[name=token]'],
  nowhere: ['#/elsewhere', '.state'],
};

await everywhere(kViews);

const json = async (method, request) => {
  const response = await fetch(`${url}v1/${method}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(request) });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
};
const number = (text) => Number(text.replaceAll(',', ''));
const job = (id, more = {}) => ({ jobId: id, user: 'ann', account: 'phys1', partitions: ['main'], qos: ['normal'], cpus: 1, nodes: 1, submitTime: '2026-11-20T13:00:00Z', ...more });

await check('the queue has the order and the figures of RankJobs', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  const shown = await page.locator('.order .body .row').evaluateAll((rows) => rows.slice(0, 20).map((row) => [...row.children].map((cell) => cell.textContent)));
  const { ranked } = await json('PriorityService/RankJobs', { tracked: {}, limit: 20, view: 'RANK_VIEW_FULL' });
  assert.deepEqual(shown.map((cells) => [number(cells[0]), cells[1], cells[2], cells[3], cells[4]]), ranked.map((row) => [row.rank, row.jobId, row.user, row.account, row.partition]));
  await close(page);
});

await check('a change of the queue is seen without a reload, and a name of markup is text', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  const name = '<img src=x onerror=alert(1)>';
  await json('PriorityService/UpdateJobs', { upserts: [job(name, { nice: -1000000 })] });
  await page.getByRole('link', { name, exact: true }).waitFor();
  assert.equal(await page.locator('.order img').count(), 0);
  await json('PriorityService/UpdateJobs', { removals: [name] });
  await page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });
  await close(page);
});

await check('a filter is in the address, and a link with it shows the same', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  await page.getByLabel('User').fill('ann');
  await page.waitForFunction(() => location.hash.includes('user=ann'));
  await page.waitForFunction(() => { const users = [...document.querySelectorAll('.order .body .c-user')]; return users.length > 0 && users.every((cell) => cell.textContent === 'ann'); });
  const address = page.url();
  await close(page);
  const again = await open(new URL(address).hash);
  await again.locator('.order .body .row').first().waitFor();
  assert.deepEqual([...new Set(await again.locator('.order .body .c-user').allTextContents())], ['ann']);
  await again.getByRole('link', { name: 'Clear' }).click();
  await again.waitForFunction(() => new Set([...document.querySelectorAll('.order .body .c-user')].map((cell) => cell.textContent)).size > 1);
  await close(again);
});

await check('an unknown user leaves an empty queue that says so', async () => {
  const page = await open('#/queue?user=nobody-of-that-name');
  await page.getByText('No job waits to start here.').waitFor();
  await close(page);
});

await check('no title of a job is cut on a phone', async () => {
  const page = await open('#/job/40', { width: 'phone' });
  await page.getByText('Its way through the tree').waitFor();
  const cut = await page.locator('main :is(h2, caption)').evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.textContent));
  assert.deepEqual(cut, []);
  await close(page);
});

await check('the job has the figures of ExplainPriority, and the other job decides by the same rule', async () => {
  const page = await open('#/job/40?versus=9');
  await page.locator('section[aria-labelledby=versus] table').waitFor();
  const told = await json('PriorityService/ExplainPriority', { tracked: {}, jobId: '40', compareTo: { jobId: '9' } });
  const text = await page.locator('main').innerText();
  for (const sentence of [...told.comparison.sentences.slice(0, 1)]) assert.ok(text.includes(sentence), sentence);
  const facts = await page.locator('.facts').first().innerText();
  assert.ok(facts.includes(told.user) && facts.includes(told.account));
  assert.equal(await page.locator('.factors tbody tr').count(), told.factors.length);
  await close(page);
});

await check('the spread of priorities tells how many rows are looked for, and their places in the whole queue', async () => {
  const page = await open('#/queue?user=eve');
  await page.locator('.spread').waitFor();
  const { ranked, rankedTotal } = await json('PriorityService/RankJobs', { tracked: {}, view: 'RANK_VIEW_FULL' });
  const ranks = ranked.filter((row) => row.user === 'eve').map((row) => row.rank);
  assert.equal(await page.locator('.spread .note').innerText(), `${ranks.length} of ${rankedTotal} rows are those filtered, at places ${ranks[0]} to ${ranks.at(-1)}.`);
  assert.ok(await page.locator('.bins .mine').count() > 0);
  await close(page);
});

await check('a job is forecast as ExplainPriority tells it for later, and an array is told as one thing', async () => {
  await json('PriorityService/UpdateJobs', { upserts: [job('sweep', { arrayTaskIds: '0-15:4,20%3', submitTime: new Date() })] });
  const page = await open('#/job/sweep');
  await page.locator('.forecast').waitFor();
  const { asOf } = await json('PriorityService/ExplainPriority', { tracked: {}, jobId: 'sweep' });
  const later = await json('PriorityService/ExplainPriority', { tracked: {}, jobId: 'sweep', asOf: new Date(Date.parse(asOf) + 7 * 86400e3) });
  const cells = await page.locator('.forecast tbody tr').last().locator('th, td').allInnerTexts();
  assert.deepEqual([cells[0], number(cells[1]), number(cells[2])], ['in 7 days', later.priority, later.rank]);
  assert.match(await page.locator('.itself').innerText(), /5 tasks wait as one entry \(0-15:4,20\), 3 at a time at most/);
  await json('PriorityService/UpdateJobs', { removals: ['sweep'] });
  await close(page);
});

await check('a job that is not there is an error that names it', async () => {
  const page = await open('#/job/no-such-job');
  await page.getByRole('alert').waitFor();
  assert.ok((await page.getByRole('alert').innerText()).includes('no-such-job'));
  await page.context().close();  // Its 404 is on the console.
});

await check('shares have the figures of ListShares, and an account is opened by the keyboard', async () => {
  const page = await open('#/shares');
  await page.locator('.shares .body .row').first().waitFor();
  const { shares } = await json('PriorityService/ListShares', {});
  const rows = await page.locator('.shares .body .row').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.equal(rows.length, shares.length);
  rows.forEach((cells, at) => {
    assert.equal(cells[0] || cells[1], shares[at].user || shares[at].account);
    assert.equal(cells[3], shares[at].normShares.toFixed(6));
    assert.equal(number(cells[4]), Math.round(shares[at].rawUsage));
  });
  await page.getByRole('button', { name: /^chem / }).first().focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#/shares/chem'));
  await close(page);
});

await check('the service says what GetStatus says', async () => {
  const page = await open('#/service');
  await page.locator('.cards .card').first().waitFor();
  const status = await json('AdminService/GetStatus', {});
  const text = await page.locator('main').innerText();
  assert.ok(text.includes(status.version) && text.includes(status.clusters[0].cluster));
  await close(page);
});

await check('without a service what was known stays, and says how old it is', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  await page.context().setOffline(true);
  // Chromium reports that it is offline before its network service has heard of it.
  await page.waitForFunction(() => fetch('openapi.json', { cache: 'no-store' }).then(() => false, () => true));
  await page.goto(`${url}#/service`);
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /does not answer/);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.cards .card').first().waitFor();
  await page.context().setOffline(true);
  await page.locator('.stale').waitFor();
  assert.match(await page.locator('.stale').innerText(), /Shown is what was known at \d\d:\d\d/);
  await page.context().close();
});

await check('the keyboard reaches the content first, and what is in focus is seen', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .row').first().waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await close(page);
});

await check('on a phone the view and its part that are looked at are in sight, and a new size moves nothing up or down', async () => {
  const page = await open('#/budgets?tab=cost', { width: 'phone' });
  await page.locator('.fields').waitFor();
  const inSight = () => page.waitForFunction(() => [...document.querySelectorAll('header nav [aria-current], .tabs [aria-current]')].map((one) => one.getBoundingClientRect()).every(({ left, right }) => left >= 0 && right <= innerWidth));
  await inSight();
  await page.evaluate(() => scrollTo(0, 300));
  const before = await page.evaluate(() => scrollY);
  assert.ok(before > 100, `${before}`);
  await page.setViewportSize({ width: 360, height: 500 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await inSight();
  assert.equal(await page.evaluate(() => scrollY), before);
  await close(page);
});

await check('each start of the queue is that of PlanStarts', async () => {
  const page = await open('#/queue');
  await page.locator('.order .body .c-start').first().waitFor();
  const shown = await page.locator('.order .body .row').evaluateAll((rows) => rows.slice(0, 20).map((row) => [row.querySelector('.c-job').textContent, row.querySelector('.c-start').textContent]));
  const { starts } = await json('PriorityService/PlanStarts', { tracked: {} });
  const planned = new Map(starts.map((start) => [start.jobId, start]));
  for (const [id, text] of shown) {
    const start = planned.get(id);
    assert.ok(start.startsNow ? text === 'now' : start.expectedStart ? /^\d{1,2} \w+ \d{4}, \d\d:\d\d$/.test(text) : text === 'not in sight', `${id}: ${text}`);
  }
  await close(page);
});

await check('however many priorities are huge, the bars of the others are read', async () => {
  const huge = Array.from({ length: 30 }, (_, i) => job(`huge-${i}`, { nice: -1000000 }));
  await json('PriorityService/UpdateJobs', { source: 'huge', upserts: huge });
  const page = await open('#/queue');
  await page.getByRole('link', { name: 'huge-0', exact: true }).waitFor();
  const widths = await page.locator('.order .body .row').evaluateAll((rows) => rows.filter((row) => !row.textContent.includes('huge-')).map((row) => row.querySelector('.bar')).filter(Boolean).map((bar) => Math.max(0, ...[...bar.querySelectorAll('i')].map((part) => part.getBoundingClientRect().width)) / bar.getBoundingClientRect().width));
  assert.ok(widths.length > 5 && widths.every((width) => width > 0.05), `${widths}`);
  await json('PriorityService/UpdateJobs', { source: 'huge', fullSync: true });
  await close(page);
});

await check('on a phone an id of seven digits is whole, beside account, partition and start', async () => {
  await json('PriorityService/UpdateJobs', { upserts: [job('8816123', { nice: -1000000 })] });
  const page = await open('#/queue', { width: 'phone' });
  const row = page.locator('.order .body .row').filter({ has: page.getByRole('link', { name: '8816123', exact: true }) });
  await row.locator('.c-start').waitFor();
  for (const name of ['job', 'user', 'account', 'partition', 'priority', 'start']) {
    const [inner, outer] = await row.locator(`.c-${name}`).evaluate((cell) => [cell.scrollWidth, cell.clientWidth]);
    assert.ok(outer > 0 && inner <= outer, `${name}: ${inner} pixels in ${outer}`);
  }
  await close(page);
  await json('PriorityService/UpdateJobs', { removals: ['8816123'] });
});

await check('on a phone a user is named beside the account, and the sum of points has its figure', async () => {
  const shares = await open('#/shares', { width: 'phone' });
  const user = await shares.locator('.shares .body .c-user').filter({ hasText: /./ }).first().boundingBox();
  const figure = await shares.locator('.shares .body .c-shares').first().boundingBox();
  assert.ok(user.x + user.width <= figure.x, `the user ends at ${user.x + user.width}, the shares begin at ${figure.x}`);
  await close(shares);
  const page = await open('#/job/40', { width: 'phone' });
  const [sum, points] = await Promise.all(['tfoot', 'tbody tr:first-child'].map((part) => page.locator(`.factors ${part} .strong`).boundingBox()));
  assert.equal(sum.x + sum.width, points.x + points.width);
  await close(page);
});

await check('what an account is called is read on the colour of its box', async () => {
  const page = await open('#/shares');
  await page.locator('.icicle .cell.chosen span').first().waitFor();
  const filled = await page.locator('.icicle .cell.chosen > *').evaluateAll((all) => all.filter((one) => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)').length);
  assert.equal(filled, 0);
  await close(page);
});

await check('names in the picture of shares have room for their descenders', async () => {
  const page = await open('#/shares');
  await page.locator('.icicle .cell span').first().waitFor();
  const cut = await page.locator('.icicle .cell span').evaluateAll((all) => all.filter((one) => parseFloat(getComputedStyle(one).lineHeight) < 1.2 * parseFloat(getComputedStyle(one).fontSize)).length);
  assert.equal(cut, 0);
  await close(page);
});

await check('times of sentences have the form of all others', async () => {
  const page = await open('#/job/40');
  await page.locator('.sentences li').first().waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /\d{4}-\d\d-\d\dT\d\d:/);
  await close(page);
});

await check('thousands of rows: few are in the document, and the last is reached', async () => {
  await json('PriorityService/UpdateJobs', { source: 'walk', upserts: Array.from({ length: 5000 }, (_, i) => job(`many-${i}`)) });
  const page = await open('#/queue?user=ann');
  await page.waitForFunction(() => Number(document.querySelector('.tabs b')?.textContent.replaceAll(',', '')) > 5000);
  await page.locator('.order .body .row').first().waitFor();
  assert.ok(await page.locator('.order .body .row').count() < 100);
  const toEnd = () => page.locator('.order').evaluate((box) => { box.scrollTop = box.scrollHeight; });
  await toEnd();
  // The first hundreds were there; now all are watched.
  await page.waitForFunction(() => Number(document.querySelector('.order [role=table]').getAttribute('aria-rowcount')) > 5000);
  await toEnd();
  const total = await page.locator('.tabs b').first().innerText();
  await page.getByRole('cell', { name: total, exact: true }).first().waitFor();
  await json('PriorityService/UpdateJobs', { source: 'walk', fullSync: true });
  await close(page);
});

await finish();
