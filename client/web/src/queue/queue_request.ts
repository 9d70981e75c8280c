// The request of the view of the queue.

// The number of watched rows until the reader scrolls further.
export const kFirstRows = 200;

const words = (text: string | null) => (text ?? '').split(/[\s,]+/).filter(Boolean);

export const filtersOf = (query: URLSearchParams, cluster: string) => ({
  cluster,
  users: words(query.get('user')),
  accounts: words(query.get('account')),
  partitions: words(query.get('partition')),
});

export const kWatch = 'PriorityService/WatchRanking';
export const watchOf = (filters: object, limit: number) => ({
  ...filters,
  limit,
  view: 'RANK_VIEW_FULL',
  ageInterval: '30s',
  minInterval: '1s',
});
