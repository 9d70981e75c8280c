// Names and their values.
import type { ComponentChildren } from 'preact';

export type Figure = [name: string, value: ComponentChildren];

const list = (className: string, rows: Figure[]) => (
  <dl class={className}>
    {rows.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

export const Figures = ({ rows }: { rows: Figure[] }) => list('figures', rows);

// In a row; without a value a dash.
export const Facts = ({ facts }: { facts: string[][] }) =>
  list(
    'facts',
    facts.map(([name, value]) => [name, value || '–']),
  );
