// A time relative to now, with the exact time on hover and for screen readers: "4 min ago", "in 12 s".

import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { nowMs } from '../app/browser-clock.ts';
import { exactTimeText, relativeText } from './time-text.ts';

export function RelativeTime({ at }: { readonly at: number }) {
  const exact = exactTimeText(at);
  // The text changes less often than the time, and the component renders only when the text does.
  const text = useMemo(() => computed(() => relativeText(at, nowMs.value)), [at]);
  return (
    <time class="relative-time" dateTime={new Date(at).toISOString()} title={exact}>
      {text}
    </time>
  );
}
