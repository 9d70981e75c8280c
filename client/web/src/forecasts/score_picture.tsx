// Of each group of jobs, how its waits were against their forecasts, and the loss beside two simpler methods.
import type { ForecastScore } from '../calls/api';
import { fixed, whole } from '../parts/format';
import { isOutside, kLevels, reliabilityText, wholePercent } from './reliability';
import { groupsOf, kKinds, lossOf, nameOf } from './score_groups';

const kMostOfKind = 8;

// From each level to the part of the jobs that had started by then: to the right they started earlier than forecast.
function Started({ score }: { score: ForecastScore }) {
  return (
    <span class="track started" role="img" aria-label={reliabilityText(score)}>
      {kLevels.map((level) => (
        <i class="level" style={{ left: `${100 * level}%` }} />
      ))}
      {score.startedBy.map((part, at) => (
        <span
          class={`lane${isOutside(part, at) ? ' outside' : ''}`}
          style={{ top: `${10 + 20 * at}%` }}
          title={`${wholePercent(kLevels[at])} were to start by then, ${wholePercent(part)} did`}
        >
          <i
            class="away"
            style={{
              left: `${100 * Math.min(part, kLevels[at])}%`,
              width: `${100 * Math.abs(part - kLevels[at])}%`,
            }}
          />
          <b style={{ left: `${100 * part}%` }} />
        </span>
      ))}
    </span>
  );
}

function Loss({ score, most }: { score: ForecastScore; most: number }) {
  const { loss, tableLoss, qbetsLoss } = score;
  return (
    <span
      class="track loss"
      role="img"
      aria-label={`Loss ${fixed(loss, 3)}, ${lossOf(loss, tableLoss)} of that of the table, ${lossOf(loss, qbetsLoss)} of QBETS`}
    >
      <i class="own" style={{ width: `${(100 * loss) / most}%` }} title={`The forecasts: ${fixed(loss, 3)}`} />
      <i class="table" style={{ left: `${(100 * tableLoss) / most}%` }} title={`The table: ${fixed(tableLoss, 3)}`} />
      <i class="qbets" style={{ left: `${(100 * qbetsLoss) / most}%` }} title={`QBETS: ${fixed(qbetsLoss, 3)}`} />
    </span>
  );
}

const lossesOf = ({ loss, tableLoss, qbetsLoss }: ForecastScore) => [loss, tableLoss, qbetsLoss];

// Of each kind the groups with the most jobs, in the order of the table below.
function shownOf(scores: ForecastScore[]): ForecastScore[] {
  return kKinds.flatMap(([kind]) => {
    const groups = groupsOf(scores, kind);
    const most = new Set([...groups].sort((a, b) => Number(b.count) - Number(a.count)).slice(0, kMostOfKind));
    return groups.filter((group) => most.has(group));
  });
}

export function ScorePicture({ scores }: { scores: ForecastScore[] }) {
  const rows = [scores[0], ...shownOf(scores)];
  const most = Math.max(...rows.flatMap(lossesOf), 1e-9);
  return (
    <div class="score-picture">
      <p class="head" aria-hidden="true">
        <span />
        <span class="track">
          {kLevels.map((level) => (
            <span style={{ left: `${100 * level}%` }}>{wholePercent(level)}</span>
          ))}
        </span>
        <span>Loss, 0 to {fixed(most, 2)}</span>
      </p>
      <ul>
        {rows.map((score) => (
          <li key={score.group}>
            <span class="name">
              {score.group ? nameOf(score) : 'All jobs'} <span class="soft">{whole(score.count)}</span>
            </span>
            <Started score={score} />
            <Loss score={score} most={most} />
          </li>
        ))}
      </ul>
    </div>
  );
}
