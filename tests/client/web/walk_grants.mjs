// Walks the grants: each figure is the one that prioctl prints, and usage that of ReportUsage.
//
// usage: PRIOCTL=FILE PRIORITYD_SERVER=HOST:PORT node walk_grants.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// The server at URL is empty, or FILLED=1 by a walk before; deploy/example is taken from the folder it is run in.
import assert from 'node:assert/strict';
import { check, close, everywhere, finish, open, url } from './browser.mjs';
import { myGrants } from './my_grants.mjs';
import { prioctl } from './prioctl.mjs';
import { asker, fill } from './site.mjs';

const ask = asker(url);
if (!process.env.FILLED) await fill(ask, 'deploy/example', { budgets: true, grants: true });

await everywhere({
  grants: ['#/grants', '.grants .body .row'],
  grants_past: ['#/grants?state=past', '.grants .body .row'],
  grants_none: ['#/grants?account=nobody', 'main .state:not([role])'],
  grant_of_account: ['#/grants/chem-2026', '.spenders tbody tr'],
  grant_of_user: ['#/grants/eve-cpu', '.spenders tbody tr'],
  grant_beside_another: ['#/grants/phys-2026', '.spenders tbody tr'],
  grant_to_come: ['#/grants/joy-next', '.spenders tbody tr'],
  what_if_of_grants: ['#/whatif?g.chem-2026=Amount%3D100h+Consequence%3Ddemote:Band%3D1&r.fay-cpu=1&t.phys-2026+phys-paper=10h', '.moved .body .row'],
});

// Of `prioctl ... -P`: rows by the names of their columns.
function printed(...words) {
  const [head, ...rows] = prioctl('grant', ...words, '-P').trimEnd().split('\n').map((line) => line.split('|'));
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]])));
}

const cellsOf = (page, rows) => page.locator(rows).evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
const number = (text) => Number(text.replaceAll(',', ''));
const six = (text) => (text === '' ? '–' : Number(text).toLocaleString('en', { maximumSignificantDigits: 6 }));
const cents = (text) => (text === '' ? '' : Number(text).toLocaleString('en', { maximumFractionDigits: 2 }));
// `1 Dec 2026, 00:00` as prioctl writes it, to the minute.
const isoOf = (text) => (text === '–' ? '' : new Date(`${text} UTC`).toISOString().slice(0, 16));
const zoned = (page) => page.getByLabel('Views').getByRole('link', { name: 'Service' }).waitFor();
const shown = async (hash) => {
  const page = await open(hash);
  await zoned(page);
  await page.locator('.grants .body .row').first().waitFor();
  return page;
};
const whole = async (name) => {
  const page = await open(`#/grants/${name}`);
  await zoned(page);
  await page.locator('.spenders tbody tr').first().waitFor();
  return page;
};
const figuresOf = async (page, region) => Object.fromEntries(await page.getByRole('region', { name: region, exact: true }).locator('.figures div').evaluateAll((all) => all.map((one) => [...one.children].map((cell) => cell.textContent))));
// Minutes of a TRES that were used in a time, by the report.
async function reported(filter, tres, startTime, endTime) {
  const { rows } = await ask('PriorityService/ReportUsage', { startTime, endTime, tres: [tres], applyUsageFactor: true, ...filter });
  return rows.reduce((sum, row) => sum + (row.tresSeconds[tres] ?? 0) / 60, 0);
}

await check('grants have the figures that prioctl grant list prints', async () => {
  const page = await shown('#/grants?sort=name');
  const rows = (await cellsOf(page, '.grants .body .row')).map(([name, whose, tres, window, granted, available, , used, left, state]) => [name, whose, tres, window.split(' ')[0], granted, available, used, left, state]);
  const list = printed('list').sort((a, b) => (a.NAME < b.NAME ? -1 : 1));
  assert.ok(list.length >= 7);
  assert.deepEqual(rows, list.map((row) => [row.NAME, row.OWNER, row.TRES, row.WINDOW.split(' ')[0], ...['GRANTED', 'AVAILABLE', 'USED', 'LEFT'].map((name) => six(row[name])), row.STATE]));
  await close(page);
});

