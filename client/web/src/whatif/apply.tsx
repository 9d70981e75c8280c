// Applies the supposed changes, for users with the right: step one shows what would change, step two changes it.
import { useRef, useState } from 'preact/hooks';
import { type Changes, call, Failure, read } from '../calls/api';
import { time } from '../parts/format';
import { go, href } from '../parts/route';
import { may, mayChangeAll, type Site } from '../parts/site';
import { useLoaded } from '../parts/states';
import { type Present, type Supposition, sharesRequest, textOf } from './supposition';

interface Applied {
  sentences: string[];
  warnings: string[];
  takesEffectAt?: string;
  etag: string; // Of the associations.
}

// Administrators may, operators may not. An older service says so when the newest version is asked for again, which changes nothing.
export function useMayApplyPolicy(cluster: string, site: Site): boolean {
  const isAsked = !site.methods && may(site, 'applyPolicy');
  const { value } = useLoaded(JSON.stringify([cluster, isAsked]), 0, async (signal) => {
    if (!isAsked) return false;
    const { version } = await read('AdminService/GetPolicy', { ...(cluster && { cluster }) }, signal);
    await call('AdminService/RollbackPolicy', { cluster, version, validateOnly: true }, signal);
    return true;
  });
  return site.methods ? may(site, 'applyPolicy') : value === true;
}

async function applyPolicy(
  cluster: string,
  present: Present,
  it: Supposition,
  comment: string,
  validateOnly: boolean,
): Promise<Applied> {
  // A change that came first is reported here in the page's words; one that comes after this check, by the service.
  const newest = await read('AdminService/GetPolicy', { ...(cluster && { cluster }) });
  if (newest.version !== present.policy.version)
    throw new Failure(
      409,
      `The policy is version ${newest.version} now, by ${newest.appliedBy}; what you see was computed with version ${present.policy.version}. Load the page again.`,
    );
  const answer = await call('AdminService/ApplyPolicy', {
    cluster,
    text: textOf(present.policy, it),
    comment,
    validateOnly,
    expectedVersion: present.policy.version,
  });
  const sentences = Object.entries(it.parameters).map(([name, value]) => `${name} = ${value}`);
  return {
    sentences: [`The policy, as version ${answer.policy!.version}: ${sentences.join(', ')}`],
    warnings: answer.warnings,
    takesEffectAt: answer.takesEffectAt,
    etag: '',
  };
}

export const sentencesOf = (answer: Changes) =>
  answer.changes.map((change) => `${change.object}: ${change.before || 'nothing'} → ${change.after || 'nothing'}`);

// One after another, each only if nothing but what went before has changed since the associations had the etag.
async function applyShares(
  cluster: string,
  it: Supposition,
  comment: string,
  validateOnly: boolean,
  shown: string,
): Promise<Applied> {
  const etag = validateOnly ? (await call('AdminService/ListAssociations', { cluster, pageSize: 1 })).etag : shown;
  const all: Applied = { sentences: [], warnings: [], etag };
  for (const [id, value] of Object.entries(it.shares)) {
    const answer = await call(
      'AdminService/UpdateAssociations',
      sharesRequest(cluster, id, value, { validateOnly, etag: all.etag, comment }),
    );
    all.sentences.push(...sentencesOf(answer));
    all.warnings.push(...answer.warnings);
    all.takesEffectAt = answer.takesEffectAt;
    if (!validateOnly) all.etag = answer.etag;
  }
  return all;
}

async function applyAll(
  cluster: string,
  present: Present,
  it: Supposition,
  comment: string,
  validateOnly: boolean,
  shown: string,
): Promise<Applied> {
  const none: Applied = { sentences: [], warnings: [], etag: '' };
  const shares = Object.keys(it.shares).length ? await applyShares(cluster, it, comment, validateOnly, shown) : none;
  const policy = Object.keys(it.parameters).length
    ? await applyPolicy(cluster, present, it, comment, validateOnly)
    : none;
  return {
    etag: shares.etag,
    sentences: [...shares.sentences, ...policy.sentences],
    warnings: [...shares.warnings, ...policy.warnings],
    takesEffectAt: policy.takesEffectAt ?? shares.takesEffectAt,
  };
}

