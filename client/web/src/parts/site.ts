// The clusters, the reader's identity and rights, and the time zone of the site.
import { useMemo } from 'preact/hooks';
import { Failure, read, token } from '../calls/api';
import { setZone } from './format';
import { useLoaded } from './states';

// `methods`: those that the reader may call, by the service; unset = the service does not list them, and `roles` decide. `isManual`: the clock is set by
// hand, and now is the last recalculation. `isKnown`: the service has been asked. `failure`: it did not answer the last time.
export interface Site {
  clusters: string[];
  user: string;
  roles: Set<string>;
  methods?: Set<string>;
  coordinates?: string[];
  isManual: boolean;
  isKnown: boolean;
  failure?: Failure;
}
type Caller = Pick<Site, 'user' | 'roles' | 'methods' | 'coordinates'>;

const kNobody: Site = { clusters: [], user: '', roles: new Set(), isManual: false, isKnown: false };

// Things that a reader may do: the call that does it, and the roles that may where the service does not say.
const kOperators = ['operator', 'administrator'];
const kDeeds = {
  seeStatus: ['AdminService/GetStatus', [...kOperators, 'dashboard']],
  seeAudit: ['AdminService/ListAuditEvents', kOperators],
  changeTree: ['AdminService/UpdateAssociations', ['coordinator', ...kOperators]],
  changeQos: ['AdminService/UpdateQos', kOperators],
  seeLeases: ['AdminService/ListLeases', []],
  haveJobs: ['PriorityService/RankJobs', ['user']],
  seeForecasts: ['PriorityService/ForecastStarts', []],
  seePlaces: ['AdminService/ListPartitions', []],
  seeScores: ['PriorityService/ScoreForecasts', []],
  seeGrants: ['PriorityService/ListGrants', []],
  applyPolicy: ['AdminService/ApplyPolicy', ['administrator']],
} as const satisfies Record<string, readonly [string, readonly string[]]>;
export type Deed = keyof typeof kDeeds;

export function may(site: Site, deed: Deed): boolean {
  const [method, roles] = kDeeds[deed];
  if (deed === 'haveJobs') return !!site.user && site.roles.has('user');
  return site.methods ? site.methods.has(method) : roles.some((role) => site.roles.has(role));
}

// A reader whose own jobs come first.
export const isOrdinary = (site: Site) =>
  may(site, 'haveJobs') && [...site.roles].every((role) => role === 'user' || role === 'coordinator');

// Coordinators change what is below their accounts; who may change QOS changes all of the tree.
export const mayChangeAll = (site: Site) => may(site, 'changeQos');

// The user of a token. It is not verified here: it only marks the user's rows, and gives no access to the service.
function userOf(text: string): string {
  try {
    const claims = JSON.parse(atob(text.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
    return String(claims.sun ?? claims.preferred_username ?? claims.sub ?? '');
  } catch {
    return '';
  }
}

// An older service has no call that returns the caller's roles: its refusal of a call for operators names them.
const kRefusal = /got (\S+).* with the role (.+), want one of/;

// The default for an answer that the service refuses; calls to an unreachable service are retried.
const refusedAs =
  <T>(value: T) =>
  (error: unknown): T => {
    if (!(error instanceof Failure) || error.isAway) throw error;
    return value;
  };

async function byRefusal(cluster: string, signal: AbortSignal): Promise<Caller> {
  const user = userOf(token());
  try {
    await read('AdminService/ListAuditEvents', { pageSize: '1', ...(cluster && { cluster }) }, signal);
    return { user, roles: new Set(kOperators) };
  } catch (error) {
    const [, name, roles] = (error instanceof Failure && error.isRefused && kRefusal.exec(error.message)) || [];
    return { user: user || name || '', roles: new Set(roles?.split(', ') ?? []) };
  }
}

export async function whoAsks(cluster: string, signal: AbortSignal): Promise<Caller> {
  try {
    const caller = await read('PriorityService/GetCaller', { ...(cluster && { cluster }) }, signal);
    return {
      user: caller.name,
      roles: new Set(caller.roles),
      methods: new Set(caller.methods),
      coordinates: caller.coordinatedAccounts,
    };
  } catch (error) {
    if (error instanceof Failure && error.isUnknownCall) return byRefusal(cluster, signal);
    return refusedAs({ user: userOf(token()), roles: new Set<string>() })(error);
  }
}

async function clustersThere(signal: AbortSignal): Promise<string[]> {
  const answer = await read('AdminService/ListClusters', {}, signal);
  return answer.clusters.map((cluster) => cluster.name!);
}

async function askSite(cluster: string, signal: AbortSignal): Promise<Site> {
  const clusters = await clustersThere(signal).catch(refusedAs([]));
  if (!clusters.length) return { ...kNobody, isKnown: true };
  const named = cluster || clusters[0];
  const [caller, policy] = await Promise.all([
    whoAsks(named, signal),
    read('AdminService/GetPolicy', { cluster: named }, signal).catch(refusedAs(undefined)),
  ]);
  setZone(policy?.parameters?.timeZone);
  return { ...caller, clusters, isManual: policy?.parameters?.clock === 'manual', isKnown: true };
}

// Asks again for each cluster and each token, and until the service answers; before its first answer nothing that needs a right is offered.
export function useSite(cluster: string): Site {
  const key = JSON.stringify([cluster, token()]);
  const { value = kNobody, failure } = useLoaded(key, 0, (signal) => askSite(cluster, signal), true);
  return useMemo(() => ({ ...value, failure }), [value, failure]);
}
