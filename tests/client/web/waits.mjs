// Gives cluster `c` of SecuredPriorityd, on the real clock, a day of jobs that waited and started, and jobs that wait now: its service then has forecasts and scores.
import assert from 'node:assert/strict';

const kStarts = 420; // More than the 300 after which a forest forecasts.
const kSizes = [1, 2, 4, 10];
const kLimits = [1800, 7200, 28800, 86400];
const iso = (time) => new Date(time).toISOString();

// The same numbers each time: those of Park and Miller's generator.
function dice() {
  let seed = 20261127;
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

// Larger and longer jobs wait longer, amy's eight times as long as ben's: a minute to some hours. What a user has
// to do with it a forest learns, and the quantiles by class that it is compared with do not.
function started(now) {
  const throwDice = dice();
  return Array.from({ length: kStarts }, (_, n) => {
    const [cpus, limit] = [kSizes[Math.floor(4 * throwDice())], kLimits[Math.floor(4 * throwDice())]];
    const user = n % 3 ? 'ben' : 'amy';
    const submit = now - 86400e3 + Math.floor((n * 60000e3) / kStarts);
    const wait = 60e3 * (2 + cpus) * (0.25 + limit / 28800) * (user === 'amy' ? 8 : 1) * (0.4 + 1.2 * throwDice());
    return { jobId: `${n + 1}`, user, account: 'a', partitions: ['p'], cpus, nodes: 1, timeLimit: `${limit}s`, state: 'JOB_STATE_RUNNING', submitTime: iso(submit), eligibleTime: iso(submit), startTime: iso(submit + Math.floor(wait)) };
  });
}

const waiting = (now) =>
  Array.from({ length: 40 }, (_, n) => ({ jobId: `${8816001 + n}`, user: n % 2 ? 'ben' : 'amy', account: 'a', partitions: ['p'], cpus: kSizes[n % 4], nodes: 1, timeLimit: `${kLimits[(n + (n >> 2)) % 4]}s`, submitTime: iso(now - 600e3 + n * 1000) }));

// A job whose forecast is there was seen by the service.
async function awaitForecast(ask, jobId, isGood = () => true) {
  for (const end = Date.now() + 300e3; Date.now() < end; ) {
    const { forecasts } = await ask('PriorityService/ForecastStarts', { jobIds: [jobId] });
    if (forecasts.length > 0 && isGood(forecasts[0])) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  assert.fail(`no forecast of job ${jobId}`);
}

async function update(ask, request) {
  const { upserts } = await ask('PriorityService/UpdateJobs', { source: 'walk', ...request });
  assert.ok(upserts.every((one) => one.outcome === 'UPDATE_OUTCOME_UPSERTED'), JSON.stringify(upserts[0]));
}

// One job waits: nothing has started yet.
export async function begin(ask) {
  await update(ask, { upserts: [{ jobId: '8816000', user: 'amy', account: 'a', partitions: ['p'], cpus: 1, nodes: 1, timeLimit: '3600s' }] });
  await awaitForecast(ask, '8816000');
}

// The service finds all starts in its next look, scores them, and learns from them. Then they end, and one job runs: the plan
// has starts again.
export async function learn(ask) {
  const now = Date.now();
  const jobs = started(now);
  await update(ask, { upserts: [...jobs, ...waiting(now)] });
  await awaitForecast(ask, '8816001', (one) => one.source === 'FORECAST_SOURCE_FOREST');
  await ask('PriorityService/UpdateJobs', { source: 'walk', removals: jobs.slice(1).map((job) => job.jobId) });
  await update(ask, { upserts: [{ ...jobs[0], cpus: 8, timeLimit: '90000s' }] });
  await awaitForecast(ask, '8816040');
}

// Three more partitions: in `fast` jobs of every size and limit have started within half a minute, while as many waited ten hours
// in `p`; `short` is for a minute, `closed` is not for account a.
export async function learnFast(ask) {
  const settings = (more = {}) => Object.entries({ Nodes: 'n1', ...more }).map(([name, value]) => ({ name, value }));
  await ask('AdminService/UpdatePartitions', { names: ['fast'], settings: settings(), allowMissing: true });
  await ask('AdminService/UpdatePartitions', { names: ['short'], settings: settings({ MaxTime: '1' }), allowMissing: true });
  await ask('AdminService/UpdatePartitions', { names: ['closed'], settings: settings({ DenyAccounts: 'a' }), allowMissing: true });
  await ask('AdminService/Recalculate', {});
  const now = Date.now();
  const starts = Array.from({ length: 320 }, (_, n) => {
    const start = now - 3600e3 + n * 10e3;
    const submit = start - (n % 2 ? 36000e3 + n * 1000 : (n % 30) * 1000);
    return { jobId: `${9000 + n}`, user: n & 2 ? 'ben' : 'amy', account: 'a', partitions: [n % 2 ? 'p' : 'fast'], cpus: kSizes[(n >> 2) % 4], nodes: 1, timeLimit: `${kLimits[(n >> 4) % 4]}s`, state: 'JOB_STATE_RUNNING', submitTime: iso(submit), eligibleTime: iso(submit), startTime: iso(start) };
  });
  await update(ask, { upserts: starts });
  await awaitForecast(ask, '8816001', (one) => Number(one.examples) === kStarts + starts.length);
  await ask('PriorityService/UpdateJobs', { source: 'walk', removals: starts.map((job) => job.jobId) });
}
