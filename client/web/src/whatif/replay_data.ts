// The output of `prioctl policy replay --json`, read from a file of the reader's. Every value is checked; an error names it
// by its path.

export const kMostBytes = 64 * 2 ** 20;
const kMostColumns = 16;
const kMostNames = 100000;
const kMostParts = 2000;
const kMostNumber = 1e15;

type Check<T> = (value: unknown, path: string) => T;
type Checked<F> = { [K in keyof F]: F[K] extends Check<infer T> ? T : never };

function wrong(path: string, got: unknown, want: string): never {
  const shown = got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 60);
  throw new Error(`${path}: got ${shown}, want ${want}`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text: Check<string> = (value, path) => (typeof value === 'string' ? value : wrong(path, value, 'a text'));
const yes: Check<boolean> = (value, path) => (typeof value === 'boolean' ? value : wrong(path, value, 'true or false'));
const number: Check<number> = (value, path) =>
  typeof value === 'number' && value >= 0 && value <= kMostNumber ? value : wrong(path, value, 'a number of 0 to 1e15');
const time: Check<number> = (value, path) => {
  const at = Date.parse(text(value, path)) / 1000;
  return Number.isNaN(at) ? wrong(path, value, 'a time as 2026-01-05T00:00:00Z') : at;
};
const orNull =
  <T>(check: Check<T>): Check<T | null> =>
  (value, path) =>
    value === null ? null : check(value, path);
const maybe =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, path) =>
    value === undefined ? undefined : check(value, path);
const list =
  <T>(each: Check<T>, most: number, least = 0): Check<T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) wrong(path, value, 'a list');
    if (value.length > most || value.length < least) wrong(path, value.length, `a list of ${least} to ${most}`);
    return value.map((one, at) => each(one, `${path}[${at}]`));
  };
const object =
  <F extends Record<string, Check<unknown>>>(fields: F): Check<Checked<F>> =>
  (value, path) => {
    if (!isObject(value)) wrong(path || 'the file', value, 'an object');
    const below = path ? `${path}.` : '';
    return Object.fromEntries(
      Object.entries(fields).map(([name, check]) => [name, check(value[name], below + name)]),
    ) as Checked<F>;
  };
const counts: Check<[string, number][]> = (value, path) =>
  isObject(value)
    ? Object.entries(value).map(([name, n]) => [name, number(n, `${path}.${name}`)])
    : wrong(path, value, 'an object of counts');

const spread = object({ jobs: number, mean: number, median: number, p95: number, largest: number });
const groups = list(
  object({
    name: text,
    jobs: number,
    wait_seconds: spread,
    mean_bounded_slowdown: number,
    cpu_seconds: number,
    usage: number,
    share: maybe(number),
  }),
  kMostNames,
);
const column = object({
  name: text,
  policy: text,
  jobs: number,
  started: number,
  wait_seconds: spread,
  bounded_slowdown: spread,
  utilisation: number,
  makespan_seconds: orNull(number),
  jain_index: orNull(number),
  backfilled: maybe(number),
  never_started: maybe(counts),
  from_recorded: maybe(object({ jobs: number, same_start: number, mean_seconds: number })),
  accounts: groups,
  users: groups,
  sizes: groups,
  cpus_in_use: list(number, kMostParts),
  jobs_waiting: list(number, kMostParts),
});
const report = object({
  history: text,
  jobs: number,
  nodes: number,
  cpus: number,
  begin: time,
  end: time,
  has_waits: yes,
  load_factor: number,
  left_out: counts,
  notes: list(text, kMostNames),
  columns: list(column, kMostColumns, 1),
});

export type Replay = ReturnType<typeof report>;
export type Column = ReturnType<typeof column>;
export type Group = Column['users'][number];

// Throws an Error that says what is wrong.
export function replayOf(content: string): Replay {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (error) {
    throw new Error(`It is no JSON: ${(error as Error).message}`);
  }
  const read = report(json, '');
  if (read.end < read.begin) wrong('end', (json as { end: string }).end, 'a time that is not before begin');
  return read;
}

export async function readReplay(file: File): Promise<Replay> {
  if (file.size > kMostBytes) throw new Error(`It has ${file.size} bytes, want at most ${kMostBytes}`);
  return replayOf(await file.text());
}

// As prioctl prints it: a number that lies between two is rounded to the even one.
export function rounded(value: number, digits: number): string {
  const [whole, parts] = value.toFixed(digits + 40).split('.');
  const isBetween = /^50*$/.test(parts.slice(digits));
  const down = digits ? `${whole}.${parts.slice(0, digits)}` : whole;
  return isBetween && Number(down.at(-1)) % 2 === 0 ? down : value.toFixed(digits);
}

// `[days-]hours:minutes:seconds`, as Slurm's tools print it.
export function clock(seconds: number | null): string {
  if (seconds === null) return 'UNLIMITED';
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  return `${days ? `${days}-` : ''}${two((seconds / 3600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

export const part = (value: number) => `${rounded(100 * value, 1)} %`;

export const groupNames = (replay: Replay, key: 'accounts' | 'users' | 'sizes'): string[] => [
  ...new Set(replay.columns.flatMap((one) => one[key].map((group) => group.name))),
];

// The users in order of CPU time, the most first, each by the first column that has them.
export function byCpuTime(replay: Replay): string[] {
  const seconds = new Map<string, number>();
  for (const one of replay.columns)
    for (const user of one.users) if (!seconds.has(user.name)) seconds.set(user.name, user.cpu_seconds);
  return groupNames(replay, 'users').sort((a, b) => seconds.get(b)! - seconds.get(a)!);
}
