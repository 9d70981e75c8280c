// A project's view of its grant: what is left of it, what happens then and when, who uses it up, and its statement.
import type { Grant, GrantBalance, GrantVersion } from '../calls/api';
import { Facts, type Figure, Figures } from '../parts/facts';
import { hundredths, moment, time, whole } from '../parts/format';
import { href, type Route } from '../parts/route';
import type { Site } from '../parts/site';
import { Failed, Loading, Stale, useLoaded } from '../parts/states';
import { type Heading, Table } from '../parts/table';
import { isPrice, kUsualWindow, kWindows, type Spending } from './budget_data';
import { Windows } from './budget_table';
import {
  amountIn,
  happens,
  isPast,
  isRolling,
  loadStatement,
  loadUse,
  meteredOf,
  ownerText,
  type Statement,
  settingOf,
  sumOf,
  toGrant,
  tresOf,
  unitText,
  usedUpAt,
  windowText,
} from './grant_data';
import { GrantState, NoGrants } from './grant_parts';
import { Meter, MeterLegend, percentUsed } from './meter';
import { Spenders } from './spenders';

const kMostWindows = 1000; // Of a statement.

function WindowCard({ grant, balance }: { grant: Grant; balance: GrantBalance }) {
  const budget = meteredOf(balance, grant);
  const amount = amountIn(grant, hundredths);
  const rows: Figure[] = [
    ['Granted', amount(balance.grantedMinutes)],
    ['Carried over', amount(balance.carriedMinutes)],
    ['Repaid to earlier windows', amount(balance.repaidMinutes)],
    ['Transferred', amount(balance.transferredMinutes)],
    ['Available', amount(balance.availableMinutes)],
    ['Used', amount(balance.usedMinutes)],
    ['Running jobs may use', amount(grant.runningMinutes)],
    ['May be used beyond it', amount(balance.beyondMinutes)],
  ];
  return (
    <section class="card budget" aria-labelledby="window">
      <h2 id="window">{isPast(grant) ? 'Its last window' : 'This window'}</h2>
      <p class="left">
        <b>{amount(balance.leftMinutes)}</b>
        {unitText(grant)} left, {percentUsed(budget)} used
      </p>
      <Meter budget={budget} beyond={balance.beyondMinutes} />
      <Figures rows={[...rows, ['From', time(balance.beginTime)], ['Until', time(balance.endTime)]]} />
    </section>
  );
}

// The time at which an amount is used up at the rate of the last days, in words.
function usedUpText(minutes: number, perDay: number, balance: GrantBalance, from: string): string {
  if (minutes <= 0) return 'used up';
  const at = perDay > 0 ? usedUpAt(minutes, perDay, balance, from) : undefined;
  return at ? moment(at) : balance.endTime ? 'not in this window' : 'never at this rate';
}

// The reason that no time of exhaustion is shown.
function WhyNoTime({ statement, cluster }: { statement: Statement; cluster: string | undefined }) {
  const { grant, beside } = statement;
  if (isRolling(grant))
    return <p class="note">What is used falls out of its window day by day, so no time is shown.</p>;
  return (
    <p class="note">
      No time is shown, since its owner has other grants, used one after the other:{' '}
      {beside.map((one, at) => (
        <>
          {at > 0 && ', '}
          <a href={toGrant(one.name, cluster)}>{one.name}</a>
        </>
      ))}
      .
    </p>
  );
}

