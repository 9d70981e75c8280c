// Fields that narrow down a list, kept in the address as they are typed.
import { useRef } from 'preact/hooks';
import { current } from '../calls/address';
import { go, href, type Route } from './route';

const kPause = 250;

// Sets fields in the address a little after they were typed: all at once that were typed meanwhile. How much more was asked for
// is forgotten. `shown` is what a field has: what was typed, else what the address says.
export function useTyped(route: Route): {
  set: (name: string, value: string) => void;
  shown: (name: string) => string;
} {
  const timer = useRef(0);
  const typed = useRef<Record<string, string>>({});
  const flush = () => {
    const given = Object.fromEntries(Object.entries(typed.current).map(([name, value]) => [name, value.trim()]));
    typed.current = {};
    go(href(route.view, route.id, { ...Object.fromEntries(current().query), ...given, more: undefined }), true);
  };
  const set = (name: string, value: string) => {
    typed.current[name] = value;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(flush, kPause);
  };
  return { set, shown: (name) => typed.current[name] ?? route.query.get(name) ?? '' };
}

// `names`: how each is called in the address, and on the page.
export function Filters({
  label,
  names,
  route,
}: {
  label: string;
  names: readonly (readonly [string, string])[];
  route: Route;
}) {
  const { set, shown } = useTyped(route);
  const isFiltered = names.some(([name]) => route.query.get(name));
  const plain = Object.fromEntries([...route.query].filter(([key]) => !names.some(([name]) => name === key)));
  return (
    <form class="filters" role="search" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {names.map(([name, text]) => (
        <label>
          {text}
          <input
            name={name}
            autocomplete="off"
            spellcheck={false}
            placeholder="all"
            value={shown(name)}
            onInput={(event) => set(name, event.currentTarget.value)}
          />
        </label>
      ))}
      {isFiltered && (
        <a class="quiet" href={href(route.view, route.id, plain)}>
          Clear
        </a>
      )}
    </form>
  );
}
