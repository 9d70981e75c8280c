// Small, and there before the page's program: asks for the queue while that is still on its way.
import { current } from './calls/address';
import { askEarly } from './calls/early';
import { filtersOf, kFirstRows, kWatch, watchOf } from './queue/queue_request';

const { view, query } = current();
if (!window.prioritydStarted && view === 'queue' && !query.get('tab'))
  askEarly(`v1/${kWatch}`, watchOf(filtersOf(query, query.get('cluster') ?? ''), kFirstRows));