await check('the fullest grant stands first, and a bar says in words what it shows', async () => {
  const page = await shown('#/grants');
  const [first] = await cellsOf(page, '.grants .body .row');
  assert.equal(first[0], 'fay-cpu');
  assert.equal(first[9], 'exhausted');
  assert.equal(first[10], 'jobs wait');
  const labels = await page.locator('.grants .meter').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  assert.ok(labels[0].startsWith(first[7] && `${((100 * number(first[7])) / number(first[5])).toFixed(1)} % used`), labels[0]);
  assert.ok(labels.some((label) => /240,000 minutes may be used beyond it/.test(label)), labels.join());
  assert.ok(labels.some((label) => /running jobs may use [\d,]+ minutes/.test(label)), labels.join());
  await close(page);
});

await check('a filter, a state and an order are in the address, and a link with them shows the same', async () => {
  const page = await shown('#/grants');
  const names = async () => (await cellsOf(page, '.grants .body .row')).map((cells) => cells[0]);
  await page.getByLabel('Account').fill('phys1');
  // Those of the accounts above it hold for it.
  await page.waitForFunction(() => location.hash.includes('account=phys1') && document.querySelectorAll('.grants .body .row').length === 2);
  assert.deepEqual((await names()).sort(), ['phys-2026', 'phys-paper']);
  await page.getByRole('link', { name: 'Clear' }).click();
  await page.getByLabel('User').fill('fay');
  await page.waitForFunction(() => location.hash.includes('user=fay') && document.querySelectorAll('.grants .body .row').length === 1);
  await page.getByRole('link', { name: 'Past', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'fay-old' }).waitFor();
  assert.deepEqual(await names(), ['fay-old']);
  const { hash } = new URL(page.url());
  await close(page);
  const again = await shown(hash);
  assert.deepEqual((await cellsOf(again, '.grants .body .row')).map((cells) => [cells[0], cells[9]]), [['fay-old', 'revoked']]);
  await close(again);
});

