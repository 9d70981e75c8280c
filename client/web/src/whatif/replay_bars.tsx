// One figure under several policies, as bars below each other.
import { useState } from 'preact/hooks';
import { whole } from '../parts/format';

export interface Bar {
  schedule: string;
  colour: number;
  value: number;
  text: string;
}
// `due`: where the bars would end if all were as it is due. `most`: what fills the scale; default the longest of all bars shown.
export interface BarGroup {
  name: string;
  note?: string;
  bars: Bar[];
  due?: number;
  most?: number;
}

const kAtFirst = 8;
const kMore = 50;

function Bars({ group, largest }: { group: BarGroup; largest: number }) {
  const part = (value: number) => `${(100 * Math.min(value, largest)) / largest}%`;
  return (
    <tbody>
      {group.bars.map((bar, at) => (
        <tr>
          {at === 0 && (
            <th scope="rowgroup" rowSpan={group.bars.length}>
              {group.name}
              {group.note && <span class="soft">{group.note}</span>}
            </th>
          )}
          <td class="soft schedule">{bar.schedule}</td>
          <td class="barcell">
            <span class="bar" aria-hidden="true">
              <i class={`p${bar.colour}`} style={{ width: part(bar.value) }} />
              {group.due !== undefined && <b style={{ left: part(group.due) }} />}
            </span>
          </td>
          <td class="n">{bar.text}</td>
        </tr>
      ))}
    </tbody>
  );
}

const longest = (groups: BarGroup[]) =>
  groups.reduce(
    (most, group) => group.bars.reduce((so, bar) => Math.max(so, bar.value), Math.max(most, group.due ?? 0)),
    0,
  ) || 1;

export function Compared({
  title,
  note,
  what,
  groups,
}: {
  title: string;
  note: string;
  what: string;
  groups: BarGroup[];
}) {
  const [shown, setShown] = useState(kAtFirst);
  const seen = groups.slice(0, shown);
  const largest = longest(seen);
  return (
    <section class="card compared" aria-label={title}>
      <h2>{title}</h2>
      <p class="note">{note}</p>
      <table>
        <thead class="unseen">
          <tr>
            <th scope="col">{what}</th>
            <th scope="col">Schedule</th>
            <th scope="col">Bar</th>
            <th scope="col">{title}</th>
          </tr>
        </thead>
        {seen.map((group) => (
          <Bars key={group.name} group={group} largest={group.most ?? largest} />
        ))}
      </table>
      {groups.length > shown && (
        <p>
          <button type="button" onClick={() => setShown(shown + kMore)}>
            Show more
          </button>{' '}
          <span class="note">{whole(groups.length - shown)} are not shown</span>
        </p>
      )}
    </section>
  );
}
