// Grants that a reader supposes: other settings, new ones, revoked ones and transfers, and what follows from them.

import { settingOf } from '../budgets/grant_data';
import type { Grant, GrantEffect, SupposedGrantEffect } from '../calls/api';
import { prose, whole } from '../parts/format';
import { hasGrants, type Present, type Supposition } from './supposition';
import { suppose, Text } from './whatif_controls';

const kUsual = ['Amount', 'Consequence'];

// Settings of a grant as they are, those that `like` names; one that it does not have is its default.
const settingsOf = (grant: Grant, like: string[]) => like.map((name) => `${name}=${settingOf(grant, name)}`).join(' ');

const namesIn = (settings: string) =>
  settings
    .split(/\s+/)
    .map((word) => word.split(/[+-]?=/)[0] ?? '')
    .filter(Boolean);

function Names({ id, grants }: { id: string; grants: Grant[] }) {
  return (
    <datalist id={id}>
      {grants.slice(0, 2000).map((grant) => (
        <option value={grant.name} />
      ))}
    </datalist>
  );
}

const textOf = (data: FormData, name: string) => (data.get(name) as string).trim();

// With the name of a grant alone its present amount and consequence are supposed, to be changed from there.
function AddGrant({ grants }: { grants: Grant[] }) {
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const name = textOf(data, 'grant');
    const known = grants.find((one) => one.name === name);
    const settings = textOf(data, 'settings') || (known ? settingsOf(known, kUsual) : 'Accounts= Amount=100h');
    const isRevoked = (event.submitter as HTMLButtonElement | null)?.value === 'revoke';
    suppose(isRevoked ? `r.${name}` : `g.${name}`, isRevoked ? '1' : settings, false);
    form.reset();
  };
  return (
    <form onSubmit={add} class="add" aria-label="A grant">
      <label class="wide">
        A grant, or the name of a new one
        <input name="grant" list="grant-names" required pattern="\S+" autocomplete="off" spellcheck={false} />
      </label>
      <Names id="grant-names" grants={grants} />
      <label class="wide">
        With other settings
        <input
          name="settings"
          placeholder="Amount=100h Consequence=block"
          title="As prioctl grant create takes them"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <button type="submit">Suppose</button>
      <button type="submit" value="revoke">
        Without it
      </button>
    </form>
  );
}

function AddTransfer({ grants }: { grants: Grant[] }) {
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    suppose(`t.${textOf(data, 'from')} ${textOf(data, 'to')}`, textOf(data, 'amount'), false);
    form.reset();
  };
  const field = (name: string, label: string) => (
    <label>
      {label}
      <input name={name} list="grant-names" required pattern="\S+" autocomplete="off" spellcheck={false} />
    </label>
  );
  if (grants.length < 2) return null;
  return (
    <form onSubmit={add} class="add" aria-label="A transfer">
      {field('from', 'From grant')}
      {field('to', 'To grant')}
      <label>
        Amount
        <input
          name="amount"
          required
          pattern="[0-9]+([.][0-9]+)?h?"
          placeholder="200h"
          title="TRES-minutes, or with an h hours; of money an amount of the currency"
          autocomplete="off"
        />
      </label>
      <button type="submit">Move</button>
    </form>
  );
}

export function GrantControls({ present, it }: { present: Present; it: Supposition }) {
  const { grants } = present;
  if (!grants) return null;
  const known = new Map(grants.map((grant) => [grant.name, grant]));
  const was = (name: string, settings: string) => {
    const grant = known.get(name);
    return grant ? settingsOf(grant, namesIn(settings)) : 'no grant of that name';
  };
  return (
    <section class="card granting" aria-labelledby="grants">
      <h2 id="grants">Grants</h2>
      {Object.entries(it.grants).map(([name, settings]) => (
        <Text key={name} name={`g.${name}`} label={name} value="" given={settings} was={was(name, settings)} />
      ))}
      {it.revoked.map((name) => (
        <div key={name} class="control text supposed">
          <span class="label">Without {name}</span>
          <span>
            <button type="button" onClick={() => suppose(`r.${name}`, '', true)}>
              Keep {name}
            </button>
          </span>
        </div>
      ))}
      {Object.entries(it.transfers).map(([between, amount]) => (
        <Text
          key={between}
          name={`t.${between}`}
          label={`From ${between.replace(' ', ' to ')}`}
          value=""
          given={amount}
          was=""
        />
      ))}
      <AddGrant grants={grants} />
      <AddTransfer grants={grants} />
      <p class="note">
        An empty field is no longer supposed. Balances are those of the ledger now; what the giving grant has left is
        not checked.
      </p>
    </section>
  );
}

const kNone = 'No grant with a consequence is in force.';
const kUnknown =
  'Not known: usage of a window is not settled yet, and is read for operators and coordinators of the accounts only, and for 100 days only. Once the grant exists, the next recalculation reads it. The order is as without it.';

function Effect({ effect, otherwise }: { effect: GrantEffect | undefined; otherwise: string }) {
  if (!effect) return <dd>{otherwise}</dd>;
  return (
    <dd>
      {prose(effect.text)}
      {effect.users.length > 0 && (
        <ul class="plain">
          {effect.users.map((one) => (
            <li>
              {one.user} in {one.account}: {whole(one.pendingJobs)} pending {one.pendingJobs === '1' ? 'job' : 'jobs'}
            </li>
          ))}
        </ul>
      )}
    </dd>
  );
}

export function GrantEffects({ effects = [] }: { effects?: SupposedGrantEffect[] }) {
  if (effects.length === 0) return null;
  return (
    <section class="card" aria-labelledby="granted">
      <h2 id="granted">What the grants leave</h2>
      {effects.map((one) => (
        <div class="granted">
          <h3>
            {one.accounts.join(', ')}
            {one.user && `, user ${one.user}`} <span class="soft">{one.tres}</span>
          </h3>
          <dl>
            <dt>Now</dt>
            <Effect effect={one.before} otherwise={kNone} />
            <dt>Then</dt>
            <Effect effect={one.after} otherwise={one.unknown ? kUnknown : kNone} />
          </dl>
        </div>
      ))}
      <p class="note">Jobs that would wait keep their place in the order below, which knows no limits.</p>
    </section>
  );
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// The command that makes it so: the page changes no grants.
function commandsOf(cluster: string | undefined, present: Present, it: Supposition): string[] {
  const isKnown = (name: string) => present.grants?.some((grant) => grant.name === name);
  const words = (text: string) => text.split(/\s+/).filter(Boolean).map(quoted).join(' ');
  const grant = `prioctl${cluster ? ` --cluster=${quoted(cluster)}` : ''} grant`;
  return [
    ...Object.entries(it.grants).map(
      ([name, settings]) => `${grant} ${isKnown(name) ? 'update' : 'create'} ${quoted(name)} ${words(settings)}`,
    ),
    ...it.revoked.map((name) => `${grant} revoke ${quoted(name)}`),
    ...Object.entries(it.transfers).map(
      ([between, amount]) => `${grant} transfer ${words(between)} --amount ${quoted(amount)}`,
    ),
  ];
}

export function GrantCommands({
  cluster,
  present,
  it,
}: {
  cluster: string | undefined;
  present: Present;
  it: Supposition;
}) {
  if (!hasGrants(it)) return null;
  return (
    <section class="card" aria-labelledby="granting">
      <h2 id="granting">Make the grants so</h2>
      <pre class="lines" tabIndex={0} role="region" aria-label="The commands">
        <code>{commandsOf(cluster, present, it).join('\n')}</code>
      </pre>
    </section>
  );
}
