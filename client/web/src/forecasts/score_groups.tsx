// The scores of forecasts by partition, size, time limit and user.
import type { ForecastScore } from '../calls/api';
import { fixed, whole } from '../parts/format';
import { Head } from '../parts/table';
import { wholePercent } from './reliability';

export const kKinds = [
  ['partition', 'Partition'],
  ['size', 'Size'],
  ['limit', 'Time limit'],
  ['user', 'User'],
] as const;
const kMostRows = 50;

export const lossOf = (loss: number, reference: number) => (reference > 0 ? fixed(loss / reference, 2) : '–');

export const nameOf = (score: ForecastScore) => score.group.slice(score.group.indexOf('=') + 1);
const kUnits: Record<string, number> = { min: 1, h: 60 };
// Of `17-64 CPUs` or `12-24 h` the upper end, in one unit; partitions and users go by their jobs.
const upperEnd = (score: ForecastScore) => {
  const [, number, unit] = /(\d+) (CPUs?|min|h)$/.exec(nameOf(score)) ?? [];
  if (!number) return -Number(score.count);
  return Number(number) * (kUnits[unit] ?? 1) + (nameOf(score).startsWith('over') ? 1 : 0);
};

export const groupsOf = (scores: ForecastScore[], kind: string) =>
  scores
    .filter((score) => score.group.startsWith(`${kind}=`) && Number(score.count) > 0)
    .sort((a, b) => upperEnd(a) - upperEnd(b) || nameOf(a).localeCompare(nameOf(b)));

function Row({ score, isAll = false }: { score: ForecastScore; isAll?: boolean }) {
  return (
    <tr>
      <th scope="row">{isAll ? 'All jobs' : nameOf(score)}</th>
      <td class="n">{whole(score.count)}</td>
      <td class="n">{wholePercent(score.beforeQ10)}</td>
      <td class="n">{wholePercent(score.afterQ90)}</td>
      <td class="n">{fixed(score.loss, 3)}</td>
      <td class="n">{lossOf(score.loss, score.tableLoss)}</td>
      <td class="n">{lossOf(score.loss, score.qbetsLoss)}</td>
    </tr>
  );
}

export function ScoreGroups({ scores }: { scores: ForecastScore[] }) {
  const kinds = kKinds.map(([kind, name]) => ({ name, rows: groupsOf(scores, kind) }));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Scores by group, scrolls">
      <table class="score-groups">
        <caption>By group</caption>
        <Head
          headings={[
            'Jobs',
            ['n', 'Scored'],
            ['n', 'Early', 'Before the 10 % quantile; 10 % is as forecast'],
            ['n', 'Late', 'After the 90 % quantile; 10 % is as forecast'],
            ['n', 'Loss'],
            ['n', 'Of table'],
            ['n', 'Of QBETS'],
          ]}
        />
        <tbody>
          <Row score={scores[0]} isAll />
        </tbody>
        {kinds
          .filter(({ rows }) => rows.length > 0)
          .map(({ name, rows }) => (
            <tbody>
              <tr>
                <th scope="rowgroup" colSpan={7}>
                  {name}
                </th>
              </tr>
              {rows.slice(0, kMostRows).map((score) => (
                <Row key={score.group} score={score} />
              ))}
              {rows.length > kMostRows && (
                <tr>
                  <td colSpan={7} class="soft">
                    {whole(rows.length - kMostRows)} more with fewer jobs
                  </td>
                </tr>
              )}
            </tbody>
          ))}
      </table>
    </div>
  );
}
