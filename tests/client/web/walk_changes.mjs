// Walks what is over time, and what changes the site: history, what if, administration.
//
// usage: node walk_changes.mjs FOLDER_OF_PAGE URL [FOLDER_FOR_PICTURES]     (see browser.mjs)
// The server at URL is empty; deploy/example is taken from the folder it is run in.
import assert from 'node:assert/strict';
import { accessible, check, close, everywhere, finish, open, url } from './browser.mjs';
import { asker, fill, policyOf } from './site.mjs';

const ask = asker(url);
await fill(ask, 'deploy/example');

await everywhere({
  history: ['#/history/chem', '.plotted canvas'],
  root: ['#/history?over=7d', '.plotted canvas'],
  whatif: ['#/whatif?p.PriorityWeightFairshare=2000&s.chem=10', '#apply'],
  supposes_nothing: ['#/whatif', '.outcome .state'],
  admin: ['#/admin/chem', '.associations button'],
  qos: ['#/admin?tab=qos', '.qos tbody tr'],
  audit: ['#/admin?tab=audit', '.audit tbody tr'],
  versions: ['#/whatif?tab=versions', '.diff table'],
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

await check('how old is what is shown is told in the zone of the site', async () => {
  const hour = () => new Date().toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' }).slice(0, 2);
  const possible = [hour()];
  const page = await open('#/service');
  await page.locator('.cards .card').first().waitFor();
  // The zone is known with the views.
  await page.getByLabel('Views').getByRole('link', { name: 'Service' }).waitFor();
  await page.context().setOffline(true);
  await page.locator('.stale').waitFor();
  possible.push(hour());
  const [, told] = (await page.locator('.stale').innerText()).match(/known at (\d\d):\d\d:\d\d/);
  assert.ok(possible.includes(told), `${told} is none of ${possible}`);
  await page.context().close();
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

const suppose = async (hash) => {
  const page = await open(hash);
  await page.locator('.outcome .facts').waitFor();
  return page;
};
// Step one shows the change, step two makes it.
const makeItSo = async (page, comment) => {
  await page.getByLabel('Why, for the record').fill(comment);
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('heading', { name: 'This would change' }).waitFor();
};
const newest = async () => (await ask('AdminService/ListPolicyVersions', {})).versions[0];

await check('what if has the figures of Simulate, and changes nothing', async () => {
  const before = await newest();
  const page = await suppose('#/whatif?p.PriorityWeightFairshare=2000&s.chem=10&later=1d');
  const { asOf } = await ask('PriorityService/RankJobs', { tracked: {}, limit: 1 });
  const policyText = policyOf('deploy/example', '4-0').replace(/PriorityWeightFairshare=.*/, 'PriorityWeightFairshare=2000');
  const told = await ask('PriorityService/Simulate', { tracked: {}, asOf, policyText, shares: [{ account: 'chem', rawShares: 10 }], later: new Date(Date.parse(asOf) + 86400e3), movedOnly: true, bestOnly: true, view: 'RANK_VIEW_FULL' });
  assert.deepEqual((await page.locator('.outcome .facts dd').allInnerTexts()).map(number), [told.movedUp, told.movedDown, told.unmoved]);
  const rows = await page.locator('.moved .body .row').evaluateAll((all) => all.slice(0, 10).map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.ok(rows.length > 5);
  rows.forEach((cells, at) => {
    const row = told.rows[at];
    assert.deepEqual([cells[0], cells[1], number(cells[3]), number(cells[4]), number(cells[7])], [row.jobId, row.user, row.before.rank, row.after.rank, row.after.priority]);
  });
  assert.deepEqual(await newest(), before);
  await close(page);
});

await check('a control is in the address as soon as it is moved, and goes from it when it is back', async () => {
  const page = await open('#/whatif');
  await page.getByLabel('Half-life of usage').fill('1-0');
  await page.waitForFunction(() => location.hash.includes('p.PriorityDecayHalfLife=1-0'));
  await page.getByLabel('Fair-share', { exact: true }).fill('1');
  await page.getByLabel('chem').fill('1');
  await page.waitForFunction(() => location.hash.includes('p.PriorityWeightFairshare=1&s.chem=1'));
  await page.getByText('was 10,000').waitFor();
  const again = await open(new URL(page.url()).hash);
  await again.locator('.outcome .facts').waitFor();
  assert.equal(await again.getByLabel('Half-life of usage').inputValue(), '1-0');
  await close(again);
  await page.getByLabel('Fair-share', { exact: true }).fill('10000');
  await page.waitForFunction(() => !location.hash.includes('Fairshare'));
  await page.getByLabel('Fair-share, slider').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => location.hash.includes('Fairshare=10100'));
  await close(page);
});

await check('what cannot be supposed is told in the words of the service', async () => {
  const page = await open('#/whatif?p.PriorityDecayHalfLife=soon');
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /PriorityDecayHalfLife.*soon/);
  await page.context().close();  // Its 400 is on the console.
});

await check('an administrator makes it so in two steps, and who was faster is not overwritten', async () => {
  const page = await suppose('#/whatif?p.PriorityWeightAge=1500&s.biol=25');
  const other = await suppose('#/whatif?p.PriorityWeightAge=1600');
  await makeItSo(page, 'A little more for biology');
  assert.equal((await newest()).version, '2');
  assert.match(await page.locator('[aria-labelledby=apply] .sentences').innerText(), /account biol: Fairshare=20 → Fairshare=25[^]*version 3: PriorityWeightAge = 1500/);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.versions').waitFor();
  const version = await newest();
  assert.deepEqual([version.version, version.comment], ['3', 'A little more for biology']);
  const { events } = await ask('AdminService/ListAuditEvents', { actions: ['UpdateAssociations'] });
  assert.deepEqual([events[0].object, events[0].after, events[0].comment], ['account biol', 'Fairshare=25', 'A little more for biology']);
  await close(page);
  await other.getByLabel('Why, for the record').fill('Too late');
  await other.getByRole('button', { name: 'Show what would change' }).click();
  await other.getByRole('alert').waitFor();
  assert.match(await other.getByRole('alert').innerText(), /version 3 now/);
  await close(other);
});

await check('shares that somebody else has changed since they were shown are not overwritten', async () => {
  const page = await suppose('#/whatif?s.biol=26');
  await makeItSo(page, 'Still more for biology');
  const where = { accounts: ['biol'], users: [''] };
  await ask('AdminService/UpdateAssociations', { where, settings: [{ name: 'Fairshare', value: '30' }] });
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal((await ask('AdminService/ListAssociations', { where })).associations[0].attributes.Fairshare, '30');
  await page.context().close();  // Its 409 is on the console.
});

await check('any two versions are compared, and an older one becomes the policy again', async () => {
  const page = await open('#/whatif?tab=versions');
  await page.getByRole('link', { name: 'From version 1' }).click();
  await page.getByRole('heading', { name: 'From version 1 to 3' }).waitFor();
  const rows = (await page.locator('.diff tbody tr').allInnerTexts()).map((row) => row.split('\t').slice(0, 3).map((cell) => cell.trim()));
  assert.deepEqual(rows.sort(), [['PriorityDecayHalfLife', '7-00:00:00', '4-00:00:00'], ['PriorityWeightAge', '1000', '1500']]);
  await makeItSo(page, 'Back to the beginning');
  await page.getByRole('button', { name: 'Make it as version 1 was' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  const { parameters, version } = await ask('AdminService/GetPolicy', {});
  assert.deepEqual([version, parameters.decayHalfLife], ['4', '604800s']);
  await close(page);
});

await check('the tree is as ListAssociations tells it, and an account leads to what is below', async () => {
  const page = await open('#/admin');
  await page.locator('.associations').getByRole('link', { name: 'phys', exact: true }).click();
  await page.locator('.associations').getByRole('link', { name: 'phys1', exact: true }).waitFor();
  const { associations } = await ask('AdminService/ListAssociations', { where: { parents: ['phys'] } });
  const shown = await page.locator('.associations tbody tr').evaluateAll((rows) => rows.map((row) => [row.children[0].textContent, row.children[1].textContent]));
  assert.deepEqual(shown, associations.map((row) => [row.user || row.account, row.attributes.Fairshare]));
  assert.ok(page.url().includes('#/admin/phys'));
  await close(page);
});

const edit = async (page, name) => {
  await page.getByRole('button', { name: `Change ${name}` }).click();
  await page.locator('.editor').waitFor();
};
const eve = async () => (await ask('AdminService/ListAssociations', { where: { accounts: ['chem'], users: ['eve'] } })).associations[0].attributes;

await check('shares and limits are changed in place, after what would change was told', async () => {
  const page = await open('#/admin/chem');
  await edit(page, 'User eve in chem');
  await page.getByLabel('Fairshare').fill('5');
  await page.getByLabel('GrpTRESMins').fill('cpu=9000');
  await makeItSo(page, 'Her thesis');
  assert.match(await page.locator('.editor .sentences').innerText(), /user eve account chem: .*Fairshare=2.* → .*Fairshare=5/);
  assert.equal((await eve()).Fairshare, '2');
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  assert.deepEqual([(await eve()).Fairshare, (await eve()).GrpTRESMins], ['5', 'cpu=9000']);
  await page.locator('.associations').getByText('GrpTRESMins=cpu=9000').waitFor();
  await page.getByRole('button', { name: 'Another change' }).click();
  await page.getByLabel('GrpTRESMins').fill('');
  await makeItSo(page, 'It is written');
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  assert.equal((await eve()).GrpTRESMins, undefined);
  await page.goto(page.url().replace(/#.*/, '#/admin?tab=audit&object=eve'));
  await page.locator('.audit tbody tr').first().waitFor();
  await page.locator('.audit').getByText('Her thesis').waitFor();
  await accessible(page);
  await close(page);
});

await check('what the reader has changed since it was shown is shown again before it is made', async () => {
  const page = await open('#/admin/chem');
  await edit(page, 'User eve in chem');
  await page.getByLabel('Fairshare').fill('6');
  await makeItSo(page, 'Her thesis');
  await page.getByLabel('Fairshare').fill('600');
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.locator('.editor').getByText('Nothing was changed').waitFor();
  assert.equal((await eve()).Fairshare, '5');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.locator('.editor .sentences').getByText('Fairshare=600').waitFor();
  await close(page);
});

await check('what somebody else has changed meanwhile is not overwritten, and is seen', async () => {
  const page = await open('#/admin/chem');
  await edit(page, 'User fay in chem');
  await page.getByLabel('Fairshare').fill('9');
  await ask('AdminService/UpdateAssociations', { where: { accounts: ['chem'], users: ['joy'] }, settings: [{ name: 'Fairshare', value: '3' }] });
  await page.getByLabel('Why, for the record').fill('x');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('row', { name: /^joy 3/ }).waitFor();
  await makeItSo(page, 'x');
  await page.context().close();  // Its 409 is on the console.
});

await check('a QOS is changed, and a value that cannot be is told in the words of the service', async () => {
  const page = await open('#/admin?tab=qos');
  await edit(page, 'QOS q10');
  await accessible(page);
  await page.getByLabel('Priority').fill('much');
  await page.getByLabel('Why, for the record').fill('x');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /got "much", want a whole number/);
  await page.getByLabel('Priority').fill('15');
  await makeItSo(page, 'A step between');
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  assert.equal((await ask('AdminService/ListQos', { names: ['q10'] })).qos[0].attributes.Priority, '15');
  await page.context().close();  // Its 400 is on the console.
});

const joy = async () => (await ask('AdminService/ListAssociations', { where: { accounts: ['chem'], users: ['joy'] } })).associations[0];
// `18 Dec 2026, 18:00`, in the zone of the site.
const momentOf = (iso) => new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Berlin' });

await check('a change with an end is a lease, and the setting says until when it holds, and what then', async () => {
  const page = await open('#/admin/chem');
  await edit(page, 'User joy in chem');
  await page.getByLabel('Fairshare').fill('1000');
  await page.getByLabel('GrpTRESMins').fill('cpu=70');
  await page.getByLabel('Until').fill('now+2days');
  await makeItSo(page, 'The review');
  assert.match(await page.locator('.editor .sentences').innerText(), /lease of user joy account chem: nothing → Begin=.* End=.* Fairshare=1000 GrpTRESMins=cpu=70/);
  assert.equal((await joy()).leased.length, 0);
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  const { attributes, leased } = await joy();
  assert.deepEqual([attributes.Fairshare, attributes.GrpTRESMins], ['3', undefined]);
  assert.deepEqual(leased.map(({ name, value, then }) => [name, value, then]), [['Fairshare', '1000', '3'], ['GrpTRESMins', 'cpu=70', '']]);
  const cells = page.getByRole('row', { name: /^joy / }).locator('td');
  await cells.getByText(`until ${momentOf(leased[0].until)}, then 3`).waitFor();
  assert.equal(await cells.nth(0).innerText(), `1000 until ${momentOf(leased[0].until)}, then 3`);
  assert.match(await cells.nth(2).innerText(), new RegExp(`GrpTRESMins=cpu=70 until ${momentOf(leased[1].until)}, then unset`));
  await accessible(page);
  await close(page);
});

await check('a lease that begins later says what the setting will be', async () => {
  await ask('AdminService/UpdateQos', { names: ['q200'], settings: [{ name: 'Priority', value: '77' }, { name: 'From', value: 'now+1day' }, { name: 'Until', value: 'now+3days' }] });
  const page = await open('#/admin?tab=qos');
  const { attributes, leased } = (await ask('AdminService/ListQos', { names: ['q200'] })).qos[0];
  const row = page.getByRole('row', { name: /^q200 / });
  await row.getByText(`until ${momentOf(leased[0].until)}, then 77`).waitFor();
  assert.equal(await row.locator('td').first().innerText(), `${attributes.Priority} until ${momentOf(leased[0].until)}, then 77`);
  await close(page);
});

await everywhere({ leases: ['#/admin?tab=leases', '.leases tbody tr'] });

await check('leases are listed as ListLeases tells them, and one is ended', async () => {
  const page = await open('#/admin/chem');
  await page.getByRole('link', { name: 'Leases' }).click();
  await page.locator('.leases tbody tr').first().waitFor();
  const { leases } = await ask('AdminService/ListLeases', {});
  const rows = await page.locator('.leases tbody tr').evaluateAll((all) => all.map((row) => [...row.children].slice(0, 6).map((cell) => cell.textContent)));
  const text = (lease) => lease.settings.map(({ name, value }) => `${name}=${value}`).join(' ');
  assert.deepEqual(rows, leases.map((one) => [one.id, one.object, text(one), momentOf(one.beginTime), momentOf(one.endTime), one.state.replace('LEASE_STATE_', '').toLowerCase()]));
  assert.deepEqual(rows.map((cells) => cells[5]), ['pending', 'active']);
  await page.getByRole('button', { name: `End lease ${leases[1].id} of user joy account chem` }).click();
  await makeItSo(page, 'Accepted early');
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.leases tbody tr').length === 1);
  await page.getByRole('link', { name: 'Past ones' }).click();
  // The clock stands still: it has not begun before its end.
  await page.locator('.leases').getByText('cancelled').waitFor();
  assert.equal((await joy()).leased.length, 0);
  const { events } = await ask('AdminService/ListAuditEvents', { actions: ['EndLeases'] });
  assert.deepEqual(events.map((event) => event.comment), ['Accepted early']);
  await close(page);
});

await check('an end that is no time is told in the words of the service', async () => {
  const page = await open('#/admin/chem');
  await edit(page, 'User joy in chem');
  await page.getByLabel('Fairshare').fill('8');
  await page.getByLabel('Until').fill('soon');
  await page.getByLabel('Why, for the record').fill('x');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /settings\[1\].value: got "soon"/);
  await page.context().close();  // Its 400 is on the console.
});

await check('a name of 196 letters is no wider than a phone', async () => {
  const long = 'account'.repeat(28);
  await ask('AdminService/CreateAssociations', { associations: [{ account: long, parentAccount: 'root' }] });
  await ask('AdminService/Recalculate', {});
  for (const [hash, landmark] of Object.entries({ '#/history': '.plotted canvas', [`#/history/${long}`]: '.crumbs', [`#/admin/${long}`]: '.crumbs', [`#/shares/${long}`]: '.crumbs' })) {
    const page = await open(hash, { width: 'phone' });
    await page.locator(landmark).first().waitFor();
    const [inner, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(inner <= screen, `${hash.slice(0, 12)}: ${inner} pixels on ${screen}`);
    await close(page);
  }
});

await finish();
