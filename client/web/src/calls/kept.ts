// A text that the browser keeps. Where it keeps nothing, as for a page in a sandboxed frame, it lasts as long as the page.

export function kept(
  where: 'localStorage' | 'sessionStorage',
  name: string,
): { get: () => string; set: (value: string) => void } {
  let here = '';
  return {
    get: () => {
      try {
        return window[where].getItem(name) ?? '';
      } catch {
        return here;
      }
    },
    set: (value) => {
      here = value;
      try {
        if (value) window[where].setItem(name, value);
        else window[where].removeItem(name);
      } catch {
        /* It is kept here. */
      }
    },
  };
}
