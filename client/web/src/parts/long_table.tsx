// A table of which only the rows in sight are in the document, however many there are.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { whole } from './format';
import { usePrinting } from './print';

export interface Column<Row> {
  name: string;
  key: string;
  help?: string;
  // The longest text of the rows, whose width the column then has on every screen: `var(--KEY)`.
  longest?: number;
  cell: (row: Row, index: number) => ComponentChildren;
}

const kRowHeight = 34;
// On a phone a row may have several lines.
const kPhone = matchMedia('(max-width: 720px)');
const kPhoneRowHeights = { 1: kRowHeight, 2: 58, 3: 76 };
const kSpare = 12;
const kNear = 100;
// Of a table that is printed; more than that nobody reads on paper.
const kMostPrinted = 5000;

function useRowHeight(phoneLines: 1 | 2 | 3): number {
  const [isPhone, setPhone] = useState(kPhone.matches);
  useEffect(() => {
    const changed = () => setPhone(kPhone.matches);
    kPhone.addEventListener('change', changed);
    return () => kPhone.removeEventListener('change', changed);
  }, []);
  return isPhone ? kPhoneRowHeights[phoneLines] : kRowHeight;
}

// `nearEnd` is called when the last of the rows are not far.
export function LongTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  className,
  nearEnd,
  phoneLines = 1,
}: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  className: string;
  nearEnd?: () => void;
  phoneLines?: 1 | 2 | 3; // Of a row.
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 600));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const isPrinting = usePrinting();
  const rowHeight = useRowHeight(phoneLines);
  const widths = Object.fromEntries(
    columns.filter((column) => column.longest).map((column) => [`--${column.key}`, `${column.longest! + 0.5}ch`]),
  );
  const first = isPrinting ? 0 : Math.max(0, Math.min(Math.floor(top / rowHeight) - kSpare, rows.length));
  const last = Math.min(rows.length, isPrinting ? kMostPrinted : Math.ceil((top + height) / rowHeight) + kSpare);
  const isNearEnd = !isPrinting && last > rows.length - kNear;
  useEffect(() => {
    if (isNearEnd) nearEnd?.();
  }, [isNearEnd, !nearEnd]);
  return (
    <div
      class={`long ${className}`}
      style={widths}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrolls`}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup" class="head">
          <div role="row" aria-rowindex={1} class="row">
            {columns.map((column) => (
              <div role="columnheader" class={`c-${column.key}`} title={column.help}>
                {column.name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="body" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(first, last).map((row, at) => (
            <div
              role="row"
              class="row"
              key={keyOf(row)}
              aria-rowindex={first + at + 2}
              style={{ transform: `translateY(${(first + at) * rowHeight}px)` }}
            >
              {columns.map((column) => (
                <div role="cell" class={`c-${column.key}`}>
                  {column.cell(row, first + at)}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
      {isPrinting && rows.length > last && (
        <p class="note">
          Printed are the first {whole(last)} of {whole(rows.length)} rows.
        </p>
      )}
    </div>
  );
}
