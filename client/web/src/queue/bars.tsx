// A job's priority as what adds up to it.
import type { Factors } from '../calls/api';
import { contribution, kFactors, whole } from '../parts/format';

export function contributionText(factors: Factors | undefined): string {
  if (!factors) return 'no contributions are known';
  const parts = kFactors
    .filter(([key]) => contribution(factors, key) !== 0)
    .map(([key, name]) => `${name} ${whole(contribution(factors, key))}`);
  if (factors.nice) parts.push(`Nice ${whole(factors.nice)}`);
  return parts.join(', ') || 'nothing adds to it';
}

export const positive = (factors: Factors | undefined) =>
  kFactors.reduce((sum, [key]) => sum + Math.max(0, contribution(factors, key)), Math.max(0, factors?.nice ?? 0));

const kMedians = 6;

// The bound of most of the sums: sums far above the median would leave nothing of the others.
export function usualMost(sums: number[]): number {
  const sorted = sums.filter((sum) => sum > 0).sort((a, b) => a - b);
  const median = sorted[Math.floor(0.5 * (sorted.length - 1))] ?? 1;
  const usual = Math.min(sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 1, kMedians * median);
  const most = sorted[sorted.length - 1] ?? 1;
  return most <= 2 * usual ? most : 1.2 * usual;
}

// One bar, as long as its part of `most`, or marked where it is longer. What nice takes away is hatched.
export function ContributionBar({ factors, most }: { factors: Factors | undefined; most: number }) {
  const all = positive(factors);
  const scale = (n: number) => `${(100 * Math.max(0, n)) / Math.max(most, all, 1)}%`;
  const lost = Math.min(all, Math.max(0, -(factors?.nice ?? 0)));
  return (
    <span
      class={`bar ${all > most ? 'longer' : ''}`}
      role="img"
      aria-label={contributionText(factors)}
      title={contributionText(factors)}
    >
      {kFactors.map(([key]) => {
        const points = contribution(factors, key);
        return points > 0 ? <i class={`f-${key}`} style={{ width: scale(points) }} /> : null;
      })}
      {(factors?.nice ?? 0) > 0 && <i class="f-bonus" style={{ width: scale(factors!.nice) }} />}
      {lost > 0 && <i class="f-nice" style={{ width: scale(lost), marginLeft: `-${scale(lost)}` }} />}
    </span>
  );
}

export function Legend({ used }: { used: (key: string) => boolean }) {
  return (
    <ul class="legend" aria-label="What the colours of the bars are">
      {kFactors
        .filter(([key]) => used(key))
        .map(([key, name]) => (
          <li>
            <i class={`f-${key}`} aria-hidden="true" />
            {name}
          </li>
        ))}
      {used('bonus') && (
        <li>
          <i class="f-bonus" aria-hidden="true" />
          Nice
        </li>
      )}
      {used('nice') && (
        <li>
          <i class="f-nice" aria-hidden="true" />
          taken away by nice
        </li>
      )}
    </ul>
  );
}
