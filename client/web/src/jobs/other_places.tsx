// Other partitions and QOS with which a waiting job would start clearly earlier.
import type { Tracked } from '../calls/api';
import { useLoaded } from '../parts/states';
import { kOwn, type Place, placesOf, placeText, soonerPlaces } from './places';
import { SoonerNote, SoonerText } from './sooner';

const keyOf = (cluster: string, { job, account, partitions, qos, timeLimit }: Tracked) =>
  JSON.stringify([cluster, job!.jobId, account, partitions, qos, timeLimit]);

// Nothing where none helps. `own` as of `clearlySooner`; `move` is offered for each.
export function OtherPlaces({
  cluster,
  tracked,
  own,
  move,
}: {
  cluster: string;
  tracked: Tracked;
  own: number;
  move?: (place: Place) => void;
}) {
  const { value } = useLoaded(keyOf(cluster, tracked), 0, (signal) => placesOf(cluster, tracked, signal));
  const sooner = soonerPlaces(value, own);
  if (!value || sooner.length === 0) return null;
  return (
    <>
      <h3>Another partition or QOS starts earlier</h3>
      <ul class="effects places">
        {sooner.map((place) => (
          <li key={place.id}>
            <span>
              In <b>{placeText(place)}</b> <SoonerText forecasts={value.forecasts} of={place.id} than={kOwn} />
            </span>
            {move && (
              <button type="button" onClick={() => move(place)}>
                Move to {placeText(place)}
              </button>
            )}
          </li>
        ))}
      </ul>
      <SoonerNote />
    </>
  );
}
