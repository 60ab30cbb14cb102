/** Statistics of what was measured. */
import { linearRegression, mean, quantile, sampleVariance, wilcoxonRankSum } from 'simple-statistics';

/** Welch's t: how far two means are apart, in standard errors; the variances may differ. */
export function welchT(left: readonly number[], right: readonly number[]): number {
  const error = Math.sqrt(sampleVariance(left) / left.length + sampleVariance(right) / right.length);
  return (mean(left) - mean(right)) / error;
}

/** Area under the ROC curve: how often one of `left` is above one of `right`; 0.5 where nothing tells them apart. */
export function areaUnderCurve(left: readonly number[], right: readonly number[]): number {
  const n = left.length;
  const u = wilcoxonRankSum([...left], [...right]) - (n * (n + 1)) / 2;
  return u / (n * right.length);
}

/** The value below which this share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  return samples.length === 0 ? Number.NaN : quantile(samples, share);
}

/** Rise of the fitted line for each unit of x. */
export function slope(points: ReadonlyArray<readonly [x: number, y: number]>): number {
  return linearRegression(points.map(([x, y]) => [x, y])).m;
}
