// Controls of what if: each keeps in the address what it supposes.
import { useRef } from 'preact/hooks';
import { go, href } from '../parts/route';

// Sets what is supposed in the address; as it is in force is not supposed.
export function suppose(key: string, value: string, isSame: boolean) {
  const query = new URLSearchParams(location.hash.split('?')[1] ?? '');
  if (isSame) query.delete(key);
  else query.set(key, value);
  go(href('whatif', '', Object.fromEntries(query)), true);
}

export function useSlowly(then: (value: string) => void) {
  const timer = useRef(0);
  return (value: string) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => then(value), 300);
  };
}

export function Text({
  name,
  label,
  value,
  given,
  help,
  was = value || 'not set',
}: {
  name: string;
  label: string;
  value: string;
  given?: string;
  help?: string;
  was?: string; // The present value, in words; empty = not shown.
}) {
  const slowly = useSlowly((text) => suppose(name, text.trim(), text.trim() === value));
  return (
    <div class={`control text ${given === undefined ? '' : 'supposed'}`} title={help}>
      <label for={name}>{label}</label>
      <input
        id={name}
        autocomplete="off"
        spellcheck={false}
        value={given ?? value}
        onInput={(event) => slowly(event.currentTarget.value)}
      />
      <span class="was">{given !== undefined && was && `was ${was}`}</span>
    </div>
  );
}
