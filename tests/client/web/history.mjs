// A history of jobs of deploy/example, as sacct prints it, and what prioctl makes of it.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prioctlIn } from './prioctl.mjs';

// [user, account, the user's jobs in a hundred, CPUs, hours]
const kUsers = [['fay', 'chem', 40, 64, 5], ['eve', 'chem', 12, 32, 3], ['ann', 'phys1', 24, 48, 4], ['hal', 'biol', 14, 16, 2], ['ian', 'biol', 10, 4, 1]];
const kBegin = Date.UTC(2026, 9, 1);
const kHead = 'JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|AllocTRES|NodeList';

// The same numbers each time: those of Park and Miller's generator.
function dice() {
  let seed = 20261123;
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

function jobsOf(count) {
  const throwDice = dice();
  let at = kBegin;
  return Array.from({ length: count }, (_, id) => {
    at += Math.floor(throwDice() * 3600e3);
    let left = throwDice() * 100;
    const [user, account, , most, hours] = kUsers.find((one) => (left -= one[2]) < 0) ?? kUsers[0];
    const cpus = 1 + Math.floor(throwDice() * most);
    const run = 60 + Math.floor(throwDice() * 2 * hours * 3600);
    const start = at + Math.floor(throwDice() * 1800e3);
    const text = (time) => new Date(time).toISOString().slice(0, 19);
    return [id + 1, user, account, 'main', 'normal', text(at), text(at), text(start), text(start + run * 1000), '1-00:00:00', `cpu=${cpus},node=1`, `n${1 + (id % 4)}`].join('|');
  });
}

const kPolicies = {
  'fifo.conf': 'PriorityType=priority/basic\nSchedulerType=sched/backfill\n',
  'fair.conf': 'PriorityType=priority/multifactor\nPriorityDecayHalfLife=2-0\nPriorityWeightFairshare=10000\nPriorityWeightAge=100\nSchedulerType=sched/backfill\n',
};

// Writes replay.json into the folder; gives its path and what prioctl prints of the same replay. The history is one that first
// come first served without backfill made of the jobs.
export function makeReplay(folder, count = 900) {
  const files = { ...kPolicies, 'jobs.txt': `${[kHead, ...jobsOf(count)].join('\n')}\n`, 'strict.conf': 'PriorityType=priority/basic\nSchedulerType=sched/builtin\n' };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
  const play = (...words) => prioctlIn(folder, 'policy', 'replay', ...words, '--site', path.resolve('deploy/example'));
  play('jobs.txt', '--policy', 'strict.conf', '--write-sacct', 'q4.txt');
  const replay = ['q4.txt', ...Object.keys(kPolicies).flatMap((name) => ['--policy', name]), '--users', '0'];
  const file = path.join(folder, 'replay.json');
  writeFileSync(file, play(...replay, '--json'));
  return { printed: play(...replay), path: file };
}

export const replayIn = (file) => JSON.parse(readFileSync(file, 'utf8'));
