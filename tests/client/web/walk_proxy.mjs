// Looks at the page through a proxy that has it under a prefix.
//
// usage: node walk_proxy.mjs FOLDER_OF_PAGE URL     (see browser.mjs)
// The server at URL has deploy/example, its jobs, and --http_allow_origin=http://named.example.org; the proxy is this program.
import assert from 'node:assert/strict';
import { createServer, request as ask } from 'node:http';

const kPrefix = '/priority/';
const target = new URL(process.argv[3]);

// As nginx does by `location /priority/ { proxy_pass URL; }`, Host included.
const proxy = createServer((request, response) => {
  if (!request.url.startsWith(kPrefix)) return response.writeHead(404).end('not here');
  const options = { host: target.hostname, port: target.port, path: request.url.slice(kPrefix.length - 1), method: request.method, headers: { ...request.headers, host: target.host } };
  const further = ask(options, (answer) => { response.writeHead(answer.statusCode, answer.headers); answer.pipe(response); });
  response.on('close', () => further.destroy());
  further.on('error', () => response.destroy());
  return request.pipe(further);
});
await new Promise((listens) => proxy.listen(0, '127.0.0.1', listens));
const { port } = proxy.address();
process.env.CHROMIUM_ARGS = `--host-resolver-rules=MAP *.example.org:80 127.0.0.1:${port}`;
const { accessible, check, close, finish, open, url } = await import('./browser.mjs');
const { asker } = await import('./site.mjs');

// Chromium takes 127.0.0.1 to be as safe as https, and says Sec-Fetch-Site there.
const kSites = { 'as if by https': `http://127.0.0.1:${port}${kPrefix}`, 'by plain http, named by --http_allow_origin': `http://named.example.org${kPrefix}` };

for (const [how, at] of Object.entries(kSites)) {
  await check(`${how}: each view is there under the prefix, and nothing is asked outside it`, async () => {
    const asked = [];
    const page = await open('#/queue', { at, before: async (fresh) => fresh.on('request', (one) => asked.push(one.url())) });
    for (const [view, landmark] of [['queue', '.order .body .row'], ['job/40', '.factors tbody tr'], ['shares', '.shares .body .row'], ['budgets', 'main .state'], ['history', 'main h1'], ['whatif?p.PriorityWeightAge=5', '.outcome .facts'], ['admin/chem', '.associations button'], ['service', '.cards .card']]) {
      await page.goto(`${at}#/${view}`);
      await page.locator(landmark).first().waitFor();
    }
    await accessible(page);
    assert.deepEqual(asked.filter((one) => !one.startsWith(at) && !one.startsWith('data:')), []);
    await close(page);
  });

  await check(`${how}: the queue changes as it is told, and a link leads to the job`, async () => {
    const page = await open('#/queue', { at });
    await page.locator('.order .body .row').first().waitFor();
    await asker(url)('PriorityService/UpdateJobs', { upserts: [{ jobId: 'first', user: 'ann', account: 'phys1', partitions: ['main'], qos: ['normal'], cpus: 1, nodes: 1, submitTime: '2026-11-20T13:00:00Z', nice: -1000000 }] });
    await page.getByRole('link', { name: 'first', exact: true }).click();
    await page.locator('.factors tbody tr').first().waitFor();
    assert.ok(page.url().startsWith(`${at}#/job/first`), page.url());
    await asker(url)('PriorityService/UpdateJobs', { removals: ['first'] });
    await close(page);
  });

  await check(`${how}: a card leads to the queue beside it`, async () => {
    const page = await open('card?user=fay', { at });
    await page.getByRole('heading', { name: 'Priority of fay' }).waitFor();
    const link = page.getByRole('link', { name: 'Open the queue' });
    assert.equal(await link.evaluate((one) => one.href), `${at}#/queue?user=fay`);
    await close(page);
  });
}

await check('each request names the cluster of the address, for a proxy in front of several cells', async () => {
  const named = async (address, landmark) => {
    const clusters = new Set();
    const take = (one) => one.url().includes('/v1/') && clusters.add(one.headers()['priorityd-cluster']);
    const page = await open(address, { at: kSites['as if by https'], before: async (fresh) => fresh.on('request', take) });
    await page.locator(landmark).first().waitFor();
    await close(page);
    return [...clusters];
  };
  assert.deepEqual(await named('#/queue?cluster=orc', '.order .body .row'), ['orc']);
  assert.deepEqual(await named('card?cluster=orc&user=fay', 'h1'), ['orc']);
  assert.deepEqual(await named('#/queue', '.order .body .row'), [undefined]);
});

await check('by plain http and not named: what is wanted is told', async () => {
  const page = await open('#/queue', { at: `http://unnamed.example.org${kPrefix}` });
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /Origin: got http:\/\/unnamed\.example\.org.*--http_allow_origin/);
  await page.context().close();
});

await finish();
