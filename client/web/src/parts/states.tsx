// The states of every view without data, or without the newest.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../calls/api';
import { timeOfDay } from './format';

export interface Loaded<T> {
  value?: T;
  failure?: Failure;
  at?: number;
}

const asFailure = (error: unknown) => (error instanceof Failure ? error : new Failure(0, String(error)));

// Of a service that is away, in seconds.
const kBetweenTrials = 5;

// Loads again every `seconds`, when `key` changes, and soon when the service was away; what was loaded stays while it does
// not answer, with `keeps` also when another key is asked for: `isPending` until its answer is there. Without a key it waits for one.
export function useLoaded<T>(
  key: string | undefined,
  seconds: number,
  load: (signal: AbortSignal) => Promise<T>,
  keeps = false,
): Loaded<T> & { again: () => void; isPending: boolean } {
  const [state, setState] = useState<Loaded<T> & { key?: string }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (key === undefined) return;
    const abort = new AbortController();
    let timer = 0;
    setState((now) => (turn === 0 && !keeps ? {} : now));
    const run = async () => {
      let wait = seconds;
      try {
        const value = await load(abort.signal);
        if (abort.signal.aborted) return;
        setState({ value, at: Date.now(), key });
      } catch (error) {
        const failure = asFailure(error);
        if (failure.isAway) wait = kBetweenTrials;
        if (!abort.signal.aborted) setState((now) => ({ ...now, failure, key }));
      }
      if (!abort.signal.aborted && wait > 0) timer = window.setTimeout(run, wait * 1000);
    };
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, turn]);
  return { ...state, isPending: state.key !== key, again: () => setTurn((now) => now + 1) };
}

export function Loading({ what }: { what: string }) {
  return (
    <div class="state" role="status">
      <span class="spinner" aria-hidden="true" />
      Loading {what} …
    </div>
  );
}

// Before the service has been asked who reads.
export function Unknown({ what, failure }: { what: string; failure?: Failure }) {
  return failure ? <Failed failure={failure} /> : <Loading what={what} />;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="state">{children}</div>;
}

export function Failed({ failure, again }: { failure: Failure; again?: () => void }) {
  if (failure.needsSignIn) {
    return (
      <div class="state failed" role="alert">
        <h2>Who are you?</h2>
        <p>{failure.message}</p>
        <p>
          <a class="button" href={`#/signin?to=${encodeURIComponent(location.hash.slice(1))}`}>
            Sign in
          </a>
        </p>
      </div>
    );
  }
  return (
    <div class="state failed" role="alert">
      <h2>{failure.isRefused ? 'This is not for you to see' : 'That did not work'}</h2>
      <p>
        {failure.message}
        {failure.isAway && ' Trying again.'}
      </p>
      {again && (
        <p>
          <button type="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}

// Over what is still shown, when it may be old.
export function Stale({ since, failure, staleFor }: { since?: number; failure?: Failure; staleFor?: string }) {
  if (!failure && !staleFor) return null;
  const clock = since ? timeOfDay(since) : '';
  return (
    <div class="stale" role="status">
      {failure
        ? `${failure.message} Shown is what was known at ${clock}${failure.isAway ? '; trying again' : ''}.`
        : `The service has not reached its database for ${Math.round(parseFloat(staleFor!))} s: this may not be the newest.`}
    </div>
  );
}

export function useNow(seconds: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), seconds * 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
