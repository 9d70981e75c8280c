// The reader's token, which stays in the tab; and what goes with each call.
import { kept } from './kept';

const stored = kept('sessionStorage', 'priorityd-token');
export const token = () => stored.get();
export const setToken = (value: string) => stored.set(value);

export function headers(): Record<string, string> {
  const all: Record<string, string> = { 'Content-Type': 'application/json' };
  if (token()) all.Authorization = `Bearer ${token()}`;
  return all;
}