await check('a grant is opened by the keyboard, and its window has the parts that prioctl grant statement prints', async () => {
  const page = await shown('#/grants');
  await page.locator('.grants').getByRole('link', { name: 'chem-2026' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.spenders tbody tr').first().waitFor();
  const figures = await figuresOf(page, 'This window');
  const row = printed('statement', 'chem-2026').at(-1);
  assert.deepEqual([figures.Granted, figures['Carried over'], figures['Repaid to earlier windows'], figures.Transferred, figures.Available, figures.Used].map((text) => text), ['GRANTED', 'CARRIED', 'REPAID', 'TRANSFERRED', 'AVAILABLE', 'USED'].map((name) => cents(row[name])));
  assert.equal(figures.Granted, '8,500,000.25');
  assert.equal(figures.Transferred, '-100,000');
  assert.equal(number(figures['May be used beyond it']), cents(0.15 * 8500000.25) && number(cents(0.15 * 8500000.25)));
  assert.equal((await page.locator('.budget .left b').innerText()), cents(row.LEFT));
  await close(page);
});

await check('the statement is that of prioctl, window by window, and usage is that of the report', async () => {
  const page = await whole('chem-2026');
  const rows = (await cellsOf(page, '.statement tbody tr')).map((cells) => [isoOf(cells[0]), isoOf(cells[1]), ...cells.slice(3)]);
  const table = printed('statement', 'chem-2026');
  const kAmounts = ['GRANTED', 'CARRIED', 'REPAID', 'TRANSFERRED', 'AVAILABLE', 'USED', 'LEFT'];
  assert.ok(rows.length >= 2);
  assert.deepEqual(rows, table.map((row) => [row.BEGIN.slice(0, 16), row.END.slice(0, 16), ...kAmounts.map((name) => cents(row[name]))]));
  const [sum] = await cellsOf(page, '.statement tfoot tr');
  for (const [at, name] of kAmounts.slice(0, 6).entries()) {
    if (name === 'AVAILABLE') continue;  // What is carried over would be in it twice.
    assert.equal(sum[3 + at], cents(table.reduce((total, row) => total + number(row[name]), 0)), name);
  }
  const { windows } = await ask('PriorityService/GetGrantStatement', { name: 'chem-2026' });
  let used = 0;
  for (const [at, window] of windows.entries()) {
    const minutes = await reported({ accounts: ['chem'] }, 'cpu', window.beginTime, window.endTime);
    assert.ok(Math.abs(minutes - number(rows[at][7])) < 0.006, `${minutes} ${rows[at][7]}`);
    used += minutes;
  }
  assert.ok(used > 3e6);
  await close(page);
});

await check('when it runs out is what is left at the rate of the last days, and choosing others changes it', async () => {
  const page = await whole('eve-cpu');
  const { grant, snapshot } = await ask('PriorityService/GetGrantStatement', { name: 'eve-cpu' });
  const now = Date.parse(snapshot.computedAt);
  for (const [label, days] of [['7 days', 7], ['30 days', 30]]) {
    await page.getByLabel('The rate is that of the last').getByRole('link', { name: label }).click();
    await page.getByText(`Used a day in the last ${label}`).waitFor();
    const rate = (await reported({ users: ['eve'] }, 'cpu', new Date(now - days * 86400e3), snapshot.computedAt)) / days;
    await page.waitForFunction((text) => [...document.querySelectorAll('.figures dd')].some((one) => one.textContent === text), cents(rate));
    const figures = await figuresOf(page, 'When it is used up');
    const at = (minutes) => new Date(now + (minutes / rate) * 86400e3).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Berlin' });
    const last = Date.parse(grant.balance.endTime);
    const told = (minutes) => (now + (minutes / rate) * 86400e3 < last ? at(minutes) : 'not in this window');
    assert.deepEqual([figures['Runs out'], figures['With what is beyond it']], [told(grant.balance.leftMinutes), told(grant.balance.leftMinutes + 240000)]);
    assert.match(figures['Runs out'], /\d{4}/);
  }
  await close(page);
});

await check('a grant of a sum of TRES counts what was used of each times its weight', async () => {
  const { grant, snapshot } = await ask('PriorityService/GetGrantStatement', { name: 'eve-cpu' });
  const settings = { Accounts: 'chem', User: 'eve', TRES: 'cpu=0.5,gres/gpu=20', Amount: '100000000', Begin: grant.attributes.Begin };
  await ask('AdminService/UpdateGrants', { names: ['eve-sum'], allowMissing: true, settings: Object.entries(settings).map(([name, value]) => ({ name, value })) });
  await ask('AdminService/Recalculate', { asOf: snapshot.computedAt });
  const page = await whole('eve-sum');
  const now = Date.parse(snapshot.computedAt);
  const rate = 0.5 * (await reported({ users: ['eve'] }, 'cpu', new Date(now - 7 * 86400e3), snapshot.computedAt)) / 7;
  assert.ok(rate > 0);
  assert.equal((await figuresOf(page, 'When it is used up'))['Used a day in the last 7 days'], cents(rate));
  await page.getByText('minutes of cpu=0.5,gres/gpu=20 a day').waitFor();
  const { grant: sum } = await ask('PriorityService/GetGrantStatement', { name: 'eve-sum' });
  assert.equal(sum.balance.usedMinutes, 0.5 * grant.balance.usedMinutes);
  await ask('AdminService/RevokeGrants', { names: ['eve-sum'] });
  await close(page);
});

await check('what happens when it is used up is told, and until when, and why no time is', async () => {
  const told = async (name) => {
    const page = await whole(name);
    const text = await page.getByRole('region', { name: 'When it is used up' }).innerText();
    await close(page);
    return text;
  };
  assert.match(await told('fay-cpu'), /It is used up: its jobs wait, until .* or more is granted\.[^]*used up/);
  assert.match(await told('eve-cpu'), /When it is used up, and 240,000 minutes beyond it, its jobs have the QOS factor of q10, until/);
  assert.match(await told('biol-30'), /nothing happens\.[^]*falls out of its window day by day/);
  assert.match(await told('phys-paper'), /nor of the other grants of phys[^]*one after the other/);
  assert.match(await told('joy-next'), /It begins at [^]*its jobs wait/);
});

await check('versions of the amount tell who changed it and why, and grants of one owner lead to each other', async () => {
  const page = await whole('chem-2026');
  const rows = await cellsOf(page, '.amounts tbody tr');
  assert.deepEqual(rows.map((cells) => [cells[1], cells[3]]), [['8,000,000', 'call of autumn'], ['8,500,000.25', 'supplement']]);
  await close(page);
  const other = await whole('phys-2026');
  await other.getByRole('region', { name: 'When it is used up' }).getByRole('link', { name: 'phys-paper' }).click();
  await other.getByRole('heading', { name: 'Grant phys-paper' }).waitFor();
  await close(other);
});

await check('events of grants lead to them', async () => {
  const page = await open('#/budgets?tab=events');
  await page.locator('.events').getByRole('link', { name: 'grant fay-cpu' }).first().waitFor();
  const events = (await cellsOf(page, '.events .body .row')).filter((cells) => cells[3] === 'grant fay-cpu');
  // Some twice: a transfer changed what is available.
  assert.deepEqual([...new Set(events.map((cells) => cells[1]))].sort(), ['100 %', '50 %', '80 %']);
  await page.locator('.events').getByRole('link', { name: 'grant fay-cpu' }).first().click();
  await page.getByRole('heading', { name: 'Grant fay-cpu' }).waitFor();
  await close(page);
});

await check('a job that waits for a grant leads to it', async () => {
  await ask('PriorityService/UpdateJobs', { upserts: [{ jobId: 'granted', user: 'fay', account: 'chem', partitions: ['main'], qos: ['normal'], cpus: 1, nodes: 1, tres: { cpu: 1, node: 1 }, submitTime: new Date(), timeLimit: '3600s' }] });
  const page = await open('#/job/granted');
  await page.locator('.sentences').getByRole('link', { name: 'fay-cpu' }).first().click();
  await page.getByRole('heading', { name: 'Grant fay-cpu' }).waitFor();
  await ask('PriorityService/UpdateJobs', { removals: ['granted'] });
  await close(page);
});

await check('who has no grants is told how to create one, and an older service that it has none', async () => {
  const answers = (json, status = 200) => (page) => page.route('**/ListGrants', (route) => route.fulfill({ status, json }));
  const page = await open('#/grants', { before: answers({ cluster: '', grants: [], etag: '' }) });
  await page.getByText('prioctl grant create').waitFor();
  await close(page);
  const old = await open('#/grants', { before: async (fresh) => {
    await answers({ code: 5, message: 'path: want one of those that /openapi.json lists', details: [{ reason: 'NO_SUCH_METHOD' }] }, 404)(fresh);
    await fresh.route('**/GetCaller*', async (route) => {
      const answer = await route.fetch();
      const caller = await answer.json();
      await route.fulfill({ response: answer, json: { ...caller, methods: caller.methods.filter((method) => !method.includes('Grant')) } });
    });
  } });
  await old.getByText('This service is of a version that has no grants.').waitFor();
  await zoned(old);
  assert.equal(await old.getByLabel('Views').getByRole('link', { name: 'Grants' }).count(), 0);
  await old.context().close();  // Its 404 is on the console.
});

await check('grants of the usage domain are beside those of the member, lead there, and are left out where they are not shown', async () => {
  const asked = [];
  const with_domain = (answer) => async (page) => page.route('**/ListGrants', async (route) => {
    const { cluster } = route.request().postDataJSON();
    asked.push(cluster);
    if (cluster === 'site') return route.fulfill(answer);
    const own = await (await route.fetch()).json();
    return route.fulfill({ json: { ...own, domain: 'site' } });
  });
  const { grants } = await ask('PriorityService/ListGrants', { names: ['chem-2026'] });
  const page = await open('#/grants?sort=name', { before: with_domain({ json: { cluster: 'site', etag: '', grants: [{ ...grants[0], balance: { ...grants[0].balance, usedMinutes: 77 } }] } }) });
  await page.getByText('of domain site').waitFor();
  assert.ok(asked.includes('site'));
  const rows = (await cellsOf(page, '.grants .body .row')).filter(([name]) => name.startsWith('chem-2026'));
  assert.deepEqual(rows.map((cells) => cells[0]), ['chem-2026', 'chem-2026 of domain site']);
  assert.equal(rows[1][7], '77');
  assert.equal(await page.locator('.grants .row', { hasText: 'of domain site' }).getByRole('link').getAttribute('href'), '#/grants/chem-2026?cluster=site');
  await close(page);
  const denied = await open('#/grants', { before: with_domain({ status: 403, json: { code: 7, message: 'no', details: [] } }) });
  await denied.locator('.grants .body .row').first().waitFor();
  assert.equal(await denied.getByText('of domain').count(), 0);
  await denied.context().close();  // Its 403 is on the console.
});

await myGrants({ cellsOf, six });

await check('a grant that is not there is an error that names it', async () => {
  const page = await open('#/grants/no-such-grant');
  await page.getByRole('alert').waitFor();
  assert.ok((await page.getByRole('alert').innerText()).includes('no-such-grant'));
  await page.context().close();  // Its 404 is on the console.
});

// The sentences of `prioctl what-if`, each with its users: before, after, of each owner.
function saidOf(...words) {
  const all = [];
  for (const line of prioctl('what-if', ...words).split('\n')) {
    const [, effect] = line.match(/^ {2}(?:before|after): (.*)/) ?? [];
    const [, user, jobs] = line.match(/^ {4}(\S+ in \S+: [\d,]+ pending) (jobs?)$/) ?? [];
    if (effect) all.push([effect]);
    else if (user) all.at(-1).push(`${user} ${jobs}`);
  }
  return all;
}
const supposed = async (query) => {
  const page = await open(`#/whatif?${query}`);
  await page.locator('.outcome .facts').waitFor();
  return page;
};
const effectsOf = (page) => page.locator('.granted dd').evaluateAll((all) => all.map((one) => [one.firstChild.textContent, ...[...one.querySelectorAll('li')].map((item) => item.textContent.replace(/pending job$/, 'pending jobs'))]));
const lower = (rows) => rows.map(([text, ...users]) => [text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, ''), ...users]);
const simulated = (request) => ask('PriorityService/Simulate', { tracked: {}, movedOnly: true, bestOnly: true, view: 'RANK_VIEW_FULL', ...request });
const factsOf = async (page) => (await page.locator('.outcome .facts dd').allInnerTexts()).map(number);

await check('what if with a changed, a revoked and a new grant has the sentences of prioctl what-if and the jobs of Simulate', async () => {
  const { etag } = await ask('PriorityService/ListGrants', {});
  const page = await supposed('g.eve-cpu=Amount%3D100h+Consequence%3Ddemote:Band%3D1&g.gus=Accounts%3Dchem+User%3Dgus+TRES%3Dcpu+Amount%3D1h+Consequence%3Dwarn&r.fay-cpu=1');
  const settings = (words) => words.map((word) => ({ name: word.split('=')[0], value: word.slice(word.indexOf('=') + 1) }));
  const told = await simulated({ grants: [{ name: 'eve-cpu', settings: settings(['Amount=100h', 'Consequence=demote:Band=1']) }, { name: 'gus', settings: settings(['Accounts=chem', 'User=gus', 'TRES=cpu', 'Amount=1h', 'Consequence=warn']) }, { name: 'fay-cpu', revoked: true }] });
  const said = saidOf('--grant', 'eve-cpu Amount=100h Consequence=demote:Band=1', '--grant', 'gus Accounts=chem User=gus TRES=cpu Amount=1h Consequence=warn', '--revoke-grant', 'fay-cpu');
  assert.equal(said.length, 6, 'three owners');
  assert.ok(said.some(([text, ...users]) => text.includes('grant eve-cpu is used up') && users.some((user) => user.startsWith('eve in chem: 14 '))), JSON.stringify(said));
  assert.deepEqual(lower(await effectsOf(page)), said);
  assert.ok(told.movedUp > 0 && told.movedDown > 0, 'else it is no test of the jobs');
  assert.deepEqual(await factsOf(page), [told.movedUp, told.movedDown, told.unmoved]);
  const rows = await cellsOf(page, '.moved .body .row');
  assert.deepEqual(rows.slice(0, 10).map((cells) => cells[0]), told.rows.slice(0, 10).map((row) => row.jobId));
  assert.ok(told.rows.some((row) => row.user === 'fay' && row.before.ineligibleReason === 'AssocGrpCPUMinutesLimit' && row.after.rank > 0), 'jobs of fay no longer wait');
  assert.deepEqual((await page.getByRole('region', { name: 'The commands' }).innerText()).trim().split('\n'), ['prioctl grant update eve-cpu Amount=100h Consequence=demote:Band=1', 'prioctl grant create gus Accounts=chem User=gus TRES=cpu Amount=1h Consequence=warn', 'prioctl grant revoke fay-cpu']);
  assert.equal((await ask('PriorityService/ListGrants', {})).etag, etag, 'nothing was changed');
  await close(page);
});

await check('a grant is supposed by the form from what it is, changed in its field, and no longer supposed by an empty one', async () => {
  const page = await open('#/whatif');
  const form = page.getByRole('form', { name: 'A grant' });
  await form.getByLabel('A grant, or the name of a new one').fill('eve-cpu');
  await form.getByRole('button', { name: 'Suppose' }).click();
  const field = page.getByLabel('eve-cpu', { exact: true });
  await field.waitFor();
  assert.equal(await field.inputValue(), 'Amount=1200000 Consequence=demote:q10');
  await page.locator('.granted').getByText(/is not used up/).first().waitFor();
  await field.fill('Amount=10h Consequence=block');
  await page.getByText('was Amount=1200000 Consequence=demote:q10').waitFor();
  await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).get('g.eve-cpu') === 'Amount=10h Consequence=block');
  await page.locator('.granted').getByText(/eve in chem: 14 pending jobs/).waitFor();
  await field.fill('');
  await page.waitForFunction(() => !location.hash.includes('eve-cpu'));
  await form.getByLabel('A grant, or the name of a new one').fill('fay-cpu');
  await form.getByRole('button', { name: 'Without it' }).click();
  await page.waitForFunction(() => location.hash.includes('r.fay-cpu=1'));
  await page.getByRole('button', { name: 'Keep fay-cpu' }).click();
  await page.waitForFunction(() => !location.hash.includes('fay-cpu'));
  await close(page);
});

