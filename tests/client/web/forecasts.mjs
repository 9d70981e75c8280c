// Checks what the page makes of forecasts that a service answers, without a browser: the answers are given here.
//
// usage: node forecasts.mjs FOLDER_OF_PAGE
// FOLDER_OF_PAGE has src and node_modules with esbuild.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

const folder = path.resolve(process.argv[2]);
const { build } = createRequire(path.join(folder, 'package.json'))('esbuild');

async function modules() {
  const contents = "export * from './jobs/shorter_limits'; export * from './jobs/sooner'; export * from './jobs/places'; export { startBy } from './forecasts/forecast_text'; export { freeTicksOf } from './forecasts/forecast_bar'; export { call } from './calls/api'; export { mineOf } from './jobs/mine_data';";
  const { outputFiles } = await build({ stdin: { contents, resolveDir: path.join(folder, 'src') }, bundle: true, write: false, format: 'esm', jsx: 'automatic', jsxImportSource: 'preact' });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}
const { call, freeTicksOf, limitsOf, mineOf, placesOf, soonerLimits, soonerPlaces, SoonerText, startBy } = await modules();

// The address of the page, which names no cluster.
globalThis.location = { hash: '', search: '' };

const kNow = Date.parse('2026-03-02T12:00:00Z');
const kMinute = 60e3;
// Half of the jobs with a limit start after so many minutes.
const forecastsOf = (halves) => ({
  now: kNow,
  byJob: new Map(Object.entries(halves).map(([limit, minutes]) => [limit, { start: [{ level: 0.5, startTime: new Date(kNow + minutes * kMinute).toISOString() }] }])),
});
// The texts of what a component returns.
const textOf = (node) => (Array.isArray(node) ? node.map(textOf).join('') : node?.props ? textOf(node.props.children) : String(node ?? ''));

test('a limit of parts of a second is compared as one of whole seconds', () => {
  const limits = limitsOf('5400.5s');
  assert.deepEqual(limits, ['5401s', '2700s', '1350s', '675s']);
  const forecasts = forecastsOf({ '5401s': 540, '2700s': 530, '1350s': 35, '675s': 20 });
  assert.deepEqual(soonerLimits(forecasts, '5400.5s', Number.NaN), ['1350s', '675s']);
  assert.equal(textOf(SoonerText({ forecasts, of: '1350s', than: limits[0] })), 'half start within 35 min instead of 9 h');
});

test('what a forecast does not say is no number, and no limit is compared with it', () => {
  assert.equal(startBy(undefined, 0.5), Number.NaN);
  assert.equal(startBy({ start: [{ level: 0.5, startTime: '2026-03-02T12:00:00Z' }] }, 0.9), Number.NaN);
  assert.deepEqual(soonerLimits(undefined, '3600s', Number.NaN), []);
  assert.deepEqual(soonerLimits(forecastsOf({ '1800s': 5 }), '3600s', Number.NaN), []);
  assert.deepEqual(soonerLimits(forecastsOf({ '3600s': 60 }), '3600s', Number.NaN), []);
});

test('a limit helps only if it starts sooner than the job itself, which has waited already', () => {
  const forecasts = forecastsOf({ '28800s': 540, '14400s': 300, '7200s': 55, '3600s': 35 });
  const sooner = (minutes) => soonerLimits(forecasts, '28800s', minutes * kMinute);
  assert.deepEqual(sooner(600), ['14400s', '7200s', '3600s']);
  assert.deepEqual(sooner(60), ['3600s']);
  assert.deepEqual(sooner(20), []);
});

const place = (id, ...changed) => ({ id, partition: id, qos: id, changed });

test('of places the three soonest are shown, a change of both names only where it is clearly sooner than of one', () => {
  const sooner = (halves, places) => soonerPlaces({ places, forecasts: forecastsOf(halves) }, Number.NaN).map((one) => one.id);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => place(id, 'partition'));
  assert.deepEqual(sooner({ own: 100, a: 90, b: 89, c: 20, d: 40 }, [a, b, c, d]), ['c', 'd', 'b']);
  assert.deepEqual(sooner({ own: 100, a: 10, b: 20, c: 30, d: 40 }, [a, b, c, d]), ['a', 'b', 'c']);
  const both = place('e', 'partition', 'qos');
  assert.deepEqual(sooner({ own: 100, a: 50, e: 45 }, [a, both]), ['a']);
  assert.deepEqual(sooner({ own: 100, a: 50, e: 44 }, [a, both]), ['e', 'a']);
  assert.deepEqual(sooner({ own: 100, a: 95, e: 60 }, [a, both]), ['e']);
  assert.deepEqual(soonerPlaces(undefined, 1), []);
});

const kJob = { job: { jobId: '7', user: 'amy', cpus: 2, nodes: 1 }, account: 'a', partitions: ['p'], qos: ['n'], timeLimit: '60s' };

