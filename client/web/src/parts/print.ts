// Whether the page is being printed: then tables are whole, and colours those of paper.
import { useEffect, useState } from 'preact/hooks';

let isPrinting = false;
const heard = new Set<(now: boolean) => void>();

// Views are drawn in microtasks, which the browser runs before it lays the pages out.
function turn(now: boolean) {
  isPrinting = now;
  document.documentElement.toggleAttribute('data-printing', now);
  for (const tell of heard) tell(now);
}

addEventListener('beforeprint', () => turn(true));
addEventListener('afterprint', () => turn(false));
matchMedia('print').addEventListener('change', (event) => turn(event.matches));

export function usePrinting(): boolean {
  const [now, setNow] = useState(isPrinting);
  useEffect(() => {
    heard.add(setNow);
    setNow(isPrinting); // It may have begun between the first drawing and this.
    return () => {
      heard.delete(setNow);
    };
  }, []);
  return now;
}
