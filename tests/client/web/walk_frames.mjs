// Puts the card and the page into frames of pages of other sites.
//
// usage: node walk_frames.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// The server at URL has deploy/example, its jobs, and --http_frame_ancestor=http://portal.example.org; other sites are this program.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';

// The other sites: each path is a page whose frame shows what the query names. Chromium takes them for hosts of their own.
const sites = createServer((request, response) => {
  const address = decodeURIComponent(request.url.split('?')[1] ?? '').replaceAll('"', '&quot;');
  response.setHeader('Content-Type', 'text/html');
  response.end(`<!doctype html><title>A portal</title><iframe src="${address}" width="400" height="420" title="My priority"></iframe>`);
});
await new Promise((listens) => sites.listen(0, '127.0.0.1', listens));
process.env.CHROMIUM_ARGS = `--host-resolver-rules=MAP *.example.org:80 127.0.0.1:${sites.address().port}`;
const { check, finish, open, url } = await import('./browser.mjs');

const framing = (site, address) => `http://${site}.example.org/?${encodeURIComponent(address)}`;

// A page of `site` whose frame shows `address`.
async function framed(site, address) {
  return open('', { at: framing(site, address), before: async (page) => {
    page.refusals = [];
    page.on('console', (message) => /frame-ancestors/.test(message.text()) && page.refusals.push(message.text()));
  } });
}

const innermost = (page) => page.frames().at(-1);

// Chromium shows an error of its own in place of what it was not let show.
async function refused(page) {
  for (let turn = 0; turn < 3600 && page.refusals.length === 0; ++turn) await page.waitForTimeout(50);
  assert.match(page.refusals.join('\n'), /frame-ancestors/);
  assert.ok(!page.frames().some((frame) => frame.url().startsWith(url)), page.frames().map((frame) => frame.url()).join(' '));
  await page.context().close();
}

await check('the portal that is named frames the card, which shows what it shows alone', async () => {
  const page = await framed('portal', `${url}card?user=fay`);
  const card = page.frameLocator('iframe');
  await card.locator('.portal tbody tr').first().waitFor();
  assert.equal(await innermost(page).evaluate(() => window.parent !== window && location.pathname), '/card');
  const alone = await open('card?user=fay');
  await alone.locator('.portal tbody tr').first().waitFor();
  assert.deepEqual(await card.locator('.portal .facts dd').allInnerTexts(), await alone.locator('.portal .facts dd').allInnerTexts());
  assert.deepEqual(page.refusals, []);
  await alone.context().close();
  await page.context().close();
});

await check('another site does not frame the card', async () => refused(await framed('stranger', `${url}card?user=fay`)));

await check('nor does it by a frame of the portal that it has in its own', async () => refused(await framed('stranger', framing('portal', `${url}card?user=fay`))));

for (const [what, view] of Object.entries({ 'the queue': '#/queue', 'what changes the site': 'index.html#/admin', 'the sign-in': '#/signin' })) {
  await check(`the portal that is named does not frame ${what}`, async () => refused(await framed('portal', `${url}${view}`)));
}

await finish();
