// A time, relative to now, with the exact one on hover and for screen readers: "4 min ago", "in 12 s".

import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { nowMs } from '../app/browser-clock.ts';
import { exactTimeText, relativeText } from './time-text.ts';

export function RelativeTime({ at }: { readonly at: number }) {
  const exact = exactTimeText(at);
  // The text changes more rarely than the time: only then the page does.
  const text = useMemo(() => computed(() => relativeText(at, nowMs.value)), [at]);
  return (
    <time class="relative-time" dateTime={new Date(at).toISOString()} title={exact}>
      {text}
    </time>
  );
}
