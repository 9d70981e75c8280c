// Forecasts of starts as the service has them.
import { call, Failure, type Job, type StartForecast } from '../calls/api';

// `now`: when they were made, in milliseconds since 1970.
export interface Forecasts {
  byJob: Map<string, StartForecast>;
  now: number;
}

// The service takes no more at once.
const kMostJobs = 10000;

// A forecast before the first start of a cluster says nothing of the job.
const isKnown = (forecast: StartForecast) => forecast.source !== 'FORECAST_SOURCE_NOTHING' && forecast.start.length > 0;

async function ask(request: object, signal: AbortSignal): Promise<Forecasts | undefined> {
  try {
    const { forecasts, asOf } = await call('PriorityService/ForecastStarts', request, signal);
    const known = forecasts.filter(isKnown);
    if (known.length === 0) return undefined;
    return { byJob: new Map(known.map((one) => [one.jobId, one])), now: Date.parse(asOf!) };
  } catch (error) {
    if (error instanceof Failure && (error.status === 400 || error.isUnknownCall || error.isRefused)) return undefined;
    throw error;
  }
}

// Of jobs that wait; undefined if nothing is known of any.
export const forecastsOf = async (cluster: string, jobIds: string[], signal: AbortSignal, levels: number[] = []) =>
  jobIds.length ? ask({ cluster, jobIds: jobIds.slice(0, kMostJobs), levels }, signal) : undefined;

type Supposed = Partial<Pick<Job, 'user' | 'account' | 'partitions' | 'qos' | 'cpus' | 'nodes' | 'tres'>>;

// Of jobs as if each were submitted now, at most 100; by their ids.
export const forecastsOfJobs = (cluster: string, jobs: (Supposed & { jobId: string })[], signal: AbortSignal) =>
  ask({ cluster, jobs: { jobs } }, signal);

// Of such a job by its time limit, such as `3600s`.
export async function forecastsOfLimits(cluster: string, job: Supposed, limits: string[], signal: AbortSignal) {
  const { user, account, partitions, qos, cpus, nodes, tres } = job;
  const supposed = { user, account, partitions, qos, cpus, nodes, tres };
  return forecastsOfJobs(
    cluster,
    limits.map((timeLimit) => ({ ...supposed, jobId: timeLimit, timeLimit })),
    signal,
  );
}
