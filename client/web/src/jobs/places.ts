// The other partitions and QOS in which a waiting job could start, and when such jobs do.
import { call, Failure, type Tracked } from '../calls/api';
import { type Forecasts, forecastsOfJobs } from '../forecasts/forecast_data';
import { clearlySooner, halfOf } from './sooner';

export interface Place {
  id: string; // Of its forecast.
  partition: string;
  qos: string; // Empty = the cluster has no QOS.
  changed: ('partition' | 'qos')[]; // Other than the job's; one or both.
}
export interface Places {
  places: Place[];
  forecasts: Forecasts;
}

// The id of the forecast of the job where it is.
export const kOwn = 'own';
// The service takes 100 jobs at once.
const kMostForecast = 99;
const kMostRanked = 1000;
const kMostShown = 3;

// The places that access lists permit to the user. Only the hosts know the members of AllowGroups.
async function usableOf(cluster: string, user: string, account: string, signal: AbortSignal) {
  const { partitions } = await call('AdminService/ListPartitions', { cluster, user }, signal);
  return partitions
    .filter(({ attributes }) => (attributes.State ?? 'UP') === 'UP' && !attributes.RootOnly && !attributes.AllowGroups)
    .filter((one) => one.usableAccounts.includes(account))
    .flatMap(({ name, usableQos }) => (usableQos.length ? usableQos : ['']).map((qos) => ({ partition: name, qos })))
    .slice(0, kMostRanked);
}

const changesOf = ({ partition, qos }: Omit<Place, 'changed' | 'id'>, tracked: Tracked): Place['changed'] => [
  ...(tracked.partitions.includes(partition) ? [] : ['partition' as const]),
  ...(!qos || tracked.qos.includes(qos) ? [] : ['qos' as const]),
];

// `partition fast, QOS high`.
export const placeText = ({ partition, qos, changed }: Place) =>
  changed.map((name) => (name === 'partition' ? `partition ${partition}` : `QOS ${qos}`)).join(', ');

// Of these the ones in which the job could start, in start order: the service ranks each alone.
async function startableOf(cluster: string, job: object, places: Place[], signal: AbortSignal): Promise<Place[]> {
  const jobs = places.map(({ id, partition, qos }) => inPlace(job, id, partition, qos));
  const { ranked } = await call('PriorityService/RankJobs', { cluster, jobs: { jobs }, bestOnly: true }, signal);
  const byId = new Map(places.map((place) => [place.id, place]));
  return ranked.map((row) => byId.get(row.jobId)!).sort((a, b) => a.changed.length - b.changed.length);
}

const inPlace = (job: object, jobId: string, partition: string, qos: string) => ({
  ...job,
  jobId,
  partitions: [partition],
  qos: qos ? [qos] : [],
});

async function find(cluster: string, tracked: Tracked, signal: AbortSignal): Promise<Places | undefined> {
  const { user, cpus, nodes, tres } = tracked.job!;
  const { account, partitions, qos, timeLimit } = tracked;
  const job = { user, account, cpus, nodes, tres, timeLimit };
  const places = (await usableOf(cluster, user!, account, signal))
    .map((one, n): Place => ({ ...one, id: `${n}`, changed: changesOf(one, tracked) }))
    .filter((one) => one.changed.length > 0);
  if (places.length === 0) return undefined;
  const startable = (await startableOf(cluster, job, places, signal)).slice(0, kMostForecast);
  if (startable.length === 0) return undefined;
  const supposed = startable.map((one) => inPlace(job, one.id, one.partition, one.qos));
  const forecasts = await forecastsOfJobs(cluster, [{ ...job, jobId: kOwn, partitions, qos }, ...supposed], signal);
  return forecasts && { places: startable, forecasts };
}

// Undefined if there are none, or the reader may not see them.
export async function placesOf(cluster: string, tracked: Tracked, signal: AbortSignal): Promise<Places | undefined> {
  try {
    return await find(cluster, tracked, signal);
  } catch (error) {
    if (error instanceof Failure && (error.isRefused || error.isUnknownCall)) return undefined;
    throw error;
  }
}

// The places in which half of such jobs start clearly sooner than where the job is, and than the job itself, the soonest
// first; a change of partition and QOS only where it is clearly sooner than a change of one. `own` as of `soonerLimits`.
export function soonerPlaces(value: Places | undefined, own: number): Place[] {
  if (!value) return [];
  const half = (place: Place) => halfOf(value.forecasts, place.id);
  const isSooner = clearlySooner(halfOf(value.forecasts, kOwn), own);
  const sooner = value.places.filter((place) => isSooner(half(place)));
  const ofOne = sooner.filter((place) => place.changed.length === 1).map(half);
  const isSoonerThanOne = clearlySooner(Math.min(...ofOne), Number.NaN);
  return sooner
    .filter((place) => place.changed.length === 1 || ofOne.length === 0 || isSoonerThanOne(half(place)))
    .sort((a, b) => half(a) - half(b))
    .slice(0, kMostShown);
}
