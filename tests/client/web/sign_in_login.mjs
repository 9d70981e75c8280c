// Signs in with the login of a real OpenID provider, and tries what a thief, a wrong provider and another site would.
//
// usage: node sign_in_login.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// FOLDER has the keys of provider.mjs and session.key; PROVIDER_PORT is that of the issuer in the auth file; ROOT, AMY are tokens.
import assert from 'node:assert/strict';
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { accessible, check, finish, kWidths, open, url } from './browser.mjs';
import { kTokenFaults, SiteLogin } from './provider.mjs';
import { asker } from './site.mjs';

const folder = process.env.FOLDER;
const login = new SiteLogin(process.argv[2], folder, Number(process.env.PROVIDER_PORT), url);
await login.ready;
const origin = new URL(url).origin;
const ask = asker(url, process.env.ROOT);
const json = { 'Content-Type': 'application/json' };
const job = (jobId, user, more = {}) => ({ jobId, user, account: 'a', partitions: ['p'], cpus: 4, nodes: 1, timeLimit: '3600s', submitTime: new Date().toISOString(), ...more });
await ask('PriorityService/UpdateJobs', { source: 'site', upserts: [
  job('8816001', 'ben', { state: 'JOB_STATE_RUNNING', cpus: 8, startTime: new Date().toISOString() }),
  job('8816002', 'ben', { cpus: 10 }), job('8816003', 'amy', { cpus: 2, timeLimit: '7200s' }), job('8816004', 'amy', { hold: 'HOLD_USER' }), job('8816005', 'amy'),
] });

// A browser without scripts: it keeps cookies by host.
class Jar {
  cookies = new Map();
  async get(to, { keeps = true, headers = {} } = {}) {
    const response = await fetch(to, { redirect: 'manual', headers: { ...headers, Cookie: this.header() } });
    if (keeps) this.take(response);
    return response;
  }
  take(response) {
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
  }
  header() {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

// Follows the login's forms until it sends the browser back to the page; returns that address.
async function backFrom(jar, user, to) {
  for (let at = to; ;) {
    if (at.startsWith(url)) return at;
    let response = await jar.get(at);
    if (response.status === 200) {
      const text = await response.text();
      const action = /action="([^"]+)"/.exec(text)[1];
      const prompt = /name="prompt" value="([^"]+)"/.exec(text)[1];
      const body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: user, password: 'any' }) });
      response = await fetch(new URL(action, at), { method: 'POST', redirect: 'manual', body, headers: { Cookie: jar.header() } });
      jar.take(response);
    }
    assert.ok([302, 303].includes(response.status), `${response.status} of ${at}`);
    at = new URL(response.headers.get('location'), at).href;
  }
}

async function begun(user = 'amy', to = '') {
  const jar = new Jar();
  const begin = await jar.get(`${url}signin/begin?to=${encodeURIComponent(to)}`);
  assert.equal(begin.status, 303);
  return { jar, done: await backFrom(jar, user, begin.headers.get('location')) };
}

const failedAs = (response) => /#\/signin\?failed=(\w+)$/.exec(response.headers.get('location'))?.[1];
const kSession = 'priorityd-session';
const call = (cookie, { method = 'PriorityService/GetCaller', headers = { Origin: origin }, body = {} } = {}) =>
  fetch(`${url}v1/${method}`, { method: 'POST', headers: { ...json, ...headers, Cookie: cookie }, body: JSON.stringify(body) });
const reasonOf = async (response) => JSON.stringify(await response.json());

// The same seal by another implementation.
function sealed(purpose, content, secret = readFileSync(`${folder}/session.key`, 'utf8').trim()) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHmac('sha256', secret).update('priorityd sign-in 1').digest(), nonce);
  cipher.setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
}
const session = (more = {}) => ({ issuer: login.issuer, name: 'amy', ends: Math.floor(Date.now() / 1000) + 600, ...more });

const kInteraction = 'button[type=submit], input[type=submit]';
async function signInBy(page, user) {
  await page.getByRole('link', { name: /^Sign in at 127/ }).click();
  await page.locator('input[name=login]').fill(user);
  await page.locator('input[name=password]').fill('any');
  await page.locator(kInteraction).first().click();
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator(kInteraction).first().click();
}

