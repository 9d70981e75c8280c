// The reader's token, which stays in the tab; and what goes with each call.
import { clusterNamed } from './address';
import { kept } from './kept';

const stored = kept('sessionStorage', 'priorityd-token');
export const token = () => stored.get();
export const setToken = (value: string) => stored.set(value);

export function headers(): Record<string, string> {
  const all: Record<string, string> = { 'Content-Type': 'application/json' };
  if (token()) all.Authorization = `Bearer ${token()}`;
  // As the client libraries name it: a load balancer before several cells reads no bodies.
  if (clusterNamed()) all['priorityd-cluster'] = escaped(clusterNamed());
  return all;
}

// Each byte other than a letter, a digit, `-`, `.`, `_` and `~` as %XX.
function escaped(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
