// Fields that narrow down a list, kept in the address as they are typed.
import { useRef } from 'preact/hooks';
import { current } from './address';
import { go, href, type Route } from './route';

const kPause = 250;

// `names`: how each is called in the address, and on the page. How much more was asked for is forgotten by another filter.
export function Filters({ label, names, route }: { label: string; names: readonly (readonly [string, string])[]; route: Route }) {
  const timer = useRef(0);
  const set = (name: string, value: string) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => go(href(route.view, route.id, { ...Object.fromEntries(current().query), [name]: value.trim(), more: undefined }), true), kPause);
  };
  const isFiltered = names.some(([name]) => route.query.get(name));
  const plain = Object.fromEntries([...route.query].filter(([key]) => !names.some(([name]) => name === key)));
  return (
    <form class="filters" role="search" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {names.map(([name, text]) => (
        <label>{text}<input name={name} autocomplete="off" spellcheck={false} placeholder="all" value={route.query.get(name) ?? ''} onInput={(event) => set(name, event.currentTarget.value)} /></label>
      ))}
      {isFiltered && <a class="quiet" href={href(route.view, route.id, plain)}>Clear</a>}
    </form>
  );
}