function Outlook({
  statement,
  use,
  days,
  cluster,
}: {
  statement: Statement;
  use: Spending | undefined;
  days: string;
  cluster: string | undefined;
}) {
  const { grant, beside, snapshot } = statement;
  const balance = grant.balance;
  const hasTime = !isRolling(grant) && beside.length === 0;
  const perDay =
    use && use.spenders.reduce((sum, one) => sum + (one.minutes[tresOf(grant)] ?? 0), 0) / kWindows[days][1];
  const rows: Figure[] = [];
  if (balance && perDay !== undefined && !use!.isCut && !isPast(grant) && !isPrice(tresOf(grant))) {
    rows.push([`Used a day in the last ${kWindows[days][0]}`, hundredths(perDay)]);
    if (hasTime) {
      rows.push(['Runs out', usedUpText(balance.leftMinutes, perDay, balance, snapshot.computedAt!)]);
      if (balance.beyondMinutes > 0) {
        const all = balance.leftMinutes + balance.beyondMinutes;
        rows.push(['With what is beyond it', usedUpText(all, perDay, balance, snapshot.computedAt!)]);
      }
    }
  }
  return (
    <section class="card" aria-labelledby="then">
      <h2 id="then">When it is used up</h2>
      <ul class="sentences">
        {happens(grant, beside).map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
      <Figures rows={rows} />
      {!hasTime && !isPast(grant) && <WhyNoTime statement={statement} cluster={cluster} />}
    </section>
  );
}

const kTimes = ['Begin', 'End'];
const kOrder =
  'Accounts User TRES Amount Begin End Window CarryOver CarryOverCap CarryOverWindows CarryOverHalfLife Borrow Grace Order Consequence'.split(
    ' ',
  );

function Settings({ grant }: { grant: Grant }) {
  const place = (name: string) => (kOrder.includes(name) ? kOrder.indexOf(name) : kOrder.length);
  const names = Object.keys(grant.attributes).sort((a, b) => place(a) - place(b));
  const value = (name: string) => (kTimes.includes(name) ? time(settingOf(grant, name)) : settingOf(grant, name));
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <Figures rows={names.map((name) => [name, value(name)])} />
    </section>
  );
}

function UsedBy({
  route,
  statement,
  use,
  days,
}: {
  route: Route;
  statement: Statement;
  use: ReturnType<typeof useLoaded<Spending>>;
  days: string;
}) {
  const { grant } = statement;
  const isOfUser = settingOf(grant, 'User') !== '';
  return (
    <section class="card" aria-labelledby="spent">
      <div class="heading">
        <h2 id="spent">{isOfUser ? 'What uses it up' : 'Who uses it up'}</h2>
        <Windows route={route} days={days} />
      </div>
      {use.value ? (
        <Spenders
          spenders={use.value.spenders}
          tres={tresOf(grant)}
          days={kWindows[days][1]}
          isOfUser={isOfUser}
          query={Object.fromEntries(route.query)}
        />
      ) : use.failure ? (
        <Failed failure={use.failure} again={use.again} />
      ) : (
        <Loading what="who uses it up" />
      )}
      {use.value?.isCut && <p class="note">There are more: choose a shorter time.</p>}
      <p class="note">All usage of its owner, with UsageFactor, over the last {kWindows[days][0]}.</p>
    </section>
  );
}

// The width of a bar says what the window had, beside the fullest of them.
function Windowed({ grant, windows }: { grant: Grant; windows: GrantBalance[] }) {
  const size = (window: GrantBalance) => Math.max(window.availableMinutes, 0) + window.beyondMinutes;
  const most = Math.max(...windows.map(size));
  const cells = (amounts: readonly (number | undefined)[]) =>
    amounts.map((amount) => <td class="n">{amount === undefined ? '' : amountIn(grant, hundredths)(amount)}</td>);
  return (
    <Table
      className="statement"
      headings={[
        'Begin',
        ['wide', 'End'],
        ['of', 'Used'],
        ...['Granted', 'Carried', 'Repaid', 'Transferred', 'Available', 'Used', 'Left'].map(
          (name): Heading => ['n', name],
        ),
      ]}
      foot={
        <tr>
          <th scope="row">Sum</th>
          <td class="wide" />
          <td />
          {cells([...sumOf(windows), undefined])}
        </tr>
      }
    >
      {windows.map((window) => (
        <tr key={window.beginTime}>
          <th scope="row" class="when">
            {time(window.beginTime)}
          </th>
          <td class="when wide">{time(window.endTime)}</td>
          <td class="of">
            <div style={{ width: `${most > 0 ? (100 * size(window)) / most : 100}%` }}>
              <Meter budget={meteredOf(window)} beyond={window.beyondMinutes} />
            </div>
          </td>
          {cells([
            window.grantedMinutes,
            window.carriedMinutes,
            window.repaidMinutes,
            window.transferredMinutes,
            window.availableMinutes,
            window.usedMinutes,
            window.leftMinutes,
          ])}
        </tr>
      ))}
    </Table>
  );
}

