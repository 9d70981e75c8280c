// Follows where the reader is, and goes elsewhere.
import { useEffect, useState } from 'preact/hooks';
import { current, type Route } from '../calls/address';

export { href, type Route } from '../calls/address';

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
    return () => {
      removeEventListener('hashchange', changed);
      removeEventListener('popstate', changed);
    };
  }, []);
  return route;
}
