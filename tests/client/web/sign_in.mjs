// Looks at a service that asks who is calling: signed out, with a wrong token, and as each role.
//
// usage: AMY=TOKEN CORA=TOKEN OLGA=TOKEN ROOT=TOKEN node sign_in.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
import assert from 'node:assert/strict';
import { accessible, check, finish, open, url } from './browser.mjs';
import { asker } from './site.mjs';

const signIn = async (page, token) => {
  await page.goto(`${new URL(page.url()).origin}/#/signin`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

for (const view of ['mine', 'queue', 'queue?tab=held', 'job/1', 'shares', 'budgets', 'budgets/a', 'budgets?tab=events', 'budgets?tab=qos', 'history', 'forecasts', 'whatif', 'whatif?tab=versions', 'admin', 'admin?tab=qos', 'admin?tab=audit', 'service']) {
  await check(`signed out, ${view} asks who you are and shows nothing`, async () => {
    const page = await open(`#/${view}`);
    await page.getByRole('alert').waitFor();
    assert.match(await page.getByRole('alert').innerText(), /Who are you/);
    assert.equal(await page.locator('table, [role=table]').count(), 0);
    await accessible(page);
    await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Token').waitFor();
    await page.context().close();
  });
}

await check('a wrong token is told to be wrong, and is not shown', async () => {
  const page = await open('');
  await signIn(page, 'not-a-token');
  await page.getByRole('alert').waitFor();
  assert.ok(!(await page.locator('body').innerText()).includes('not-a-token'));
  await page.context().close();
});

await check('a user signs in, sees what is hers to see, and signs out', async () => {
  const page = await open('');
  await signIn(page, `SLURM_JWT=${process.env.AMY}`);
  await page.getByText('No job of amy waits.').waitFor();
  await page.goto(page.url().replace(/#.*/, '#/shares'));
  await page.locator('.shares .body .row').first().waitFor();
  await page.goto(page.url().replace(/#.*/, '#/service'));
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /not for you to see[^]*amy[^]*operator/);
  assert.ok(!page.url().includes(process.env.AMY));
  const other = await page.context().newPage();
  await other.goto(page.url().replace(/#.*/, '#/queue'));
  await other.getByText('Who are you?').waitFor();
  await page.goto(page.url().replace(/#.*/, '#/signin'));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Who are you?').waitFor();
  await page.context().close();
});

await check('who signs in with a token comes to the view that asked for it, of the same cluster', async () => {
  const page = await open('#/shares?cluster=c');
  await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Token').fill(process.env.AMY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.shares .body .row').first().waitFor();
  assert.equal(new URL(page.url()).hash, '#/shares?cluster=c');
  await page.getByRole('link', { name: 'amy' }).first().click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  assert.equal(new URL(page.url()).hash, '#/signin?cluster=c');
  await page.evaluate(() => { window.isOfReader = true; });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Who are you?').waitFor();
  assert.equal(await page.evaluate(() => window.isOfReader), undefined, 'the page of the reader is still there');
  await page.context().close();
});

await check('a filter that no job fits leads to all jobs of the same cluster', async () => {
  const page = await open('');
  await signIn(page, process.env.AMY);
  await page.getByText('No job of amy waits.').waitFor();
  await page.goto(page.url().replace(/#.*/, '#/queue?cluster=c&user=amy'));
  assert.equal(await page.getByRole('link', { name: 'All jobs' }).getAttribute('href'), '#/queue?cluster=c');
  await page.context().close();
});

// amy is a user; root makes cora a coordinator and olga an operator.
const ask = asker(url, process.env.ROOT);
const settings = (name, value) => [{ name, value }];
await ask('AdminService/CreateAssociations', { associations: [{ account: 'below', parentAccount: 'a' }], allowExisting: true });
await ask('AdminService/CreateAssociations', { associations: [{ account: 'a', user: 'cora' }], settings: settings('Coordinators', 'a'), allowExisting: true });
await ask('AdminService/CreateAssociations', { associations: [{ account: 'a', user: 'olga' }], settings: settings('AdminLevel', 'Operator'), allowExisting: true });
await ask('AdminService/Recalculate', {});

const kEverybodys = ['Queue', 'Shares', 'Budgets', 'Grants', 'History', 'Forecasts', 'What if'];
const kUsers = ['My jobs', ...kEverybodys];
const kOperators = [...kEverybodys, 'Administration', 'Service'];
const kRoles = {
  user: { token: process.env.AMY, views: kUsers, tabs: ['Accounts and users', 'QOS', 'Leases'], changesRoot: false, changesA: false, shares: false, policy: false },
  coordinator: { token: process.env.CORA, views: [...kUsers, 'Administration'], tabs: ['Accounts and users', 'QOS', 'Leases'], changesRoot: false, changesA: true, shares: false, policy: false },
  operator: { token: process.env.OLGA, views: ['My jobs', ...kOperators], tabs: ['Accounts and users', 'QOS', 'Leases', 'Audit log'], changesRoot: true, changesA: true, shares: true, policy: false },
  administrator: { token: process.env.ROOT, views: ['My jobs', ...kOperators], tabs: ['Accounts and users', 'QOS', 'Leases', 'Audit log'], changesRoot: true, changesA: true, shares: true, policy: true },
};

// The views are shown before the user's rights are known, and then again.
const areOffered = async (page, views) => {
  await page.waitForFunction((names) => [...document.querySelectorAll('nav[aria-label=Views] a')].map((link) => link.textContent).join() === names, views.join()).catch(() => {});
  assert.deepEqual(await page.getByLabel('Views').getByRole('link').allInnerTexts(), views);
};

for (const [role, may] of Object.entries(kRoles)) {
  await check(`${role}: is offered what is hers, and nothing else`, async () => {
    const page = await open('');
    await signIn(page, may.token);
    const go = (hash) => page.goto(page.url().replace(/#.*/, hash));
    const has = (locator) => locator.count().then((n) => n > 0);
    await areOffered(page, may.views);
    for (const [account, changes] of [['', may.changesRoot], ['/a', may.changesA]]) {
      await go(`#/admin${account}`);
      // Shown last, once the user's rights are known.
      await page.getByText(changes ? 'What other shares would do' : 'Operators change it').waitFor();
      await page.locator('.crumbs b').getByText(account ? 'a' : 'root', { exact: true }).waitFor();
      assert.equal(await has(page.locator('.associations button')), changes, account);
    }
    assert.deepEqual(await page.locator('.tabs a').allInnerTexts(), may.tabs);
    await go('#/admin?tab=qos');
    await page.locator('.qos, main .state:not([role=status])').first().waitFor();
    await accessible(page);
    for (const [supposed, applies] of [['s.a=7', may.shares], ['p.PriorityWeightAge=5', may.policy]]) {
      await go(`#/whatif?${supposed}`);
      await page.locator('.outcome .facts').waitFor();
      if (applies) await page.getByRole('heading', { name: 'Make it so' }).waitFor();
      else assert.equal(await has(page.getByRole('heading', { name: 'Make it so' })), false, supposed);
    }
    await page.context().close();  // Refusals are on the console.
  });
}

// What GetCaller may answer, and what is then offered. Without an answer the page finds it out as it did before there was one.
const answering = (answer) => (page) => page.route('**/GetCaller*', (route) => route.fulfill(answer ? { json: answer } : { status: 501, json: { code: 12, message: 'unknown method' } }));
const caller = (name, roles, methods) => ({ name, credential: 'token', roles, coordinatedAccounts: [], methods });
// Of callers who may not call ScoreForecasts and ListGrants, or whose service has none.
const unscored = (views) => views.filter((name) => name !== 'Forecasts' && name !== 'Grants');
const kCallers = {
  'a user by GetCaller': [process.env.AMY, caller('amy', ['user'], ['PriorityService/RankJobs', 'PriorityService/ScoreForecasts', 'PriorityService/ListGrants']), kUsers],
  'a dashboard by GetCaller': [process.env.AMY, caller('grafana', ['dashboard'], ['AdminService/GetStatus']), [...unscored(kEverybodys), 'Service']],
  'a coordinator by GetCaller': [process.env.CORA, caller('cora', ['user', 'coordinator'], ['AdminService/UpdateAssociations']), [...unscored(kUsers), 'Administration']],
  'an operator by GetCaller': [process.env.OLGA, caller('olga', ['operator'], ['AdminService/UpdateAssociations', 'AdminService/UpdateQos', 'AdminService/ListAuditEvents', 'AdminService/GetStatus']), unscored(kOperators)],
  'an operator whose service has no GetCaller': [process.env.OLGA, undefined, unscored(kOperators)],
};

for (const [who, [token, answer, views]] of Object.entries(kCallers)) {
  await check(`${who} is offered what is hers`, async () => {
    const page = await open('', { before: answering(answer) });
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace('/v1/', '')));
    await signIn(page, token);
    await areOffered(page, views);
    assert.equal(asked.includes('AdminService/ListAuditEvents'), !answer, asked.join(' '));
    if (answer) await page.locator('.tools').getByText(answer.name).waitFor();
    await page.context().close();
  });
}

await check('where a reader goes as soon as the views are offered is not left again for the first view', async () => {
  const page = await open('', { before: (fresh) => fresh.addInitScript(() => {
    const offered = new MutationObserver(() => {
      if (![...document.querySelectorAll('nav[aria-label=Views] a')].some((link) => link.textContent === 'Administration')) return;
      offered.disconnect();
      location.hash = '#/admin';
    });
    offered.observe(document, { childList: true, subtree: true });
  }) });
  await signIn(page, process.env.OLGA);
  await page.getByText('What other shares would do').waitFor();
  await page.context().close();
});

await check('who asks for what is not hers by its address is refused by the service, and told why', async () => {
  const page = await open('');
  await signIn(page, process.env.AMY);
  await page.getByText('No job of amy waits.').waitFor();
  for (const hash of ['#/admin?tab=audit', '#/service']) {
    await page.goto(page.url().replace(/#.*/, hash));
    await page.getByRole('heading', { name: 'This is not for you to see' }).waitFor();
    await accessible(page);
  }
  await page.context().close();
});

await check('a coordinator changes shares below her account in place', async () => {
  const page = await open('');
  await signIn(page, process.env.CORA);
  await page.getByLabel('Views').getByRole('link', { name: 'Administration' }).click();
  await page.goto(page.url().replace(/#.*/, '#/admin/a'));
  await page.getByRole('button', { name: 'Change User ben in a' }).click();
  assert.equal(await page.locator('.editor').getByLabel('Priority').count(), 0);
  await page.getByLabel('Fairshare').fill('4');
  await page.getByLabel('Why, for the record').fill('His turn');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  const { associations } = await ask('AdminService/ListAssociations', { where: { accounts: ['a'], users: ['ben'] } });
  assert.equal(associations[0].attributes.Fairshare, '4');
  await page.context().close();
});

await finish();