await check('a user signs in with the login, lands on their own jobs, and no script finds a token', async () => {
  const page = await open('');
  await page.getByRole('link', { name: 'Sign in', exact: true }).first().click();
  await signInBy(page, 'amy');
  await page.getByRole('heading', { name: 'My jobs' }).waitFor();
  await page.locator('.mine').first().waitFor();
  assert.deepEqual((await page.locator('.mine h3').allInnerTexts()).map((text) => text.trim()).sort(), ['8816003', '8816004', '8816005']);
  assert.equal(await page.evaluate(() => document.cookie), '');
  assert.equal(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, location.href])).then((text) => /eyJ|code=/.test(text)), false);
  const cookie = (await page.context().cookies(url)).find((one) => one.name === kSession);
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Lax', '/']);
  await accessible(page);
  const other = await page.context().newPage();
  await other.goto(url);
  await other.getByRole('heading', { name: 'My jobs' }).waitFor();
  await other.getByRole('link', { name: 'amy' }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.locator(kInteraction).first().click();
  await other.waitForURL(`${url}**`);
  await other.getByText('Who are you?').waitFor();
  assert.equal((await other.context().cookies(url)).filter((one) => one.name === kSession).length, 0);
  await page.context().close();
});

await check('a link to a view is where the sign-in leads', async () => {
  const { jar, done } = await begun('amy', '/job/8816003');
  const response = await jar.get(done);
  assert.equal(response.headers.get('location'), `${url}#/job/8816003`);
  const caller = await (await call(jar.header())).json();
  assert.deepEqual([caller.name, caller.credential, caller.roles], ['amy', 'token', ['user']]);
  for (const to of ['//elsewhere.example.org', 'https://elsewhere.example.org/', '\r\nX: 1', '"><script>']) {
    const odd = await begun('amy', to);
    assert.ok((await odd.jar.get(odd.done)).headers.get('location').startsWith(url), to);
  }
});

await check('a code is of use once, in the browser that began, with its state', async () => {
  const { jar, done } = await begun();
  assert.equal(failedAs(await new Jar().get(done)), 'state');
  const wrong = new URL(done);
  wrong.searchParams.set('state', 'wrong');
  assert.equal(failedAs(await jar.get(wrong, { keeps: false })), 'state');
  const other = await begun('ben');
  assert.equal(failedAs(await other.jar.get(done, { keeps: false })), 'state');
  const first = await jar.get(done, { keeps: false });
  assert.equal(failedAs(first), undefined);
  assert.equal(failedAs(await jar.get(done, { keeps: false })), 'refused');
  jar.take(first);
  assert.equal(failedAs(await jar.get(done)), 'state');
  const from = new URL((await begun()).done);
  from.searchParams.set('iss', 'https://elsewhere.example.org');
  const again = await begun();
  from.searchParams.set('state', new URL(again.done).searchParams.get('state'));
  assert.equal(failedAs(await again.jar.get(from)), 'refused');
});

await check('a code of one sign-in does not serve another: PKCE binds it', async () => {
  const [one, two] = [await begun('amy'), await begun('ben')];
  const mixed = new URL(two.done);
  mixed.searchParams.set('code', new URL(one.done).searchParams.get('code'));
  assert.equal(failedAs(await two.jar.get(mixed)), 'refused');
});

await check('what the login refuses is said', async () => {
  const { jar, done } = await begun();
  const refused = new URL(done);
  refused.searchParams.delete('code');
  refused.searchParams.set('error', 'access_denied');
  assert.equal(failedAs(await jar.get(refused)), 'refused');
  const page = await open('#/signin?failed=refused');
  assert.match(await page.getByRole('alert').innerText(), /The login refused it/);
  await accessible(page);
  await page.context().close();
});

for (const fault of kTokenFaults) {
  await check(`an ID token that is wrong in its ${fault} begins no session`, async () => {
    const { jar, done } = await begun();
    login.fault = fault;
    const response = await jar.get(done).finally(() => { login.fault = ''; });
    assert.equal(failedAs(response), 'token');
    assert.equal(jar.cookies.has(kSession), false);
  });
}