// `run(comment, true)` returns what would change, `run(comment, false)` changes it, unless the reader has changed the `wishes` between.
export function TwoSteps({
  verb,
  wishes,
  run,
  done,
}: {
  verb: string;
  wishes?: () => unknown;
  run: (
    comment: string,
    validateOnly: boolean,
  ) => Promise<{ sentences: string[]; warnings: string[]; takesEffectAt?: string }>;
  done: () => void;
}) {
  const [comment, setComment] = useState('');
  const [told, setTold] = useState<{ sentences: string[]; warnings: string[]; takesEffectAt?: string }>();
  const [failure, setFailure] = useState('');
  const [step, setStep] = useState<'check' | 'apply' | 'done'>('check');
  const [isBusy, setBusy] = useState(false);
  const shown = useRef('');
  const take = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure('');
    const wished = JSON.stringify(wishes?.()) ?? '';
    try {
      if (step === 'apply' && wished !== shown.current) {
        setTold(undefined);
        throw new Error('You have changed it since this was shown. Nothing was changed: show it again.');
      }
      shown.current = wished;
      setTold(await run(comment, step === 'check'));
      setStep(step === 'check' ? 'apply' : 'done');
      if (step === 'apply') done();
    } catch (error) {
      setFailure((error as Error).message);
      setStep('check');
    }
    setBusy(false);
  };
  return (
    <form class="stacked" onSubmit={take}>
      {step !== 'done' && (
        <label>
          Why, for the record
          <input
            name="comment"
            required
            maxLength={1000}
            autocomplete="off"
            value={comment}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
        </label>
      )}
      {failure && (
        <p class="stale" role="alert">
          {failure}
        </p>
      )}
      {told && (
        <div role="status">
          <h3>{step === 'done' ? 'Done' : 'This would change'}</h3>
          {told.sentences.length ? (
            <ul class="sentences plain">
              {told.sentences.map((sentence) => (
                <li>{sentence}</li>
              ))}
            </ul>
          ) : (
            <p>Nothing: it is so already.</p>
          )}
          {told.warnings.length > 0 && (
            <ul class="warnings">
              {told.warnings.map((warning) => (
                <li>{warning}</li>
              ))}
            </ul>
          )}
          {step === 'done' && (
            <p class="note">
              {told.takesEffectAt
                ? `In force from ${time(told.takesEffectAt)}.`
                : 'In force from the next recalculation.'}
            </p>
          )}
        </div>
      )}
      {step === 'done' && (
        <div class="buttons">
          <button
            type="button"
            onClick={() => {
              setStep('check');
              setTold(undefined);
              setComment('');
            }}
          >
            Another change
          </button>
        </div>
      )}
      {step !== 'done' && (
        <div class="buttons">
          <button type="submit" class={step === 'apply' ? 'button' : ''} disabled={isBusy}>
            {step === 'apply' ? verb : 'Show what would change'}
          </button>
          {step === 'apply' && (
            <button
              type="button"
              onClick={() => {
                setStep('check');
                setTold(undefined);
              }}
            >
              Back
            </button>
          )}
        </div>
      )}
    </form>
  );
}

export function Apply({
  cluster,
  present,
  it,
  site,
  done,
}: {
  cluster: string;
  present: Present;
  it: Supposition;
  site: Site;
  done: () => void;
}) {
  const mayPolicy = useMayApplyPolicy(cluster, site);
  const shown = useRef('');
  const wants = { policy: Object.keys(it.parameters).length > 0, shares: Object.keys(it.shares).length > 0 };
  if (!wants.policy && !wants.shares) return null;
  if ((wants.policy && !mayPolicy) || (wants.shares && !mayChangeAll(site))) return null;
  const after = () => {
    done();
    setTimeout(
      () => go(href('whatif', '', { cluster: cluster || undefined, tab: wants.policy ? 'versions' : undefined })),
      1500,
    );
  };
  return (
    <section class="card" aria-labelledby="apply">
      <h2 id="apply">Make it so</h2>
      <TwoSteps
        verb="Apply"
        wishes={() => it}
        run={async (comment, validateOnly) => {
          const answer = await applyAll(cluster, present, it, comment, validateOnly, shown.current);
          shown.current = answer.etag;
          return answer;
        }}
        done={after}
      />
    </section>
  );
}
