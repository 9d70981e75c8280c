// The quality of the forecasts of starts: each is scored when its job starts.
import { call, type Failure, type ForecastScore } from '../calls/api';
import { Facts } from '../parts/facts';
import { fixed, time, whole } from '../parts/format';
import type { Site } from '../parts/site';
import { Empty, Failed, Loading, Stale, useLoaded } from '../parts/states';
import { BarCell, Table } from '../parts/table';
import { isOutside, kLevels, Reliability, wholePercent } from './reliability';
import { lossOf, ScoreGroups } from './score_groups';
import { ScorePicture } from './score_picture';

const kSeconds = 60;

function Figures({
  score,
  model,
  examples,
  last,
}: {
  score: ForecastScore;
  model: string;
  examples: string;
  last?: string;
}) {
  const facts = [
    ['Started within their interval of 8 of 10', wholePercent(1 - score.beforeQ10 - score.afterQ90)],
    ['Scored forecasts', whole(score.count)],
    ['Training', Number(model) > 0 ? `${whole(model)}, on ${whole(examples)} starts` : 'none yet'],
    ['Last start', time(last)],
  ];
  return <Facts facts={facts} />;
}

function Observed({ score }: { score: ForecastScore }) {
  return (
    <Table className="observed" headings={['Forecast', ['n', 'Had started']]}>
      {score.startedBy.map((part, at) => (
        <tr>
          <th scope="row">{wholePercent(kLevels[at])} start by then</th>
          <td class="n strong">
            {wholePercent(part)}
            {isOutside(part, at) && <span class="over"> {part > kLevels[at] ? 'more' : 'fewer'}</span>}
          </td>
        </tr>
      ))}
    </Table>
  );
}

// Each loss as a bar, the longest of the three the whole.
function Losses({ score }: { score: ForecastScore }) {
  const losses: [string, number, string][] = [
    ['The published forecasts', score.loss, 'f-fairShare'],
    ['Quantiles of the last waits of like jobs', score.tableLoss, 'f-assoc'],
    ['QBETS, bounds on these', score.qbetsLoss, 'f-assoc'],
  ];
  const most = Math.max(...losses.map(([, loss]) => loss), 1e-9);
  return (
    <Table
      className="losses"
      caption="Beside two simpler methods"
      headings={['Method', ['n', 'Mean loss'], ['n', 'Ratio'], ['barcell', <span class="unseen">As a bar</span>]]}
    >
      {losses.map(([name, loss, colour], at) => (
        <tr>
          <th scope="row">{name}</th>
          <td class="n strong">{fixed(loss, 4)}</td>
          <td class="n">{at ? lossOf(score.loss, loss) : ''}</td>
          <BarCell className={colour} percent={(100 * loss) / most} />
        </tr>
      ))}
    </Table>
  );
}

// A server that makes no forecasts has not failed.
function NoScores({ failure, again }: { failure: Failure; again: () => void }) {
  if (failure.reason === 'NO_FORECASTS') return <Empty>{failure.message}</Empty>;
  return <Failed failure={failure} again={again} />;
}

export function ForecastScores({ cluster, site }: { cluster: string; site: Site }) {
  const { value, failure, at, again } = useLoaded(cluster || '*', kSeconds, (signal) =>
    call('PriorityService/ScoreForecasts', { cluster }, signal),
  );
  const all = value?.scores[0];
  return (
    <section aria-labelledby="title">
      <h1 id="title">Forecasts</h1>
      {!value && (failure ? <NoScores failure={failure} again={again} /> : <Loading what="the scores" />)}
      {value && <Stale since={at} failure={failure} />}
      {value && !(Number(all?.count) > 0) && (
        <Empty>
          No forecast has been scored yet.{' '}
          {site.isManual
            ? 'This cluster is on a manual clock, for which no starts are forecast.'
            : 'Each is scored when its job starts.'}
        </Empty>
      )}
      {value && all && Number(all.count) > 0 && (
        <>
          <Figures score={all} model={value.model} examples={value.examples} last={value.lastStart} />
          <div class="beside">
            <section class="card" aria-labelledby="reliability">
              <h2 id="reliability">Did as many start as was forecast?</h2>
              <div class="reliable">
                <Reliability score={all} />
                <Observed score={all} />
              </div>
              <p class="note">
                On the diagonal forecasts are right; the band is 7 points on both sides. Where many jobs start at once,
                low quantiles are zero and lie above it.
              </p>
            </section>
            <section class="card" aria-label="Losses">
              <Losses score={all} />
              <p class="note">
                The pinball loss at 10, 50 and 90 % of log(1 + wait / 1 min): less is better, for narrow intervals that
                hold. Ratio: the loss of the forecasts as a part of that of the method; below 1 the forecasts are
                better.
              </p>
            </section>
          </div>
          <section class="card" aria-labelledby="waits">
            <h2 id="waits">Waits against their forecasts</h2>
            <ScorePicture scores={value.scores} />
            <p class="note">
              A dot is the part of the jobs that had started by a quantile of their forecast, a line leads to it from
              the part that was forecast: to the right the waits were shorter than forecast, to the left longer. Orange:
              over 7 points away. Loss: the bar is that of the forecasts, the thin mark that of the table, the thick one
              that of QBETS.
            </p>
          </section>
          <section class="card" aria-label="Scores by group">
            <ScoreGroups scores={value.scores} />
            <p class="note">
              Early: before the 10 % quantile; late: after the 90 % quantile. Near 10 % is as forecast; fewer are early
              where many jobs start at once.
            </p>
          </section>
        </>
      )}
    </section>
  );
}
