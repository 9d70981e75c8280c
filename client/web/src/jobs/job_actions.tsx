// The actions of a user on their own job, each with its effect.
import { useState } from 'preact/hooks';
import { call, Failure, type Tracked } from '../calls/api';
import { may, type Site } from '../parts/site';
import { Effects } from './effects';
import type { Mine } from './mine_data';
import { OtherPlaces } from './other_places';
import type { Place } from './places';
import { halfOf } from './sooner';

interface Action {
  name: string;
  effect: string; // As a sentence.
  run: () => Promise<Outcome[]>;
  isFinal?: boolean; // Asked about once more.
}
type Outcome = { jobId: string; outcome: string; message: string };

const kDone = ['UPDATE_OUTCOME_UPSERTED', 'UPDATE_OUTCOME_UNCHANGED', 'UPDATE_OUTCOME_REMOVED'];

async function change(cluster: string, job: object, updateMask: string) {
  return (await call('PriorityService/UpdateJobs', { cluster, upserts: [job], updateMask })).upserts;
}

// Others of the same user, account, partition and QOS, with which scontrol top can change places.
export function othersLike(tracked: Tracked, mine: Tracked[]): Tracked[] {
  const key = (one: Tracked) => JSON.stringify([one.account, one.partitions, one.qos]);
  return mine.filter((one) => one !== tracked && key(one) === key(tracked) && one.job!.hold !== 'HOLD_ADMIN');
}

function actionsOf(cluster: string, tracked: Tracked, mine: Tracked[], site: Site): Action[] {
  const jobId = tracked.job!.jobId!;
  const may = (method: string) => site.methods?.has(`PriorityService/${method}`);
  const hold = tracked.job!.hold;
  const actions: Action[] = [];
  if (may('UpdateJobs') && hold === 'HOLD_USER') {
    actions.push({
      name: 'Release',
      effect: 'It may start in its turn again, and its age counts from now on.',
      run: () => change(cluster, { jobId, hold: 'HOLD_UNSPECIFIED' }, 'hold'),
    });
  }
  if (may('UpdateJobs') && hold === 'HOLD_UNSPECIFIED') {
    actions.push({
      name: 'Hold',
      effect: 'It does not start, and its age does not count, until you release it.',
      run: () => change(cluster, { jobId, hold: 'HOLD_USER' }, 'hold'),
    });
  }
  const others = othersLike(tracked, mine);
  if (
    may('TopJobs') &&
    others.length > 0 &&
    tracked.rank > 0 &&
    others.some((one) => one.rank && one.rank < tracked.rank)
  ) {
    const best = Math.min(...others.map((one) => one.rank || Number.MAX_VALUE));
    actions.push({
      name: 'First of mine',
      effect: `It goes ahead of your other jobs like it, to about place ${best} where the first of them is; they go back. Other users' jobs stay.`,
      run: async () => (await call('PriorityService/TopJobs', { cluster, jobIds: [jobId] })).results,
    });
  }
  if (may('UpdateJobs')) {
    actions.push({
      name: 'Cancel',
      effect: 'It leaves the queue, and its age is lost.',
      run: async () => (await call('PriorityService/UpdateJobs', { cluster, removals: [jobId] })).removals,
      isFinal: true,
    });
  }
  return actions;
}

export function JobActions({
  cluster,
  tracked,
  mine,
  site,
  changed,
}: {
  cluster: string;
  tracked: Tracked;
  mine: Mine;
  site: Site;
  changed: () => void;
}) {
  const [asked, setAsked] = useState('');
  const [problem, setProblem] = useState('');
  const jobId = tracked.job!.jobId!;
  const run = async (action: Pick<Action, 'run'>) => {
    setAsked('');
    try {
      const refused = (await action.run()).find((one) => !kDone.includes(one.outcome));
      setProblem(refused ? refused.message || `The service refused it: ${refused.outcome}` : '');
    } catch (error) {
      setProblem(error instanceof Failure ? error.message : String(error));
    }
    changed();
  };
  const setLimit = (timeLimit: string) => run({ run: () => change(cluster, { jobId, timeLimit }, 'timeLimit') });
  const move = ({ partition, qos, changed }: Place) => {
    const names = {
      ...(changed.includes('partition') && { partitions: [partition] }),
      ...(changed.includes('qos') && { qos: [qos] }),
    };
    return run({ run: () => change(cluster, { jobId, ...names }, Object.keys(names).join(',')) });
  };
  const mayForecast = may(site, 'seeForecasts');
  const own = halfOf(mine.forecasts, jobId);
  const actions = actionsOf(cluster, tracked, mine.waiting, site);
  if (actions.length === 0) return null;
  return (
    <div class="actions">
      {problem && (
        <p class="warning" role="alert">
          {problem}
        </p>
      )}
      <dl>
        {actions.map((action) => (
          <div key={action.name}>
            <dt>
              {action.isFinal && asked !== action.name ? (
                <button type="button" onClick={() => setAsked(action.name)}>
                  {action.name} …
                </button>
              ) : (
                <button type="button" class={action.isFinal ? 'final' : ''} onClick={() => run(action)}>
                  {action.isFinal ? `Yes, ${action.name.toLowerCase()} job ${jobId}` : action.name}
                </button>
              )}
            </dt>
            <dd>{action.effect}</dd>
          </div>
        ))}
      </dl>
      {/* Below the buttons: they stay where they are while it is computed. */}
      {tracked.rank > 0 && tracked.timeLimit && (
        <Effects cluster={cluster} tracked={tracked} mayForecast={mayForecast} own={own} set={setLimit} />
      )}
      {tracked.rank > 0 && mayForecast && may(site, 'seePlaces') && (
        <OtherPlaces cluster={cluster} tracked={tracked} own={own} move={move} />
      )}
    </div>
  );
}
