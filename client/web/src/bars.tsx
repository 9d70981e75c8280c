// A job's priority as what adds up to it.
import type { Factors } from './api';
import { contribution, kFactors, whole } from './format';

export function contributionText(factors: Factors | undefined): string {
  if (!factors) return 'no contributions are known';
  const parts = kFactors.filter(([key]) => contribution(factors, key) !== 0)
    .map(([key, name]) => `${name} ${whole(contribution(factors, key))}`);
  if (factors.nice) parts.push(`Nice ${whole(factors.nice)}`);
  return parts.join(', ') || 'nothing adds to it';
}

export const positive = (factors: Factors | undefined) =>
  kFactors.reduce((sum, [key]) => sum + Math.max(0, contribution(factors, key)), 0);

// One bar, as long as its part of `most`. What nice takes away is hatched.
export function ContributionBar({ factors, most }: { factors: Factors | undefined; most: number }) {
  const scale = (n: number) => `${(100 * Math.max(0, n)) / Math.max(most, 1)}%`;
  const lost = Math.min(positive(factors), Math.max(0, -(factors?.nice ?? 0)));
  return (
    <span class="bar" role="img" aria-label={contributionText(factors)} title={contributionText(factors)}>
      {kFactors.map(([key]) => {
        const points = contribution(factors, key);
        return points > 0 ? <i class={`f-${key}`} style={{ width: scale(points) }} /> : null;
      })}
      {lost > 0 && <i class="f-nice" style={{ width: scale(lost), marginLeft: `-${scale(lost)}` }} />}
    </span>
  );
}

export function Legend({ used }: { used: (key: string) => boolean }) {
  return (
    <ul class="legend" aria-label="What the colours of the bars are">
      {kFactors.filter(([key]) => used(key)).map(([key, name]) => <li><i class={`f-${key}`} aria-hidden="true" />{name}</li>)}
      {used('nice') && <li><i class="f-nice" aria-hidden="true" />taken away by nice</li>}
    </ul>
  );
}