function StatementCard({ grant, windows }: { grant: Grant; windows: GrantBalance[] }) {
  return (
    <section class="card" aria-labelledby="statement">
      <h2 id="statement">Statement</h2>
      {windows.length === 0 ? (
        <p class="note">It has had no window yet.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Statement, scrolls">
          <Windowed grant={grant} windows={windows} />
        </div>
      )}
      {windows.length === kMostWindows && (
        <p class="note">These are the last {whole(kMostWindows)} windows, and their sum.</p>
      )}
      <p class="note">A record that arrives late counts in the window in which its job ran.</p>
    </section>
  );
}

function Versions({ grant, versions }: { grant: Grant; versions: GrantVersion[] }) {
  return (
    <section class="card" aria-labelledby="versions">
      <h2 id="versions">Versions of the amount</h2>
      <Table scrolls="Versions" className="amounts" headings={['From the window of', ['n', 'Amount'], 'By', 'Why']}>
        {versions.map((version) => (
          <tr>
            <th scope="row" class="when">
              {time(version.effectiveTime)}
            </th>
            <td class="n strong">{amountIn(grant, hundredths)(version.amountMinutes)}</td>
            <td>{version.changedBy.replace(/ \(.*/, '')}</td>
            <td>{version.comment || '–'}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

interface Props {
  route: Route;
  cluster: string;
  site: Site;
}

function Known({ route, cluster, site, statement }: Props & { statement: Statement }) {
  const { grant, windows, snapshot } = statement;
  const days = kWindows[route.query.get('days') ?? ''] ? route.query.get('days')! : kUsualWindow;
  const computedAt = snapshot.computedAt!;
  const end = () => (site.isManual ? Date.parse(computedAt) : Date.now());
  const use = useLoaded(
    site.isKnown ? JSON.stringify([cluster, grant.name, days, computedAt]) : undefined,
    0,
    (signal) => loadUse(cluster, statement, kWindows[days][1], end(), signal),
    true,
  );
  return (
    <>
      <Facts
        facts={[
          ['Whose', ownerText(grant)],
          ['TRES', tresOf(grant)],
          ['Window', windowText(grant)],
        ]}
      />
      {grant.balance && <MeterLegend withBeyond />}
      <div class="cards of-one">
        {grant.balance && <WindowCard grant={grant} balance={grant.balance} />}
        <Outlook statement={statement} use={use.value} days={days} cluster={route.query.get('cluster') ?? undefined} />
        <Settings grant={grant} />
      </div>
      <StatementCard grant={grant} windows={windows} />
      {!isPrice(tresOf(grant)) && <UsedBy route={route} statement={statement} use={use} days={days} />}
      <Versions grant={grant} versions={grant.versions} />
      <p class="note">
        {grant.currency
          ? `${grant.currency} by the prices of ${tresOf(grant)}`
          : `Minutes of ${tresOf(grant)}, ${isPrice(tresOf(grant)) ? '60 for a unit of its currency' : 'without decay'}`}
        , as of the recalculation of {time(computedAt)}.
      </p>
    </>
  );
}

export function GrantDetail({ route, cluster, site }: Props) {
  const { value, failure, at, again } = useLoaded(JSON.stringify([cluster, route.id]), 30, (signal) =>
    loadStatement(cluster, route.id, signal),
  );
  return (
    <section aria-labelledby="title">
      <p class="crumbs">
        <a href={href('grants', '', { cluster: route.query.get('cluster') ?? undefined })}>Grants</a>
      </p>
      <div class="heading">
        <h1 id="title">Grant {route.id}</h1>
        {value && <GrantState grant={value.grant} />}
      </div>
      {!value && (failure ? <NoGrants failure={failure} again={again} /> : <Loading what="the grant" />)}
      {value && (
        <>
          <Stale since={at} failure={failure} staleFor={value.snapshot.staleFor} />
          <Known route={route} cluster={cluster} site={site} statement={value} />
        </>
      )}
    </section>
  );
}
