// Parts of the list of grants and of the view of one grant.
import type { Failure, Grant } from '../calls/api';
import { Empty, Failed } from '../parts/states';
import { knowsNoGrants, stateText } from './grant_data';

export const GrantState = ({ grant }: { grant: Grant }) => (
  <span class={grant.state === 'GRANT_STATE_EXHAUSTED' ? 'tag r100' : 'tag'}>{stateText(grant)}</span>
);

// The reason that no grants are shown.
export const NoGrants = ({ failure, again }: { failure: Failure; again: () => void }) =>
  knowsNoGrants(failure) ? (
    <Empty>This service is of a version that has no grants.</Empty>
  ) : (
    <Failed failure={failure} again={again} />
  );
