// Walks what is over time, and what changes the site: history, what if, administration.
//
// usage: node walk_changes.mjs FOLDER_OF_PAGE URL [FOLDER_FOR_PICTURES]     (see browser.mjs)
// The server at URL is empty; deploy/example is taken from the folder it is run in.
import assert from 'node:assert/strict';
import { check, close, everywhere, finish, open, url } from './browser.mjs';
import { asker, fill } from './site.mjs';

const ask = asker(url);
await fill(ask, 'deploy/example');

await everywhere({
  history: ['#/history/chem', '.plotted canvas'],
  root: ['#/history?over=7d', '.plotted canvas'],
});

const number = (text) => Number(text.replaceAll(',', ''));

await check('history ends with the figures of ListShares, and each day has those of ReportUsage', async () => {
  const page = await open('#/history/chem');
  await page.locator('.plotted canvas').first().waitFor();
  const { shares, snapshot } = await ask('PriorityService/ListShares', { accounts: ['chem'] });
  const plots = page.locator('.plotted');
  const fay = shares.find((share) => share.user === 'fay');
  const told = async (at) => Object.fromEntries((await plots.nth(at).locator('.values li:not(.when)').allInnerTexts()).map((text) => text.trim().split(/\s+/)));
  assert.equal((await told(0)).fay, fay.fairShare.toFixed(3));
  assert.equal(number((await told(1)).fay), Math.round(fay.rawUsage / 3600));
  const { rows } = await ask('PriorityService/ReportUsage', { startTime: new Date(Date.parse(snapshot.computedAt) - 30 * 86400e3), endTime: snapshot.computedAt, bucket: 'REPORT_BUCKET_DAY', groupBy: ['REPORT_GROUPING_USER'], accounts: ['chem'], applyUsageFactor: true });
  const days = await told(2);
  for (const row of rows.filter((one) => one.startTime === rows.at(-1).startTime)) assert.equal(number(days[row.user]), Math.round(row.tresSeconds.billing / 3600));
  await close(page);
});

await check('the arrow keys go through the times, in all plots', async () => {
  const page = await open('#/history/chem');
  await page.locator('.plotted canvas').first().waitFor();
  const when = page.locator('.plotted .when').nth(1);
  const newest = await when.innerText();
  await page.locator('.plotted .canvas').nth(1).focus();
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction((before) => document.querySelectorAll('.plotted .when')[1].textContent !== before, newest);
  await page.keyboard.press('End');
  await page.waitForFunction((before) => document.querySelectorAll('.plotted .when')[1].textContent === before, newest);
  await close(page);
});

await check('resets and versions of the policy are marked, with who and why, in the zone of the site', async () => {
  const page = await open('#/history/biol');
  await page.locator('.changes tbody tr').first().waitFor();
  const rows = (await page.locator('.changes tbody tr').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  assert.ok(rows.some((row) => /Usage reset of account biol.*Its old cluster is gone/.test(row)), rows.join('\n'));
  assert.ok(rows.some((row) => /Policy version 2: PriorityDecayHalfLife=4-00:00:00.*A shorter memory/.test(row)), rows.join('\n'));
  assert.match(await page.locator('main').innerText(), /Europe\/Berlin/);
  await close(page);
});

await check('the time looked at is in the address, and an account leads to its users', async () => {
  const page = await open('#/history');
  await page.getByRole('link', { name: '7 days' }).click();
  await page.waitForFunction(() => location.hash.includes('over=7d'));
  await page.getByLabel('Look at one alone').getByRole('link', { name: 'chem' }).click();
  await page.getByLabel('Look at one alone').getByRole('link', { name: 'fay' }).click();
  await page.waitForFunction(() => decodeURIComponent(location.hash).startsWith('#/history/chem/fay') && location.hash.includes('over=7d'));
  await page.locator('.plotted .values').first().getByText('fay').waitFor();
  await close(page);
});

await finish();
