// The page: its frame, who the reader is, and which view she looks at.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { setToken, token } from './api';
import { Job } from './job';
import { Queue } from './queue';
import { go, href, useRoute, type Route } from './route';
import { Service } from './service';
import { Shares } from './shares';
import { Empty } from './states';

const kViews = [['queue', 'Queue'], ['shares', 'Shares'], ['service', 'Service']] as const;
const kThemes = ['system', 'light', 'dark'] as const;
const kTheme = 'priorityd-theme';

function useTheme() {
  const [theme, setTheme] = useState<string>(localStorage.getItem(kTheme) ?? 'system');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(kTheme, theme);
  }, [theme]);
  return { theme, next: () => setTheme(kThemes[(kThemes.indexOf(theme as never) + 1) % kThemes.length]) };
}

function SignIn() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('token') as string;
    setToken(given.trim().replace(/^(SLURM_JWT=|Bearer )/, ''));
    go('#/queue');
  };
  return (
    <section aria-labelledby="title" class="signin">
      <h1 id="title">Sign in</h1>
      <p>With a token: that of <code>scontrol token</code>, or one of your site's login. It stays in this tab of the browser and is forgotten when the tab is closed.</p>
      <form onSubmit={submit} class="stacked">
        <label>Token<input name="token" type="password" autocomplete="off" required spellcheck={false} /></label>
        <div><button type="submit" class="button">Sign in</button></div>
      </form>
      {token() && <p><button type="button" onClick={() => { setToken(''); go('#/queue'); }}>Sign out</button></p>}
      <p class="note">A client certificate needs no sign-in: the browser shows it by itself.</p>
    </section>
  );
}

function Top({ view, cluster }: { view: string; cluster: string }) {
  const { theme, next } = useTheme();
  const query = { cluster: cluster || undefined };
  return (
    <header>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      <a class="brand" href={href('queue', '', query)}><img src="icon.svg" alt="" width="20" height="20" />priorityd{cluster && <span>{cluster}</span>}</a>
      <nav aria-label="Views">
        {kViews.map(([name, label]) => <a href={href(name, '', query)} aria-current={view === name || (view === 'job' && name === 'queue') ? 'page' : undefined}>{label}</a>)}
      </nav>
      <div class="tools">
        <button type="button" class="quiet" onClick={next} aria-label={`Colours: ${theme}; change`}>{theme === 'dark' ? '● Dark' : theme === 'light' ? '○ Light' : '◐ System'}</button>
        <a class="quiet" href="#/signin">{token() ? 'Signed in' : 'Sign in'}</a>
      </div>
    </header>
  );
}

function View({ route }: { route: Route }) {
  const cluster = route.query.get('cluster') ?? '';
  switch (route.view) {
    case 'queue': return <Queue route={route} cluster={cluster} />;
    case 'job': return <Job route={route} cluster={cluster} />;
    case 'shares': return <Shares route={route} cluster={cluster} />;
    case 'service': return <Service />;
    case 'signin': return <SignIn />;
    default: return <><h1>Nothing is here</h1><Empty><a href="#/queue">To the queue</a></Empty></>;
  }
}

const kTitles: Record<string, string> = { queue: 'Queue', job: 'Job', shares: 'Shares', service: 'Service', signin: 'Sign in' };

function App() {
  const route = useRoute();
  useEffect(() => {
    document.title = `${[kTitles[route.view], route.id].filter(Boolean).join(' ')} – priorityd`;
  }, [route]);
  return (
    <>
      <Top view={route.view} cluster={route.query.get('cluster') ?? ''} />
      <main id="main" tabIndex={-1}><View route={route} /></main>
    </>
  );
}

render(<App />, document.getElementById('app')!);
