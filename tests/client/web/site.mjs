// Gives an empty server deploy/example on a manual clock, with some weeks of usage, a reset and a
// second version of the policy behind it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const kDay = 86400e3;
const iso = (time) => new Date(time).toISOString();

export const asker = (url, token = '') => async (method, request) => {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}v1/${method}`, { method: 'POST', headers, body: JSON.stringify(request) });
  assert.equal(response.status, 200, `${method}: ${await response.clone().text()}`);
  return response.json();
};

export const policyOf = (folder, halfLife) => readFileSync(`${folder}/slurm.conf`, 'utf8')
  .replace(/PriorityDecayHalfLife=.*/, `PriorityDecayHalfLife=${halfLife}`).replace('PriorityCalcPeriod=1', 'PriorityCalcPeriod=1\nClock=manual\nTimeZone=Europe/Berlin');

// [user, account, CPUs, of which day on CPUs are others, how many times as many]
const kUsers = [['fay', 'chem', 40, 8, 2.4], ['eve', 'chem', 30, 99, 1], ['joy', 'chem', 12, 99, 1], ['ann', 'phys1', 20, 14, 3], ['hal', 'biol', 20, 99, 1], ['ian', 'biol', 14, 20, 0.3]];

async function live(ask, nth, day, at, step) {
  const records = kUsers.filter((_, index) => (day * 7 + index * 3) % 5 !== 0).map(([user, account, cpus, from, factor]) => ({
    source: 'site', recordId: `${user} ${at}`, jobId: `${user}-${at}`, user, account, partition: 'main', qos: 'normal', startTime: iso(at), endTime: iso(at + step),
    tres: { cpu: Math.round(cpus * (day >= from ? factor : 1) * (1 + (nth % 3) / 4)) },
  }));
  const { results } = await ask('PriorityService/RecordUsage', { records });
  assert.ok(results.every((result) => result.status === 'USAGE_RECORD_STATUS_ACCEPTED'), JSON.stringify(results[0]));
  await ask('AdminService/Recalculate', { asOf: iso(at + step) });
}

// Limits on usage: some that are nearly reached by what is used later, one that is reached, one far away.
async function limit(ask) {
  const set = (account, user, settings) => ask('AdminService/UpdateAssociations', { where: { accounts: [account], users: [user], partitions: [''] }, settings: Object.entries(settings).map(([name, value]) => ({ name, value })) });
  await set('chem', '', { GrpTRESMins: 'cpu=2000000', GrpWall: '45000' });
  await set('chem', 'fay', { GrpTRESMins: 'cpu=1800000' });
  await set('phys', '', { GrpTRESMins: 'billing=4000000' });
  await set('biol', '', { GrpTRESMins: 'cpu=150000' });
  await ask('AdminService/UpdateQos', { names: ['normal'], settings: [{ name: 'GrpTRESMins', value: 'billing=6000000' }] });
}

// Grants since before the usage: one that is used up, one that is soon, one that is far from it, two of one owner, a rolling one, one to come, one revoked.
async function grant(ask, end) {
  const set = (name, settings) => ask('AdminService/UpdateGrants', { names: [name], allowMissing: true, settings: Object.entries(settings).map(([key, value]) => ({ name: key, value })), options: { comment: 'call of autumn' } });
  const begin = iso(end - 40 * kDay);
  await set('chem-2026', { Accounts: 'chem', TRES: 'cpu', Amount: '8000000', Window: 'month', Begin: begin, CarryOver: '10%', Borrow: '10%', Grace: '5%', Consequence: 'demote:q10' });
  await set('fay-cpu', { Accounts: 'chem', User: 'fay', TRES: 'cpu', Amount: '800000', Begin: begin, End: iso(end + 60 * kDay), Consequence: 'block' });
  await set('eve-cpu', { Accounts: 'chem', User: 'eve', TRES: 'cpu', Amount: '1200000', Begin: begin, End: iso(end + 60 * kDay), Grace: '20%', Consequence: 'demote:q10' });
  await set('biol-30', { Accounts: 'biol', TRES: 'cpu', Amount: '1500000', Window: 'rolling:30', Begin: begin });
  await set('phys-paper', { Accounts: 'phys', Amount: '500000', Begin: begin, End: iso(end + 30 * kDay), Order: '-1', Consequence: 'demote:q10' });
  await set('phys-2026', { Accounts: 'phys', Amount: '9000h', Begin: begin, Consequence: 'demote:q10' });
  await set('joy-next', { Accounts: 'chem', User: 'joy', Amount: '1000h', Begin: iso(end + 10 * kDay), Consequence: 'block' });
  await set('fay-old', { Accounts: 'chem', User: 'fay', Amount: '10h', Begin: begin });
  await ask('AdminService/RevokeGrants', { names: ['fay-old'] });
}

// What changes between two versions of an amount, and what is moved.
async function regrant(ask) {
  await ask('AdminService/UpdateGrants', { names: ['chem-2026'], settings: [{ name: 'Amount', value: '8500000.25' }], options: { comment: 'supplement' } });
  await ask('AdminService/TransferGrant', { from: 'chem-2026', to: 'fay-cpu', amountMinutes: 100000, options: { comment: 'agreed by mail' } });
}

// Jobs that may use more for a day or two.
async function run(ask, end) {
  const job = (jobId, user, account, cpus) => ({ jobId, user, account, partitions: ['main'], qos: ['normal'], state: 'JOB_STATE_RUNNING', cpus, nodes: 1, tres: { cpu: cpus, node: 1 }, submitTime: iso(end - 7200e3), startTime: iso(end - 3600e3), timeLimit: '90000s' });
  await ask('PriorityService/UpdateJobs', { source: 'running', upserts: [job('9001', 'eve', 'chem', 60), job('9002', 'ann', 'phys1', 48)] });
}

// `days` until a little after now, so that what is changed now lies within them. With `budgets` there are limits on usage, and with `grants` grants.
export async function fill(ask, folder, { days = 21, perDay = 1, budgets = false, grants = false } = {}) {
  const files = [['SLURM_CONF', 'slurm.conf'], ['QOS', 'qos.txt'], ['SACCTMGR_DUMP', 'sacctmgr.dump']]
    .map(([kind, name]) => ({ kind: `FILE_KIND_${kind}`, name, content: kind === 'SLURM_CONF' ? policyOf(folder, '7-0') : readFileSync(`${folder}/${name}`, 'utf8') }));
  await ask('AdminService/Import', { files });
  if (budgets) await limit(ask);
  const end = Math.ceil(Date.now() / kDay * 24) / 24 * kDay + kDay / 8;
  const step = kDay / perDay;
  await ask('AdminService/Recalculate', { asOf: iso(end - days * kDay) });
  if (grants) await grant(ask, end);
  for (let n = 0; n < days * perDay; ++n) {
    await live(ask, n, Math.floor(n / perDay), end - days * kDay + n * step, step);
    if (n === Math.floor(0.7 * days * perDay)) await ask('AdminService/ResetUsage', { account: 'biol', comment: 'Its old cluster is gone' });
  }
  const jobs = readFileSync(`${folder}/jobs.jsonl`, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  await ask('PriorityService/UpdateJobs', { source: 'site', upserts: jobs });
  if (budgets) await run(ask, end);
  if (grants) await regrant(ask);
  await ask('AdminService/ApplyPolicy', { text: policyOf(folder, '4-0'), comment: 'A shorter memory' });
  await ask('AdminService/Recalculate', { asOf: iso(end) });
}
