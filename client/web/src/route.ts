// Where the reader is, kept behind the `#`: a link shows the same view with the same filters.
import { useEffect, useState } from 'preact/hooks';

export interface Route { view: string; id: string; query: URLSearchParams }

function current(): Route {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, ...rest] = path.split('/');
  return { view: view || 'queue', id: decodeURIComponent(rest.join('/')), query: new URLSearchParams(query ?? '') };
}

export function href(view: string, id = '', query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  const text = new URLSearchParams(given).toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ''}${text ? `?${text}` : ''}`;
}

// Goes there; a filter that is being typed leaves no trace in the history.
export function go(to: string, replace = false) {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const changed = () => setRoute(current());
    addEventListener('hashchange', changed);
    addEventListener('popstate', changed);
    return () => { removeEventListener('hashchange', changed); removeEventListener('popstate', changed); };
  }, []);
  return route;
}
