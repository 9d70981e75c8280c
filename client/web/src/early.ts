// A request that is sent before the page's program is there, and taken by whoever makes the same one.
import { headers } from './token';

interface Early {
  path: string;
  body: string;
  response: Promise<Response>;
  abort: AbortController;
}
declare global {
  interface Window {
    prioritydEarly?: Early;
    prioritydStarted?: boolean;
  }
}

const kPatience = 15000;

export function askEarly(path: string, request: object) {
  const abort = new AbortController();
  const body = JSON.stringify(request);
  const response = fetch(path, { method: 'POST', headers: headers(), body, signal: abort.signal });
  // Whoever takes it is told; until then nobody minds.
  response.catch(() => {});
  window.prioritydEarly = { path, body, response, abort };
  setTimeout(() => {
    if (window.prioritydEarly?.abort === abort) abort.abort();
  }, kPatience);
}

// Once, by the first who asks the same; else undefined.
export function takeEarly(path: string, { body, signal }: RequestInit): Promise<Response> | undefined {
  const early = window.prioritydEarly;
  if (!early || early.path !== path || early.body !== body || early.abort.signal.aborted) return undefined;
  window.prioritydEarly = undefined;
  signal?.addEventListener('abort', () => early.abort.abort());
  return early.response;
}
