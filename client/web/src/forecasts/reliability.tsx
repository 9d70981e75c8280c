// The part of jobs that started by each quantile of their forecasts, against the part that should have.
import type { ForecastScore } from '../calls/api';

export const kLevels = [0.1, 0.25, 0.5, 0.75, 0.9];
// As far from its level a part may be by chance and by bursts.
const kBand = 0.07;
const kSize = 260;
const [kLeft, kTop, kRight, kBottom] = [58, 10, 14, 44];

const x = (level: number) => kLeft + kSize * level;
const y = (part: number) => kTop + kSize * (1 - part);
const points = (all: [number, number][]) => all.map(([level, part]) => `${x(level)},${y(part)}`).join(' ');
export const wholePercent = (part: number) => `${Math.round(100 * part)} %`;
export const isOutside = (part: number, at: number) => Math.abs(part - kLevels[at]) > kBand + 1e-9;

export const reliabilityText = ({ startedBy }: ForecastScore) =>
  startedBy
    .map((part, at) => `${wholePercent(part)} of the jobs started by the ${wholePercent(kLevels[at])} quantile`)
    .join(', ');

export function Reliability({ score }: { score: ForecastScore }) {
  const shown = score.startedBy.map((part, at): [number, number] => [kLevels[at], part]);
  return (
    <svg
      class="reliability"
      viewBox={`0 0 ${kLeft + kSize + kRight} ${kTop + kSize + kBottom}`}
      role="img"
      aria-label={`Reliability: ${reliabilityText(score)}.`}
    >
      <polygon
        class="band"
        points={points([
          [0, 0],
          [0, kBand],
          [1 - kBand, 1],
          [1, 1],
          [1, 1 - kBand],
          [kBand, 0],
        ])}
      />
      {kLevels.map((level) => (
        <g>
          <line class="grid" x1={x(level)} x2={x(level)} y1={y(0)} y2={y(1)} />
          <line class="grid" x1={x(0)} x2={x(1)} y1={y(level)} y2={y(level)} />
          <text x={x(level)} y={y(0) + 16} text-anchor="middle">
            {wholePercent(level)}
          </text>
          <text x={x(0) - 6} y={y(level) + 4} text-anchor="end">
            {wholePercent(level)}
          </text>
        </g>
      ))}
      <rect class="frame" x={x(0)} y={y(1)} width={kSize} height={kSize} />
      <line class="diagonal" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
      <polyline class="observed" points={points(shown)} />
      {shown.map(([level, part], at) => (
        <circle class={isOutside(part, at) ? 'outside' : ''} cx={x(level)} cy={y(part)} r="5">
          <title>{`${wholePercent(level)}: ${wholePercent(part)} had started`}</title>
        </circle>
      ))}
      <text x={x(0.5)} y={y(0) + 36} text-anchor="middle">
        Forecast: so many start by then
      </text>
      <text transform={`translate(11 ${y(0.5)}) rotate(-90)`} text-anchor="middle">
        So many did
      </text>
    </svg>
  );
}
