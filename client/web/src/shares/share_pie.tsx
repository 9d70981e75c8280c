// The association tree as a pie: the node in the middle, and around it a ring for each level below.
import { useMemo } from 'preact/hooks';
import { percent, whole } from '../parts/format';
import { saying, service, shade } from './share_data';
import type { PartsProps } from './share_icicle';
import { kRadius, middleOf, nameIn, outline, type Sector, sectorsOf } from './share_shapes';

function Part({ sector, figure, to }: { sector: Sector; figure: string; to: string }) {
  const how = service(sector.node);
  const about = `${sector.node.label} ${figure}, ${saying(how)}`;
  return (
    <a href={to} class={`part ${shade(how)}`} aria-label={about} tabIndex={nameIn(sector, figure) ? 0 : -1}>
      <title>{about}</title>
      <path d={outline(sector)} />
    </a>
  );
}

function Label({ sector, figure }: { sector: Sector; figure: string }) {
  const name = nameIn(sector, figure);
  if (!name) return null;
  const { x, y } = middleOf(sector);
  const how = shade(service(sector.node));
  return (
    <text aria-hidden="true">
      <tspan class={how} x={x} y={y - 3}>
        {name}
      </tspan>
      <tspan class={how} x={x} y={y + 11}>
        {figure}
      </tspan>
    </text>
  );
}

export function Pie({ root, length, value, title, to }: PartsProps) {
  const { sectors, others } = useMemo(() => sectorsOf(root, length), [root, length]);
  const size = 2 * kRadius + 4;
  const figure = ({ node }: Sector) => percent(value(node));
  return (
    <>
      <svg class="pie" viewBox={`${-size / 2} ${-size / 2} ${size} ${size}`} role="group" aria-label={title}>
        {sectors.map((sector) => (
          <Part key={sector.node.id} sector={sector} figure={figure(sector)} to={to(sector.node)} />
        ))}
        <g class="labels">
          {sectors.map((sector) => (
            <Label key={sector.node.id} sector={sector} figure={figure(sector)} />
          ))}
        </g>
      </svg>
      {others > 0 && <p class="note">Too small to be drawn: {whole(others)}. The table has all.</p>}
    </>
  );
}
