// The page: its frame, the reader's identity, and the view shown.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Admin } from './admin/admin';
import { Service } from './admin/service';
import { Budgets } from './budgets/budgets';
import { Grants } from './budgets/grants';
import { current } from './calls/address';
import { token } from './calls/api';
import { kept } from './calls/kept';
import { ForecastScores } from './forecasts/forecasts';
import { Job } from './jobs/job';
import { MyJobs } from './jobs/mine';
import { go, href, type Route, useRoute } from './parts/route';
import { SignIn } from './parts/sign_in';
import { type Deed, isOrdinary, may, type Site, useSite } from './parts/site';
import { Empty, Unknown } from './parts/states';
import { Queue } from './queue/queue';
import { History } from './shares/history';
import { Shares } from './shares/shares';
import { WhatIf } from './whatif/whatif';

// Of a view that only some may look at what they may.
const kViews: [string, string, Deed?][] = [
  ['mine', 'My jobs', 'haveJobs'],
  ['queue', 'Queue'],
  ['shares', 'Shares'],
  ['budgets', 'Budgets'],
  ['grants', 'Grants', 'seeGrants'],
  ['history', 'History'],
  ['forecasts', 'Forecasts', 'seeScores'],
  ['whatif', 'What if'],
  ['admin', 'Administration', 'changeTree'],
  ['service', 'Service', 'seeStatus'],
];
const kThemes = ['system', 'light', 'dark'] as const;
const kTheme = kept('localStorage', 'priorityd-theme');
// The view on which the reader landed the last time: nothing else is shown until the service has answered.
const kLanded = kept('localStorage', 'priorityd-landed');

function useTheme() {
  const [theme, setTheme] = useState<string>(kTheme.get() || 'system');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    kTheme.set(theme);
  }, [theme]);
  return { theme, next: () => setTheme(kThemes[(kThemes.indexOf(theme as never) + 1) % kThemes.length]) };
}

// A view keeps its place when the cluster is another, a job and an account do not.
function Clusters({ site, view, cluster }: { site: Site; view: string; cluster: string }) {
  if (site.clusters.length < 2) return cluster ? <span class="cluster">{cluster}</span> : null;
  return (
    <label class="cluster">
      <span class="unseen">Cluster</span>
      <select
        value={cluster}
        onChange={(event) => go(href(view === 'job' ? 'queue' : view, '', { cluster: event.currentTarget.value }))}
      >
        {site.clusters.map((name) => (
          <option value={name} selected={name === cluster}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

// Each of them in the middle of what scrolls sideways; nothing moves up or down.
function showCurrent() {
  for (const one of document.querySelectorAll('header nav [aria-current], .tabs [aria-current]')) {
    const [inner, outer] = [one.getBoundingClientRect(), one.parentElement!.getBoundingClientRect()];
    one.parentElement!.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  }
}

function Top({ view, cluster, site }: { view: string; cluster: string; site: Site }) {
  const { theme, next } = useTheme();
  const query = { cluster: cluster || undefined };
  // On a narrow screen the views scroll sideways, and what is within one.
  useEffect(() => {
    showCurrent();
    addEventListener('resize', showCurrent);
    return () => removeEventListener('resize', showCurrent);
  }, [view, site]);
  return (
    <header>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to the content
      </a>
      <a class="brand" href={href(isOrdinary(site) ? 'mine' : 'queue', '', query)}>
        <img src="icon.svg" alt="" width="20" height="20" />
        priorityd
      </a>
      <Clusters site={site} view={view} cluster={cluster} />
      <nav aria-label="Views">
        {kViews
          .filter(([, , deed]) => !deed || may(site, deed))
          .map(([name, label]) => (
            <a
              href={href(name, '', query)}
              aria-current={view === name || (view === 'job' && name === 'queue') ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
      </nav>
      <div class="tools">
        <button type="button" class="quiet" onClick={next} aria-label={`Colours: ${theme}; change`}>
          {theme === 'dark' ? '●' : theme === 'light' ? '○' : '◐'}
          <span class="theme"> {theme === 'dark' ? 'Dark' : theme === 'light' ? 'Light' : 'System'}</span>
        </button>
        <a class="quiet" href={href('signin', '', query)}>
          {site.user || (token() ? 'Signed in' : 'Sign in')}
        </a>
      </div>
    </header>
  );
}

function View({ route, site }: { route: Route; site: Site }) {
  const cluster = route.query.get('cluster') ?? '';
  switch (route.view) {
    case 'mine':
      return <MyJobs route={route} cluster={cluster} site={site} />;
    case 'queue':
      return <Queue route={route} cluster={cluster} site={site} />;
    case 'job':
      return <Job route={route} cluster={cluster} site={site} />;
    case 'shares':
      return <Shares route={route} cluster={cluster} />;
    case 'budgets':
      return <Budgets route={route} cluster={cluster} site={site} />;
    case 'grants':
      return <Grants route={route} cluster={cluster} site={site} />;
    case 'history':
      return <History route={route} cluster={cluster} site={site} />;
    case 'forecasts':
      return <ForecastScores cluster={cluster} site={site} />;
    case 'whatif':
      return <WhatIf route={route} cluster={cluster} site={site} />;
    case 'admin':
      return <Admin route={route} cluster={cluster} site={site} />;
    case 'service':
      return <Service />;
    case 'signin':
      return <SignIn route={route} site={site} />;
    default:
      return (
        <>
          <h1>Nothing is here</h1>
          <Empty>
            <a href={href('queue', '', { cluster })}>To the queue</a>
          </Empty>
        </>
      );
  }
}

const kTitles: Record<string, string> = {
  mine: 'My jobs',
  queue: 'Queue',
  job: 'Job',
  shares: 'Shares',
  budgets: 'Budgets',
  grants: 'Grants',
  history: 'History',
  forecasts: 'Forecasts',
  whatif: 'What if',
  admin: 'Administration',
  service: 'Service',
  signin: 'Sign in',
};

function App() {
  const route = useRoute();
  const cluster = route.query.get('cluster') ?? '';
  const site = useSite(cluster);
  // Both run after the page is drawn, when the reader may already be elsewhere.
  useEffect(() => {
    const { view, id, query } = current();
    // With several clusters the service requires the name of one.
    if (!query.get('cluster') && site.clusters.length > 1)
      go(href(view, id, { ...Object.fromEntries(query), cluster: site.clusters[0] }), true);
  }, [site, cluster]);
  useEffect(() => {
    const { isLanding, query } = current();
    if (!isLanding || !site.isKnown || !site.user) return;
    const view = isOrdinary(site) ? 'mine' : 'queue';
    kLanded.set(view === 'mine' ? view : '');
    go(href(view, '', Object.fromEntries(query)), true);
  }, [site, route]);
  const isLandingSoon = route.isLanding && !site.isKnown && kLanded.get() !== '';
  useEffect(() => {
    document.title = `${[kTitles[route.view], route.id].filter(Boolean).join(' ')} – priorityd`;
  }, [route]);
  return (
    <>
      <Top view={route.view} cluster={cluster} site={site} />
      <main id="main" tabIndex={-1}>
        {isLandingSoon ? <Unknown what="your jobs" failure={site.failure} /> : <View route={route} site={site} />}
      </main>
    </>
  );
}

window.prioritydStarted = true;
render(<App />, document.getElementById('app')!);
