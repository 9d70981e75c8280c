// Values over time, drawn by uPlot; figures show the values at the pointer or at the place of the arrow keys.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { moment, zoned } from './format';

// `colour` stays a line's own where others are left out.
export interface Line {
  label: string;
  colour: number;
  values: (number | null)[];
}
// Something that happened, in seconds since 1970, by the number under which it is listed.
export interface Mark {
  at: number;
  label: string;
}
export interface PlotProps {
  title: string;
  note: string;
  times: number[];
  lines: Line[];
  marks: Mark[];
  format: (value: number) => string; // On the axis.
  tell: (value: number) => string; // In figures.
  isStacked?: boolean;
  most?: number;
  range: [number, number];
}

export const kMostLines = 8;
const kHeight = 210;

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Each line on top of those before it; drawn from the last, so that each shows its own part.
export function stacked(lines: Line[]): (number | null)[][] {
  const sums: number[] = [];
  return lines.map((line) => line.values.map((value, at) => (sums[at] = (sums[at] ?? 0) + (value ?? 0))));
}

const kLeastApart = 16; // Pixels: the labels of marks that are closer stand as one.

// Marks by where they stand, from the left, those that stand together by their first and last.
function placed(plot: uPlot, marks: Mark[]): { x: number; label: string }[] {
  const all: { x: number; label: string; first: string }[] = [];
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.at, 'x', true));
    const before = all[all.length - 1];
    if (before && x - before.x < kLeastApart * devicePixelRatio) before.label = `${before.first}–${mark.label}`;
    else all.push({ x, label: mark.label, first: mark.label });
  }
  return all.filter(({ x }) => x >= plot.bbox.left && x <= plot.bbox.left + plot.bbox.width);
}

function drawMarks(plot: uPlot, marks: Mark[]) {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour('--soft');
  ctx.font = `600 ${11 * scale}px system-ui, sans-serif`;
  ctx.textAlign = 'center';
  ctx.setLineDash([4 * scale, 4 * scale]);
  for (const { x, label } of placed(plot, marks)) {
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(label, x, bbox.top - 6 * scale);
  }
  ctx.restore();
}

function optionsOf(props: PlotProps, width: number, moved: (at: number | null) => void): uPlot.Options {
  const soft = colour('--soft');
  const axis = {
    stroke: soft,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const order = props.lines.map((_, at) => at);
  if (props.isStacked) order.reverse();
  return {
    width,
    height: kHeight,
    tzDate: zoned,
    padding: [20, 14, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: 'plots' }, drag: { x: false, y: false }, points: { show: !props.isStacked } },
    scales: {
      x: { range: props.range },
      y: { range: (_, __, highest) => [0, props.most ?? (highest > 0 ? highest * 1.08 : 1)] },
    },
    axes: [
      { ...axis, space: 70, size: props.range[1] - props.range[0] > 4 * 86400 ? 30 : 46, values: kTimes },
      { ...axis, size: 62, values: (_, splits) => splits.map(props.format) },
    ],
    series: [
      {},
      ...order.map(
        (at): uPlot.Series => ({
          label: props.lines[at].label,
          stroke: colour(`--p${props.lines[at].colour}`),
          width: props.isStacked ? 0 : 2,
          points: { show: false },
          ...(props.isStacked
            ? { fill: colour(`--p${props.lines[at].colour}`), paths: uPlot.paths.bars!({ size: [0.86, 60], align: 1 }) }
            : {}),
        }),
      ),
    ],
    hooks: { draw: [(plot) => drawMarks(plot, props.marks)], setCursor: [(plot) => moved(plot.cursor.idx ?? null)] },
  };
}

// Days first; of a time within one its hour.
const kTimes: uPlot.Axis.Values = [
  [86400 * 28, '{DD} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86400, '{D} {MMM}', null, null, null, null, null, null, 1],
  [3600, '{HH}:00', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
];

const dataOf = (props: PlotProps): uPlot.AlignedData => [
  props.times,
  ...(props.isStacked ? stacked(props.lines).reverse() : props.lines.map((line) => line.values)),
];

// Changes whenever colours do: by the reader's choice, the system's, or for paper.
function useColours(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const changed = () => setTurn((now) => now + 1);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'data-printing'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', changed);
    return () => {
      observer.disconnect();
      system.removeEventListener('change', changed);
    };
  }, []);
  return turn;
}

function Values({ props, at }: { props: PlotProps; at: number }) {
  return (
    <ul class="values" aria-live="polite">
      <li class="when">{props.times.length ? moment(props.times[at]) : ''}</li>
      {props.lines.map((line) => (
        <li>
          <i class={`swatch p${line.colour}`} aria-hidden="true" />
          {line.label} <b>{line.values[at] == null ? '–' : props.tell(line.values[at]!)}</b>
        </li>
      ))}
    </ul>
  );
}

export function Plot(props: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const [at, setAt] = useState<number | null>(null);
  const colours = useColours();
  const last = props.times.length - 1;
  useLayoutEffect(() => {
    const made = new uPlot(optionsOf(props, box.current!.clientWidth || 600, setAt), dataOf(props), box.current!);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: box.current!.clientWidth, height: kHeight }));
    observer.observe(box.current!);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [props.times, props.lines, props.marks, props.format, colours]);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!by || !plot.current) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, (at ?? last) + by));
    plot.current.setCursor({ left: plot.current.valToPos(props.times[next], 'x'), top: 10 });
  };
  return (
    <figure class="card plotted" aria-label={props.title}>
      <figcaption>
        <h2>{props.title}</h2>
        <span class="note">{props.note}</span>
      </figcaption>
      <div
        class="canvas"
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={`${props.title}: left and right go through the times`}
        onKeyDown={step}
      />
      <Values props={props} at={Math.min(at ?? last, last)} />
    </figure>
  );
}
