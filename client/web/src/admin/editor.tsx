// The fields of an account, a user or a QOS, changed in two steps; with an end, the change is a lease.
import { useState } from 'preact/hooks';
import { type Changes, Failure } from '../calls/api';
import { sentencesOf, TwoSteps } from '../whatif/apply';

const kHelp: Record<string, string> = {
  Fairshare: 'A number, or parent',
  QOS: 'Names joined by commas',
  GrpTRESMins: 'Such as cpu=1000,gres/gpu=50, in minutes',
  GrpWall: 'Minutes, or days-hours:minutes',
  Preempt: 'QOS whose jobs it may preempt',
  UsageFactor: 'What usage under it counts, times',
};
// The term of a lease, and what holds without.
const kTerm: Record<string, string> = { From: 'now', Until: 'no end' };

// The differences between the form and the stored settings; an empty field clears.
function settingsOf(form: HTMLFormElement, words: string[], set: Record<string, string>) {
  const given = new FormData(form);
  return words
    .map((name) => ({ name, value: String(given.get(name) ?? '').trim() }))
    .filter((one) => one.value !== (set[one.name] ?? ''));
}

// The fields of one thing, then what would change, then the change.
export function Editor({
  title,
  words,
  set,
  inherited,
  mayLease,
  change,
  done,
  close,
}: {
  title: string;
  words: string[];
  set: Record<string, string>;
  inherited: Record<string, string>;
  mayLease: boolean;
  change: (settings: { name: string; value: string }[], options: object) => Promise<Changes>;
  done: () => void;
  close: () => void;
}) {
  const [form, setForm] = useState<HTMLFormElement | null>(null);
  const termOf = () => settingsOf(form!, Object.keys(kTerm), {});
  const wishes = () => [...settingsOf(form!, words, set), ...termOf()];
  const run = async (comment: string, validateOnly: boolean) => {
    const settings = settingsOf(form!, words, set);
    if (settings.length === 0) throw new Error('Nothing differs from what is set.');
    settings.push(...termOf());
    const answer = await change(settings, { validateOnly, comment }).catch((error) => {
      // Another change came first: load the present values, for the reader to look at again.
      if (error instanceof Failure && error.status === 409) done();
      throw error;
    });
    return { ...answer, sentences: sentencesOf(answer) };
  };
  return (
    <section class="card editor" aria-labelledby="editing">
      <div class="heading">
        <h2 id="editing">{title}</h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
      <form ref={setForm} class="fields" onSubmit={(event) => event.preventDefault()}>
        {words.map((name, at) => (
          <label title={kHelp[name]}>
            {name}
            <input
              name={name}
              defaultValue={set[name] ?? ''}
              placeholder={inherited[name] ? `${inherited[name]} from above` : 'not set'}
              autocomplete="off"
              spellcheck={false}
              autoFocus={at === 0}
            />
          </label>
        ))}
        {mayLease &&
          Object.entries(kTerm).map(([name, otherwise]) => (
            <label title="A time such as 2026-12-18T18:00:00, or now+7days">
              {name}
              <input name={name} placeholder={otherwise} autocomplete="off" spellcheck={false} />
            </label>
          ))}
      </form>
      <TwoSteps verb="Change it" wishes={wishes} run={run} done={done} />
    </section>
  );
}
