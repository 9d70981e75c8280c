// Calls of the service over HTTP.
import { takeEarly } from './early';
import type { Answers } from './schemas';
import { headers } from './token';

export type * from './messages';
export { setToken, token } from './token';

type Method = keyof Answers;
type ListMethod = { [M in Method]: Answers[M] extends { nextPageToken: string } ? M : never }[Method];

// The failure of a call, in the service's words where it has some.
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly reason = '', // Of its ErrorInfo, such as `NO_NODES`.
  ) {
    super(message);
  }
  get needsSignIn() {
    return this.status === 401;
  }
  get isRefused() {
    return this.status === 403;
  }
  // Not reached, or by a proxy that did not reach it, without its database, or too busy.
  get isAway() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
  // An older service has no such call.
  get isUnknownCall() {
    return this.status === 404 || this.status === 501;
  }
}

async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text();
  try {
    const { message, details = [] } = JSON.parse(text);
    const reason = details.find((detail: { reason?: string }) => detail.reason)?.reason;
    return new Failure(response.status, message || response.statusText, reason);
  } catch {
    return new Failure(response.status, `HTTP ${response.status} ${response.statusText}`);
  }
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    // Relative: a proxy may have put the page under a prefix.
    return await (takeEarly(path, init) ?? fetch(path, init));
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Failure(0, 'The service does not answer.');
  }
}

export async function call<M extends Method>(method: M, request: object, signal?: AbortSignal): Promise<Answers[M]> {
  const response = await ask(`v1/${method}`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok) throw await failureOf(response);
  return response.json();
}

// A GET: the browser keeps the answer, and the service says when it is still the same.
export async function read<M extends Method>(
  method: M,
  parameters: Record<string, string>,
  signal?: AbortSignal,
): Promise<Answers[M]> {
  const query = new URLSearchParams(parameters).toString();
  const response = await ask(`v1/${method}${query ? `?${query}` : ''}`, {
    headers: headers(),
    signal,
    cache: 'no-cache',
  });
  if (!response.ok) throw await failureOf(response);
  return response.json();
}

// All pages of a list, `most` at most; `isCut` where there were more.
export async function pages<M extends ListMethod>(
  method: M,
  request: object,
  most: number,
  signal: AbortSignal,
): Promise<{ pages: Answers[M][]; isCut: boolean }> {
  const all: Answers[M][] = [];
  for (let pageToken = ''; all.length < most; ) {
    const page = await call(method, { ...request, pageToken }, signal);
    all.push(page);
    pageToken = page.nextPageToken;
    if (!pageToken) return { pages: all, isCut: false };
  }
  return { pages: all, isCut: true };
}

// Calls `take` with each event until the stream ends; throws when it fails.
export async function watch<M extends Method>(
  method: M,
  request: object,
  take: (event: Answers[M]) => void,
  signal: AbortSignal,
) {
  const response = await ask(`v1/${method}`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok) throw await failureOf(response);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      if (signal.aborted) throw error;
      throw new Failure(0, 'The connection was lost.');
    });
    if (done) throw new Failure(0, 'The connection was closed.');
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      takeEvent(text.slice(0, end), take);
      text = text.slice(end + 2);
    }
  }
}

function takeEvent<T>(event: string, take: (event: T) => void) {
  const lines = event.split('\n');
  const kind = lines.find((line) => line.startsWith('event: '))?.slice(7);
  const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
  if (kind === 'error') throw new Failure(503, JSON.parse(data ?? '{}').message ?? 'The stream failed.');
  if (data && !kind) take(JSON.parse(data));
}
