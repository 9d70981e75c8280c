// A user's own jobs with their reasons, expected starts and grants.

import { type Listed, loadListed, settingOf } from '../budgets/grant_data';
import { call, Failure, type PlannedStart, pages, type Tracked } from '../calls/api';
import { type Forecasts, forecastsOf } from '../forecasts/forecast_data';

export interface Mine {
  waiting: Tracked[];
  running: Tracked[];
  isCut: boolean; // There are more than these.
  rankedTotal: number; // Rows of the start order.
  starts?: Map<string, PlannedStart>; // Undefined if the nodes of the cluster are unknown.
  forecasts?: Forecasts; // Undefined if nothing was learned, the reader may not see it, or the call failed.
}

const kMostPages = 5;

// The planned starts by job; undefined if the service does not know the nodes.
export async function startsOf(cluster: string, jobIds: string[], signal: AbortSignal) {
  try {
    const { starts } = await call('PriorityService/PlanStarts', { cluster, tracked: {}, jobIds }, signal);
    return new Map(starts.map((start) => [start.jobId, start]));
  } catch (error) {
    // NO_NODES, or an older service.
    if (error instanceof Failure && (error.status === 400 || error.isUnknownCall || error.isRefused)) return undefined;
    throw error;
  }
}

// The rest is shown without forecasts; an abort is thrown on.
const withoutForecasts = (error: unknown) => {
  if (error instanceof Failure) return undefined;
  throw error;
};

const isRunning = ({ job }: Tracked) => job!.state === 'JOB_STATE_RUNNING' || job!.state === 'JOB_STATE_SUSPENDED';

// Jobs in start order; those without a place in it last.
const byPlace = (a: Tracked, b: Tracked) => (a.rank || Number.MAX_VALUE) - (b.rank || Number.MAX_VALUE);

export async function mineOf(cluster: string, user: string, mayForecast: boolean, signal: AbortSignal): Promise<Mine> {
  const list = { cluster, users: [user], withRanking: true, pageSize: 1000 };
  const [{ pages: all, isCut }, order] = await Promise.all([
    pages('PriorityService/ListJobs', list, kMostPages, signal),
    call('PriorityService/RankJobs', { cluster, tracked: {}, limit: 1, ineligibleLimit: 0, runningLimit: 0 }, signal),
  ]);
  const jobs = all.flatMap((page) => page.jobs);
  const waiting = jobs.filter((job) => !isRunning(job)).sort(byPlace);
  const ids = waiting.filter((job) => job.rank > 0).map((job) => job.job!.jobId!);
  const [starts, forecasts] = await Promise.all([
    ids.length ? startsOf(cluster, ids, signal) : undefined,
    mayForecast ? forecastsOf(cluster, ids, signal).catch(withoutForecasts) : undefined,
  ]);
  return { waiting, running: jobs.filter(isRunning), isCut, rankedTotal: order.rankedTotal, starts, forecasts };
}

// The accounts in which the user has associations.
async function accountsOf(cluster: string, user: string, signal: AbortSignal): Promise<string[]> {
  const list = { cluster, where: { users: [user] }, pageSize: 1000 };
  const { pages: all } = await pages('AdminService/ListAssociations', list, kMostPages, signal);
  return [...new Set(all.flatMap((page) => page.associations.map((one) => one.account!)))];
}

// The grants that the user's jobs are charged to, as `prioctl me` finds them: of the user's accounts, without those of other
// users. None if the service does not list them to the reader.
export async function grantsOf(cluster: string, user: string, signal: AbortSignal): Promise<Listed[]> {
  try {
    const accounts = await accountsOf(cluster, user, signal);
    if (!accounts.length) return []; // Without accounts all would be listed.
    const { grants } = await loadListed(cluster, accounts, false, signal);
    return grants.filter((grant) => ['', user].includes(settingOf(grant, 'User')));
  } catch (error) {
    if (error instanceof Failure && (error.isRefused || error.isUnknownCall)) return [];
    throw error;
  }
}
