// Sign-in with the site's login, or with a token.
import { useEffect, useState } from 'preact/hooks';
import { Failure, setToken, token } from '../calls/api';
import { go, href, type Route } from './route';
import type { Site } from './site';
import { useLoaded } from './states';

const kFailed: Record<string, string> = {
  state: 'That sign-in was begun elsewhere, took too long, or was used already. Begin again here.',
  refused: 'The login refused it, or you did not allow it. If you did, its registration of this page may be wrong.',
  provider: 'The login does not answer as it should. Try again in a minute; a token works meanwhile.',
  token: 'The login names you in a way that this service does not take. Its log says why.',
};

async function choices(signal: AbortSignal): Promise<{ issuer: string }> {
  const response = await fetch('signin/options', { signal });
  // An older service has no such login.
  return response.ok ? response.json() : { issuer: '' };
}

const hostOf = (url: string) => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};

// Ends the session, and that of the login where it can be ended.
async function signOut(): Promise<void> {
  setToken('');
  const response = await fetch('signin/end', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  }).catch(() => undefined);
  const next: string = response?.ok ? (await response.json()).next : '';
  if (next) location.assign(next);
  else leave();
}

// Loads the page again, which forgets all that it knew of the reader.
const leave = () => location.replace(location.pathname);

function TokenForm({ to }: { to: string }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('token') as string;
    setToken(given.trim().replace(/^(SLURM_JWT=|Bearer )/, ''));
    go(to);
  };
  return (
    <>
      <p>
        With a token: that of <code>scontrol token</code>, or one of your site's login. It stays in this tab of the
        browser and is forgotten when the tab is closed.
      </p>
      <form onSubmit={submit} class="stacked">
        <label>
          Token
          <input name="token" type="password" autocomplete="off" required spellcheck={false} />
        </label>
        <div>
          <button type="submit" class="button">
            Sign in
          </button>
        </div>
      </form>
    </>
  );
}

export function SignIn({ route, site }: { route: Route; site: Site }) {
  const { value } = useLoaded('options', 0, (signal) =>
    choices(signal).catch(() => {
      throw new Failure(0, 'The service does not answer.');
    }),
  );
  const [isOld] = useState(!!token());
  const failed = route.query.get('failed');
  const to = route.query.get('to') ?? '';
  const next = to ? `#${to}` : href('', '', { cluster: route.query.get('cluster') ?? '' });
  useEffect(() => {
    if (failed) document.getElementById('failed')?.focus();
  }, [failed]);
  return (
    <section aria-labelledby="title" class="signin">
      <h1 id="title">{site.user ? `Signed in as ${site.user}` : 'Sign in'}</h1>
      {failed && (
        <p class="warning" role="alert" id="failed" tabIndex={-1}>
          {kFailed[failed] ?? kFailed.provider}
        </p>
      )}
      {value?.issuer && !site.user && (
        <p>
          <a class="button" href={`signin/begin?to=${encodeURIComponent(to)}`}>
            Sign in at {hostOf(value.issuer)}
          </a>
        </p>
      )}
      {(site.user || token()) && (value?.issuer || token() || isOld) && (
        <p>
          <button
            type="button"
            onClick={() => {
              if (value?.issuer) return void signOut();
              setToken('');
              leave();
            }}
          >
            Sign out
          </button>
        </p>
      )}
      {value?.issuer ? (
        <details>
          <summary>With a token instead</summary>
          <TokenForm to={next} />
        </details>
      ) : (
        <TokenForm to={next} />
      )}
      <p class="note">A client certificate needs no sign-in: the browser shows it by itself.</p>
    </section>
  );
}
