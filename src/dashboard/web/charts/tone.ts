// The colours that charts use, by meaning. The four states are for health alone; `accent` and the numbered tones are for
// quantities that are neither good nor bad (models, percentiles). Every tone is a CSS custom property, so that a chart
// follows the theme. The design system defines the properties.

export type State = 'good' | 'degraded' | 'bad' | 'unknown';

const SERIES_TONES = [
  'series-1',
  'series-2',
  'series-3',
  'series-4',
  'series-5',
  'series-6',
] as const;

export type SeriesTone = (typeof SERIES_TONES)[number];

export type Tone = State | SeriesTone | 'accent' | 'muted';

const PROPERTIES: Readonly<Record<Exclude<Tone, SeriesTone>, string>> = {
  good: '--good',
  degraded: '--degraded',
  bad: '--bad',
  unknown: '--unknown',
  accent: '--accent',
  muted: '--text-2',
};

/** The CSS value of a tone, for an attribute or property that the browser resolves itself. */
export function toneColor(tone: Tone): string {
  return `var(${toneProperty(tone)})`;
}

export function toneProperty(tone: Tone): string {
  return isSeriesTone(tone) ? `--${tone}` : PROPERTIES[tone];
}

/** The tone of the series at a position; positions past the palette share the muted tone, which reads as "other". */
export function seriesTone(index: number): Tone {
  return SERIES_TONES[index] ?? 'muted';
}

function isSeriesTone(tone: Tone): tone is SeriesTone {
  return tone.startsWith('series-');
}
