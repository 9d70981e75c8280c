// Numbers, times and names as people read them.
import type { Factors } from '../calls/api';

const kWhole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const whole = (n: number | string | undefined) => (n === undefined ? '–' : kWhole.format(Number(n)));
// Six digits, but every digit before the point, as prioctl has them, with no exponent.
const kFigure = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });
export function figure(n: number | undefined) {
  if (n === undefined) return '–';
  return (Math.abs(n) < 1e6 ? kFigure : kWhole).format(n);
}
// As prioctl prints amounts of grants, rounded to hundredths.
const kHundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
export const hundredths = (n: number) => kHundredths.format(Math.abs(n) < 0.005 ? 0 : n);
// An amount of a grant of money, of which a unit has 60 minutes.
export const money = (minutes: number, currency: string) => `${hundredths(minutes / 60)} ${currency}`;
export const fixed = (n: number | undefined, digits: number) => (n === undefined ? '–' : n.toFixed(digits));
export const percent = (n: number) => `${(100 * n).toFixed(n !== 0 && n < 0.1 ? 2 : 1)} %`;
export const megabytes = (bytes: string | undefined) => `${whole(Number(bytes ?? 0) / 2 ** 20)} MiB`;

// The site's time zone, where its policy names one that the browser knows; else the browser's.
let zone: string | undefined;
export function setZone(name: string | undefined) {
  try {
    if (name) new Intl.DateTimeFormat('en-GB', { timeZone: name });
    zone = name || undefined;
  } catch {
    zone = undefined;
  }
}
export const zoneName = () => zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

export function time(iso: string | undefined): string {
  if (!iso) return '–';
  return moment(Date.parse(iso) / 1000);
}

// A sentence of the service, its times as all others of the page.
export const prose = (sentence: string) =>
  sentence.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)/g, (iso) => time(iso));

// Of milliseconds since 1970: the time of day.
export const timeOfDay = (at: number) => new Date(at).toLocaleTimeString('en-GB', { timeZone: zone });

// Of milliseconds since 1970: the day, and the minute of it.
export const dayText = (at: number) =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: zone });
export const minuteText = (at: number) =>
  new Date(at).toLocaleTimeString('en-GB', { timeStyle: 'short', timeZone: zone });

// Of milliseconds since 1970, both: the minute, with the day if that is not the day of `now`.
export const near = (at: number, now: number) =>
  dayText(at) === dayText(now) ? minuteText(at) : `${dayText(at)}, ${minuteText(at)}`;

// Of seconds since 1970. All times of the page have this form, and those of sentences.
export const moment = (seconds: number) =>
  new Date(seconds * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });

// A Date whose parts, read in the browser's zone, are those of the site's.
export const zoned = (seconds: number) =>
  new Date(new Date(seconds * 1000).toLocaleString('en-US', { timeZone: zone }));

// The offset of the site's time zone from UTC, in milliseconds.
export const offsetAt = (at: number) =>
  Date.parse(`${new Date(at).toLocaleString('sv-SE', { timeZone: zone })}Z`) - Math.floor(at / 1000) * 1000;

// Short enough for an axis.
export function short(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)} k`;
  return value >= 100 || value === 0 ? kWhole.format(value) : value.toPrecision(2);
}

const tenths = (n: number) => n.toFixed(1).replace('.0', '');

// `3600s` in words.
export function duration(text: string | undefined): string {
  if (!text) return '–';
  const seconds = parseFloat(text);
  const size = Math.abs(seconds);
  if (size < 1) return `${Math.round(seconds * 1000)} ms`;
  if (size < 120) return `${Math.round(seconds)} s`;
  if (size < 7200) return `${Math.round(seconds / 60)} min`;
  if (size < 172800) return `${tenths(seconds / 3600)} h`;
  return `${tenths(seconds / 86400)} d`;
}

const kTimeForms = [/^(?:(\d+)-)?(\d+):(\d+):(\d+)$/, /^(\d+)-(\d+)(?::(\d+))?$/, /^()()(\d+)(?::(\d+))?$/];

// Seconds of a time limit as sbatch takes it: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes,
// days-hours:minutes:seconds. Undefined where it is none.
export function secondsOf(text: string): number | undefined {
  const form = kTimeForms.map((one) => one.exec(text.trim())).find(Boolean);
  if (!form) return undefined;
  const [days, hours, minutes, seconds] = form.slice(1).map((part) => Number(part || 0));
  return days * 86400 + hours * 3600 + (minutes || 0) * 60 + (seconds || 0);
}

export const ago = (iso: string, now: number) => duration(`${Math.max(0, (now - Date.parse(iso)) / 1000)}s`);

// sshare prints LevelFS as `inf` where nothing was used.
export const levelFs = (share: { levelFs?: number; levelFsInfinite: boolean }) =>
  share.levelFsInfinite ? 'inf' : fixed(share.levelFs, 6);

export const kFactors = [
  ['fairShare', 'Fair-share'],
  ['age', 'Age'],
  ['qos', 'QOS'],
  ['partition', 'Partition'],
  ['jobSize', 'Job size'],
  ['assoc', 'Association'],
  ['tres', 'TRES'],
  ['site', 'Site'],
] as const;
export type FactorKey = (typeof kFactors)[number][0];

const kNames: Record<string, string> = {
  fair_share: 'Fair-share',
  age: 'Age',
  qos: 'QOS',
  partition: 'Partition',
  job_size: 'Job size',
  assoc: 'Association',
  site: 'Site',
  nice: 'Nice',
  tres: 'TRES',
};
const kKeys: Record<string, FactorKey | 'nice'> = { fair_share: 'fairShare', job_size: 'jobSize' };
export const factorName = (name: string) => kNames[name] ?? name.replace('tres/', 'TRES ');
export const factorKey = (name: string) => (name.startsWith('tres/') ? 'tres' : (kKeys[name] ?? name));

export function contribution(factors: Factors | undefined, key: FactorKey): number {
  if (!factors) return 0;
  if (key === 'tres') return Object.values(factors.tres ?? {}).reduce((sum, n) => sum + n, 0);
  return factors[key];
}

const kRules: Record<string, string> = {
  ORDER_RULE_PREEMPTOR: 'who can preempt',
  ORDER_RULE_RESERVATION: 'a reservation',
  ORDER_RULE_PRIORITY_TIER: "the partition's PriorityTier",
  ORDER_RULE_PRIORITY: 'the priority',
  ORDER_RULE_SUBMIT_TIME: 'the earlier submit time',
  ORDER_RULE_JOB_ID: 'the lower job id',
};
export const rule = (name: string) => kRules[name] ?? 'nothing';