for (const fault of ['silent', 'huge', 'redirect', 'markup']) {
  await check(`a login whose answer is ${fault} is given up, and others are served meanwhile`, async () => {
    const { jar, done } = await begun();
    login.fault = fault;
    const begin = Date.now();
    const [response, meanwhile] = await Promise.all([jar.get(done), fetch(`${url}readyz`)]).finally(() => { login.fault = ''; });
    assert.equal(meanwhile.status, 200);
    assert.equal(failedAs(response), 'provider');
    assert.ok(Date.now() - begin < 120000);
    assert.equal(jar.cookies.has(kSession), false);
  });
}

await check('a session of any replica with the key counts until it ends, and no other', async () => {
  assert.equal((await call(`${kSession}=${sealed(kSession, session())}`)).status, 200);
  const wrong = {
    SESSION_EXPIRED: sealed(kSession, session({ ends: Math.floor(Date.now() / 1000) - 1 })),
    TOKEN_ISSUER: sealed(kSession, session({ issuer: 'https://elsewhere.example.org' })),
    NAME_RESERVED: sealed(kSession, session({ name: 'root' })),
  };
  for (const [reason, value] of Object.entries(wrong)) {
    const response = await call(`${kSession}=${value}`);
    assert.equal(response.status, 401);
    assert.ok((await reasonOf(response)).includes(reason), reason);
  }
  const good = sealed(kSession, session());
  const flipped = `${good.slice(0, -3)}${good.at(-3) === 'A' ? 'B' : 'A'}${good.slice(-2)}`;
  for (const value of [flipped, good.slice(0, 40), 'a', '', sealed('priorityd-signin', session()), sealed(kSession, session(), 'k'.repeat(64)), `${good}; ${kSession}=${good}`]) {
    const response = await call(`${kSession}=${value}`);
    assert.equal(response.status, 401, value);
    assert.ok((await reasonOf(response)).includes('CREDENTIAL_MISSING'), value);
  }
});

await check('pages of other sites can do nothing with a session', async () => {
  const cookie = `${kSession}=${sealed(kSession, session())}`;
  const cancel = { method: 'PriorityService/UpdateJobs', body: { removals: ['8816005'] } };
  for (const headers of [{}, { Origin: 'https://evil.example.org' }, { Origin: 'null' }]) {
    assert.equal((await call(cookie, { ...cancel, headers })).status, 403, JSON.stringify(headers));
  }
  for (const site of ['cross-site', 'same-site']) {
    const read = await fetch(`${url}v1/PriorityService/GetCaller`, { headers: { Cookie: cookie, 'Sec-Fetch-Site': site } });
    assert.equal(read.status, 403, site);
  }
  const out = await fetch(`${url}signin/end`, { method: 'POST', headers: { ...json, Cookie: cookie }, body: '{}' });
  assert.equal(out.status, 403);
  assert.equal((await fetch(`${url}v1/PriorityService/GetCaller`, { headers: { Cookie: cookie } })).status, 200);
  // A credential of its own has no use for the cookie.
  const token = await call(cookie, { headers: { Authorization: 'Bearer nonsense', Origin: origin } });
  assert.ok((await reasonOf(token)).includes('TOKEN_MALFORMED'));
});

const asUser = async (before, hash = '#/mine', width = 'desktop') => {
  const page = await open('#/signin', { width });
  await page.context().addCookies([{ name: kSession, value: sealed(kSession, session(before)), url }]);
  await page.goto(url + hash);
  await page.reload();
  return page;
};
const card = (page, id) => page.locator('.mine').filter({ has: page.getByRole('link', { name: id, exact: true }) });

await check('each job has the place, the start and the reason that the service gives', async () => {
  const page = await asUser();
  await card(page, '8816003').waitFor();
  const auth = asker(url, process.env.AMY);
  const told = await auth('PriorityService/ExplainPriority', { tracked: {}, jobId: '8816003' });
  assert.match(await card(page, '8816003').innerText(), new RegExp(`\\b${told.rank}\\b of ${told.rankedTotal}\\b`));
  const { starts } = await auth('PriorityService/PlanStarts', { tracked: {}, jobIds: ['8816003', '8816005'] });
  for (const start of starts) {
    const shown = await card(page, start.jobId).locator('.reason').innerText();
    if (start.startsNow) assert.equal(shown, 'It may start now.');
    else assert.equal(shown.slice(0, 20), start.message.slice(0, 20));
  }
  assert.match(await card(page, '8816004').innerText(), /JobHeldUser/);
  await page.context().close();
});

