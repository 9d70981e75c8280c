// Looks at a service that asks who is calling: signed out, with a wrong token, and as a user.
//
// usage: AMY=TOKEN node sign_in.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
import assert from 'node:assert/strict';
import { accessible, check, finish, open } from './browser.mjs';

const signIn = async (page, token) => {
  await page.goto(`${new URL(page.url()).origin}/#/signin`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

for (const view of ['queue', 'queue?tab=held', 'job/1', 'shares', 'service']) {
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
  await page.getByText('No job waits to start here.').waitFor();
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

await finish();
