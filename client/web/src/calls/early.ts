// A request that is sent before the page's program is loaded; the first identical request takes its response.
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
  // The request that takes the response handles its error; until then the error is ignored.
  response.catch(() => {});
  window.prioritydEarly = { path, body, response, abort };
  setTimeout(() => {
    if (window.prioritydEarly?.abort === abort) abort.abort();
  }, kPatience);
}

// The response for the first identical request; undefined for others.
export function takeEarly(path: string, { body, signal }: RequestInit): Promise<Response> | undefined {
  const early = window.prioritydEarly;
  if (!early || early.path !== path || early.body !== body || early.abort.signal.aborted) return undefined;
  window.prioritydEarly = undefined;
  signal?.addEventListener('abort', () => early.abort.abort());
  return early.response;
}
