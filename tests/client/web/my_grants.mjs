// The grants in My jobs are those of `prioctl me`; a part of walk_grants.mjs, whose site it needs.
import assert from 'node:assert/strict';
import { check, close, kWidths, lookAt, open } from './browser.mjs';
import { prioctl } from './prioctl.mjs';

// My jobs as that user has them, whose name an open server does not know.
const mineOf = (user, before = async () => {}) =>
  open('#/mine', {
    before: async (page) => {
      await page.route('**/GetCaller*', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), name: user, roles: ['user'] } });
      });
      await before(page);
    },
  });

// `cellsOf` and `six`: of walk_grants.mjs.
export async function myGrants({ cellsOf, six }) {
  await check('my jobs has the grants that prioctl me prints, with what is left and until when, on every screen', async () => {
    for (const [user, names, then] of [['eve', ['chem-2026', 'eve-cpu'], 'QOS factor of q10'], ['joy', ['chem-2026', 'joy-next'], 'jobs wait'], ['hal', ['biol-30'], 'nothing']]) {
      const page = await mineOf(user);
      await page.locator('.charged tbody tr').first().waitFor();
      const rows = await cellsOf(page, '.charged tbody tr');
      const { grants } = JSON.parse(prioctl('me', user, '--json')).grants;
      assert.deepEqual(grants.map((grant) => grant.name).sort(), names);
      const until = (at) => new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Berlin' });
      const windowOf = ({ balance, attributes: { Window: kind = 'fixed', Begin: begin } }) => (!balance ? `from ${until(begin)}` : kind.startsWith('rolling') ? kind : `${kind} until ${until(balance.endTime)}`);
      assert.deepEqual(rows.map(([name, left, , window]) => [name.split(' ')[0], left, window]), grants.map((grant) => [grant.name, `${grant.balance ? `${six(grant.balance.leftMinutes)} of ${six(grant.balance.availableMinutes)}` : '–'} minutes of ${grant.attributes.TRES ?? 'billing'}`, windowOf(grant)]));
      assert.equal(rows.at(-1)[5], then);
      for (const [width, [w, h]] of Object.entries(kWidths)) await lookAt(page, `mine-grants-${user}-${width}`, w, h);
      await page.locator('.charged').getByRole('link', { name: names[0], exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Grant ${names[0]}` }).waitFor();
      await close(page);
    }
  });

  await check('my jobs has no word of grants where none are listed or the service refuses, and says what else went wrong', async () => {
    const refusal = { status: 403, json: { code: 7, message: 'no', details: [] } };
    const answers = (method, answer) => (page) => page.route(`**/${method}`, (route) => route.fulfill(answer));
    for (const [method, answer] of [['ListGrants', { json: { cluster: '', grants: [], etag: '' } }], ['ListGrants', refusal], ['ListAssociations', refusal], ['ListAssociations', { json: { associations: [], nextPageToken: '' } }]]) {
      let asked;
      const page = await mineOf('eve', async (fresh) => {
        asked = fresh.waitForResponse((response) => response.url().endsWith(method));
        await answers(method, answer)(fresh);
      });
      await Promise.all([asked, page.getByRole('heading', { name: 'Waiting' }).waitFor()]);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      assert.equal(await page.locator('main').getByText('grant', { exact: false }).count(), 0, method);
      await page.context().close();  // Its 403 is on the console.
    }
    const page = await mineOf('eve', answers('ListGrants', { status: 500, json: { code: 13, message: 'the ledger is broken', details: [] } }));
    await page.getByRole('region', { name: 'Grants' }).getByText('the ledger is broken').waitFor();
    await page.context().close();
  });
}
