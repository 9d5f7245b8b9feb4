// The top bar: the cluster's name, the one sentence about its state (announced to screen readers when it changes), the
// time range, the theme and signing out. While no events arrive, it says since when.

import type { OverallState } from '../../api/findings.ts';
import { useWidth } from '../charts/use-width.ts';
import { Button } from '../ui/button.tsx';
import type { IconName } from '../ui/icons.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { STATE_WORDS, StatusShape } from '../ui/status.tsx';
import { notifyFailure } from '../ui/toast.tsx';
import { failureText } from './api-client.ts';
import { nowMs } from './browser-clock.ts';
import { live, staleSince } from './live.ts';
import { linkTo } from './router.ts';
import { openHelp } from './shortcuts.tsx';
import { signOut } from './sign-in.ts';
import { fitSentence, sentenceOf } from './state-sentence.ts';
import { chooseTheme, type ThemeChoice, themeChoice } from './theme.ts';
import { TimeRangeControl } from './time-range-control.tsx';

export function TopBar() {
  const [host, widthPx] = useWidth<HTMLDivElement>();
  return (
    <header class="top-bar">
      <div class="top-bar-state" ref={host}>
        <ClusterName />
        <StateSentence widthPx={widthPx} />
      </div>
      <div class="top-bar-controls">
        <TimeRangeControl />
        <ThemeButton />
        <Button kind="quiet" icon="question" label="Keyboard shortcuts" onPress={openHelp} />
        <Button kind="quiet" icon="signOut" label="Sign out" onPress={leave} />
      </div>
    </header>
  );
}

function ClusterName() {
  const name = live.cluster.value?.name;
  return name === undefined ? null : <span class="cluster-name">{name}</span>;
}

function StateSentence({ widthPx }: { readonly widthPx: number }) {
  const state = live.state.value;
  const stale = staleSince.value;
  if (state === undefined) return <p class="state-sentence">Connecting …</p>;
  const shown = stale === undefined ? state.status : 'unknown';
  return (
    <p class={`state-sentence state-${shown}`} aria-live="polite">
      <StatusShape state={shown} />
      <span class="visually-hidden">{STATE_WORDS[shown]}: </span>
      {stale === undefined ? (
        <Fitted state={state} widthPx={widthPx} />
      ) : (
        <span class="state-text">
          No news from the server since <RelativeTime at={stale} />. The page shows the state of
          then.
        </span>
      )}
    </p>
  );
}

/** Two lines, shared with the name and the count of the remaining findings. */
function Fitted({ state, widthPx }: { readonly state: OverallState; readonly widthPx: number }) {
  const findings = live.findings.value?.length ?? 0;
  const takenPx = widthPx < NARROW_PX ? NARROW_TAKEN_PX : TAKEN_PX;
  const maxCharacters = Math.floor((2 * (widthPx - takenPx)) / CHARACTER_PX);
  const { text, more } = fitSentence(state, findings, maxCharacters, nowMs.peek());
  return (
    <span class="state-text" title={sentenceOf(state, nowMs.peek())}>
      {text}
      {more === 0 ? null : (
        <>
          , <a href={linkTo('overview')}>and {more} more</a>.
        </>
      )}
    </span>
  );
}

const TAKEN_PX = 220;
/** The layout in which the name has its own line. */
const NARROW_PX = 500;
const NARROW_TAKEN_PX = 90;
/** The mean width of a character, with some room to spare. */
const CHARACTER_PX = 7.8;

const NEXT_THEME: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};
const THEME_ICONS: Readonly<Record<ThemeChoice, IconName>> = {
  system: 'screen',
  light: 'sun',
  dark: 'moon',
};

function ThemeButton() {
  const choice = themeChoice.value;
  return (
    <Button
      kind="quiet"
      icon={THEME_ICONS[choice]}
      label={`Theme: ${choice}. Change to ${NEXT_THEME[choice]}`}
      onPress={() => chooseTheme(NEXT_THEME[choice])}
    />
  );
}

function leave(): void {
  signOut().catch((error: unknown) => notifyFailure(failureText(error)));
}
