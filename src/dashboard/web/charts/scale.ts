// Linear scales and round tick values for the charts that are drawn as SVG. Pure arithmetic; uPlot has its own.

export type Scale = (value: number) => number;

/** Maps a domain onto a range. A domain without extent maps to the middle of the range. */
export function linearScale(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): Scale {
  const extent = to - from;
  if (extent === 0) return () => (start + end) / 2;
  return (value) => start + ((value - from) / extent) * (end - start);
}

/** Round values from zero to at least `max`, about `count` of them: 0, 20, 40, 60. */
export function niceTicks(max: number, count: number): readonly number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0, 1];
  const step = niceStep(max / Math.max(1, count));
  const steps = Math.ceil(max / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The next step of 1, 2, 2.5, 5 or 10 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** A fraction between 0 and 1; anything that is not a number counts as 0. */
export function clampFraction(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}
