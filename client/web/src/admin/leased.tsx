// Settings that a lease changes now or later, as text.

import type { Schemas } from '../calls/schemas';
import { time } from '../parts/format';

type Leased = Schemas['priority.v1.LeasedSetting'];

// `1000 until 18 Dec 2026, 18:00, then 200`
export const leasedText = (one: Leased) =>
  `${one.value || 'unset'} until ${time(one.until)}, then ${one.then || 'unset'}`;

// A setting of that name, if a lease changes it; an older service has no leases.
export function leasedAs(row: { leased?: Leased[] }, name: string) {
  const one = row.leased?.find((leased) => leased.name === name);
  if (!one) return undefined;
  return (
    <span class="leased">
      {one.value || 'unset'} <small>{leasedText(one).slice((one.value || 'unset').length + 1)}</small>
    </span>
  );
}