test('only open partitions for the account are ranked, in each QOS, and only those that could start are forecast', async () => {
  const part = (name, more = {}, usableAccounts = ['a']) => ({ name, attributes: { State: 'UP', ...more }, usableAccounts, usableQos: ['n', 'h'] });
  const asked = {};
  globalThis.window = {};
  globalThis.fetch = async (path, { body }) => {
    const method = path.split('/').at(-1);
    asked[method] = JSON.parse(body);
    if (method === 'ListPartitions') return Response.json({ partitions: [part('p'), part('q'), part('down', { State: 'DOWN' }), part('root', { RootOnly: 'YES' }), part('group', { AllowGroups: 'g' }), part('other', {}, ['b'])] });
    // All but partition q with QOS n could start.
    if (method === 'RankJobs') return Response.json({ ranked: asked.RankJobs.jobs.jobs.filter((job) => `${job.partitions}${job.qos}` !== 'qn').map(({ jobId }) => ({ jobId })) });
    return Response.json({ asOf: new Date(kNow).toISOString(), forecasts: asked.ForecastStarts.jobs.jobs.map(({ jobId }) => ({ jobId, source: 'FORECAST_SOURCE_FOREST', start: [{ level: 0.5, startTime: new Date(kNow).toISOString() }] })) });
  };
  const { places } = await placesOf('', kJob);
  assert.deepEqual(asked.RankJobs.jobs.jobs.map((job) => `${job.partitions} ${job.qos}`), ['p h', 'q n', 'q h']);
  assert.deepEqual(places.map((one) => [one.partition, one.qos, one.changed.join()]), [['p', 'h', 'qos'], ['q', 'h', 'partition,qos']]);
  const [own, ...others] = asked.ForecastStarts.jobs.jobs;
  assert.deepEqual(own, { user: 'amy', account: 'a', cpus: 2, nodes: 1, timeLimit: '60s', jobId: 'own', partitions: ['p'], qos: ['n'] });
  assert.equal(others.length, 2);
});

// The answers of a service to the calls of My jobs for one waiting job.
const kAnswers = {
  ListJobs: { jobs: [{ job: { jobId: '7' }, rank: 1 }], nextPageToken: '' },
  RankJobs: { rankedTotal: 3 },
  PlanStarts: { starts: [{ jobId: '7', startsNow: true }] },
};
async function mineWith(forecastStarts) {
  globalThis.window = {};
  globalThis.fetch = async (path) => {
    const method = path.split('/').at(-1);
    return method === 'ForecastStarts' ? forecastStarts() : Response.json(kAnswers[method]);
  };
  return mineOf('c', 'amy', true, new AbortController().signal);
}

test('My jobs are there without their forecasts, whatever these fail with', async () => {
  for (const status of [400, 401, 403, 404, 429, 500, 501, 503, 504]) {
    const mine = await mineWith(() => Response.json({ message: 'no' }, { status }));
    assert.deepEqual([mine.forecasts, mine.waiting.length, mine.starts.size, mine.rankedTotal], [undefined, 1, 1, 3], `${status}`);
  }
  await assert.rejects(mineWith(() => Promise.reject(new DOMException('left', 'AbortError'))), { name: 'AbortError' });
});

test('a failure has the reason of its details', async () => {
  globalThis.window = {};
  const reasonOf = async (body) => {
    globalThis.fetch = async () => new Response(body, { status: 400 });
    return call('PriorityService/ScoreForecasts', {}).then(assert.fail, ({ status, message, reason }) => [status, message, reason]);
  };
  const details = [{ '@type': 'type.googleapis.com/google.rpc.Help', links: [] }, { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'NO_FORECASTS' }];
  assert.deepEqual(await reasonOf(JSON.stringify({ code: 9, message: 'none', details })), [400, 'none', 'NO_FORECASTS']);
  assert.deepEqual(await reasonOf(JSON.stringify({ code: 9, message: 'none', details: [] })), [400, 'none', '']);
  assert.deepEqual((await reasonOf('<html>'))[2], '');
});

// Of a phone's line, in pixels; a character is at most so wide.
const kLine = 330;
const kCharacter = 7;

// The text of a midnight is the widest, as it has the day.
test('wherever midnight is, the texts below a picture of ten minutes to months are apart and within it', () => {
  const midnight = new Date(2026, 8, 30).getTime();
  for (let span = 10 * kMinute; span < 180 * 1440 * kMinute; span *= 1.5) {
    for (let part = 0; part < 1; part += part < 0.2 ? 0.005 : 0.05) {
      const now = midnight - part * span;
      const ticks = freeTicksOf(now, span);
      assert.ok(ticks.length >= 1 && ticks.length <= 5, `${span / kMinute} min: ${ticks.length}`);
      let end = 3 * kCharacter;  // of "now"
      for (const { at, text, day } of ticks) {
        const half = (kCharacter * Math.max(text.length, day.length)) / 2;
        const middle = (kLine * (at - now)) / span;
        assert.ok(middle - half > end, `${span / kMinute} min, midnight at ${part}: ${text} ${day}`);
        end = middle + half;
      }
      assert.ok(end <= kLine + 10, `${span / kMinute} min: ${end}`);
    }
  }
});