await check('a transfer is supposed for both owners, in minutes or hours', async () => {
  const page = await open('#/whatif');
  const form = page.getByRole('form', { name: 'A transfer' });
  await form.getByLabel('From grant').fill('eve-cpu');
  await form.getByLabel('To grant').fill('fay-cpu');
  await form.getByLabel('Amount').fill('25000h');
  await form.getByRole('button', { name: 'Move' }).click();
  await page.locator('.granted').nth(1).waitFor();
  assert.deepEqual(lower(await effectsOf(page)), saidOf('--transfer', 'eve-cpu fay-cpu 25000h'));
  const told = await simulated({ grantTransfers: [{ from: 'eve-cpu', to: 'fay-cpu', amountMinutes: 1500000 }] });
  assert.ok(told.movedUp > 0, 'fay has 1,500,000 more and then something left');
  assert.deepEqual(await factsOf(page), [told.movedUp, told.movedDown, told.unmoved]);
  assert.equal((await page.getByRole('region', { name: 'The commands' }).innerText()).trim(), 'prioctl grant transfer eve-cpu fay-cpu --amount 25000h');
  await close(page);
});

await check('grants that cannot be supposed are told before the service is asked, or in its words', async () => {
  for (const [query, text] of [
    ['g.eve-cpu=Amount', /eve-cpu: got Amount, want SETTING=VALUE/],
    ['t.eve-cpu+fay-cpu=much', /got much, want an amount/],
    ['g.eve-cpu=Amount%3D1h&r.eve-cpu=1', /got settings of a revoked grant/],
    ['r.nobody=1', /nobody/],
    ['t.eve-cpu+phys-2026=1h', /phys-2026/],
  ]) {
    const page = await open(`#/whatif?${query}`);
    await page.getByRole('alert').waitFor();
    assert.match(await page.getByRole('alert').innerText(), text);
    page.errors.length = 0;  // Chromium notes the refused call.
    await close(page);
  }
});

await finish();