await check('what the user does is done, with its effect said before, and asked again before a job is cancelled', async () => {
  const page = await asUser();
  const held = card(page, '8816004');
  await held.getByText('What can I do?').click();
  await held.getByText(/scontrol release|release/i).first().waitFor();
  await accessible(page);
  await held.getByRole('button', { name: 'Release' }).click();
  await held.getByRole('button', { name: 'Release' }).waitFor({ state: 'detached' });
  await held.locator('.place b').first().waitFor();
  assert.equal((await ask('PriorityService/ListJobs', { jobIds: ['8816004'] })).jobs[0].job.hold, 'HOLD_UNSPECIFIED');
  await held.getByRole('button', { name: 'Cancel …' }).click();
  assert.equal((await ask('PriorityService/ListJobs', { jobIds: ['8816004'] })).jobs.length, 1);
  await held.getByRole('button', { name: 'Yes, cancel job 8816004' }).click();
  await held.waitFor({ state: 'detached' });
  assert.equal((await ask('PriorityService/ListJobs', { jobIds: ['8816004'] })).jobs.length, 0);
  await page.context().close();
});

// The node has 10 CPUs, 8 of which run for an hour; then a job of 10 is first. On the 2 that are free a job starts if it ends before.
await check('a shorter limit has the start that the plan then has, and is set', async () => {
  const page = await asUser();
  const mine = card(page, '8816003');
  await mine.getByText('What can I do?').click();
  const effect = mine.locator('.effects li').filter({ hasText: '30 min' });
  await effect.getByText('it would start now instead of').waitFor();
  assert.equal(await mine.locator('.effects li').filter({ hasText: '60 min' }).count(), 0);
  await accessible(page);
  await effect.getByRole('button', { name: 'Set 30 min' }).click();
  await mine.getByText('It may start now.').waitFor();
  const { jobs } = await ask('PriorityService/ListJobs', { jobIds: ['8816003'] });
  assert.equal(jobs[0].timeLimit, '1800s');
  const { starts } = await ask('PriorityService/PlanStarts', { tracked: {}, jobIds: ['8816003'] });
  assert.equal(starts[0].startsNow, true);
  await page.context().close();
});

// The server makes no forecasts, by which an effect would be known.
await check('under PrivateData a user sees their own jobs, and no effect that would tell of others', async () => {
  const { text } = await ask('AdminService/GetPolicy', {});
  await ask('AdminService/ApplyPolicy', { text: `${text}\nPrivateData=jobs,usage,users\n` });
  await ask('AdminService/Recalculate', {});
  const page = await asUser();
  await card(page, '8816003').waitFor();
  await card(page, '8816003').getByText('What can I do?').click();
  await page.getByText(/effect of a shorter time limit is not known/).waitFor();
  assert.ok(!(await page.locator('body').innerText()).includes('ben'));
  await page.goto(`${url}#/queue`);
  await page.locator('.order .body .row').first().waitFor();
  assert.deepEqual([...new Set(await page.locator('.order .body .c-user').allTextContents())], ['amy']);
  assert.ok(!(await page.locator('body').innerText()).includes('8816002'));
  await page.context().close();
});

await check('on a phone ids are whole, and nothing is wider than the screen', async () => {
  for (const hash of ['#/mine', '#/queue', '#/queue?tab=held', '#/signin']) {
    const page = await asUser({}, hash, 'phone');
    await page.locator(hash === '#/signin' ? '.signin' : '.mine, .row, .state').first().waitFor();
    const cut = await page.locator('.c-job a, .mine h3 a').evaluateAll((all) => all.filter((one) => one.parentElement.scrollWidth > one.parentElement.clientWidth).map((one) => one.textContent));
    assert.deepEqual(cut, [], hash);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= kWidths.phone[0], hash);
    await accessible(page, hash);
    await page.context().close();
  }
});

await check('while the login is down sessions count, and a sign-in says so', async () => {
  const { jar, done } = await begun();
  await login.stop();
  assert.equal(failedAs(await jar.get(done)), 'provider');
  assert.equal((await call(`${kSession}=${sealed(kSession, session())}`)).status, 200);
  const page = await open('#/signin?failed=provider');
  assert.match(await page.getByRole('alert').innerText(), /does not answer as it should/);
  await page.getByText('With a token instead').click();
  await page.getByLabel('Token').fill(process.env.AMY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'My jobs' }).waitFor();
  await page.context().close();
});

await finish();
