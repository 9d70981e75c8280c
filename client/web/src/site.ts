// Which clusters there are, whose the reader is, and in which zone the site tells its times.
import { useEffect, useState } from 'preact/hooks';
import { type Policy, Failure, read, token } from './api';
import { setZone } from './format';

export interface Site { clusters: string[]; user: string; roles: Set<string>; isKnown: boolean }  // isKnown: the service has been asked.

const kNobody: Site = { clusters: [], user: '', roles: new Set(), isKnown: false };
export const kOperators = ['operator', 'administrator'];
export const kObservers = [...kOperators, 'dashboard'];
export const kTreeChangers = ['coordinator', ...kOperators];
export const kAdministrators = ['administrator'];

export const mayBe = (site: Site, roles: string[]) => roles.some((role) => site.roles.has(role));

// What a token says of its user. It is not verified here: it only marks her rows, and the service tells nothing by it.
function userOf(text: string): string {
  try {
    const claims = JSON.parse(atob(text.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
    return String(claims.sun ?? claims.preferred_username ?? claims.sub ?? '');
  } catch {
    return '';
  }
}

// The service has no call that tells one's roles: a refusal of a call for operators says them.
const kRefusal = /got (\S+).* with the role (.+), want one of/;

async function whoAsks(cluster: string, signal: AbortSignal): Promise<Pick<Site, 'user' | 'roles'>> {
  const user = userOf(token());
  try {
    await read('AdminService/ListAuditEvents', { pageSize: '1', ...(cluster && { cluster }) }, signal);
    return { user, roles: new Set(kOperators) };
  } catch (error) {
    const [, name, roles] = (error instanceof Failure && error.isRefused && kRefusal.exec(error.message)) || [];
    return { user: user || name || '', roles: new Set(roles?.split(', ') ?? []) };
  }
}

async function clustersThere(signal: AbortSignal): Promise<string[]> {
  const answer = await read<{ clusters: { name: string }[] }>('AdminService/ListClusters', {}, signal);
  return answer.clusters.map((cluster) => cluster.name);
}

// Learns it anew for each cluster and each token; until it is known nothing that needs a role is offered.
export function useSite(cluster: string): Site {
  const [site, setSite] = useState(kNobody);
  const who = token();
  useEffect(() => {
    const abort = new AbortController();
    const run = async () => {
      const clusters = await clustersThere(abort.signal).catch(() => []);
      const named = cluster || clusters[0] || '';
      const caller = clusters.length ? await whoAsks(named, abort.signal) : kNobody;
      const policy = clusters.length ? await read<Policy>('AdminService/GetPolicy', { cluster: named }, abort.signal).catch(() => undefined) : undefined;
      setZone(policy?.parameters?.timeZone);
      if (!abort.signal.aborted) setSite({ ...caller, clusters, isKnown: true });
    };
    void run();
    return () => abort.abort();
  }, [cluster, who]);
  return site;
}
