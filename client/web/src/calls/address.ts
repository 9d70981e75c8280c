// The reader's place on the page, kept behind the `#`: a link shows the same view with the same filters.

// `isLanding`: no view is named, and the queue is only the first guess.
export interface Route {
  view: string;
  isLanding: boolean;
  id: string;
  query: URLSearchParams;
}

export function current(): Route {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, ...rest] = path.split('/');
  return {
    view: view || 'queue',
    isLanding: !view,
    id: decoded(rest.join('/')),
    query: new URLSearchParams(query ?? ''),
  };
}

// The cluster of the address: of a view, or of the card, which has none.
export function clusterNamed(): string {
  return current().query.get('cluster') ?? new URLSearchParams(location.search).get('cluster') ?? '';
}

// Undecoded if somebody typed a `%` that encodes nothing.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function href(view: string, id = '', query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  const text = new URLSearchParams(given).toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ''}${text ? `?${text}` : ''}`;
}
