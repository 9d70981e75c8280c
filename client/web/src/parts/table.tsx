// A table with all its rows in the document, in a region that scrolls sideways if it `scrolls`: the name of the region.
import type { ComponentChildren, VNode } from 'preact';

// The name of a column, or the class of its cells, its name, and its help; false = there is no such column.
export type Heading = string | VNode | false | [string, ComponentChildren, string?];

export function Head({ headings }: { headings: Heading[] }) {
  const th = (heading: Heading) => {
    const [className, name, help] = Array.isArray(heading) ? heading : [undefined, heading];
    return (
      <th scope="col" class={className} title={help}>
        {name}
      </th>
    );
  };
  return (
    <thead>
      <tr>{headings.filter((heading) => heading !== false).map(th)}</tr>
    </thead>
  );
}

export function Table({
  scrolls,
  className,
  caption,
  headings,
  foot,
  children,
}: {
  scrolls?: string;
  className?: string;
  caption?: string;
  headings: Heading[];
  foot?: VNode;
  children: ComponentChildren;
}) {
  const table = (
    <table class={className}>
      {caption && <caption>{caption}</caption>}
      <Head headings={headings} />
      <tbody>{children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  );
  if (!scrolls) return table;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${scrolls}, scrolls`}>
      {table}
    </div>
  );
}

export const BarCell = ({ className, percent }: { className: string; percent: number }) => (
  <td class="barcell">
    <span class="bar" aria-hidden="true">
      <i class={className} style={{ width: `${percent}%` }} />
    </span>
  </td>
);
