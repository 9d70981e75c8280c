// What the view of the queue asks for.

// What is watched until somebody scrolls further.
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
