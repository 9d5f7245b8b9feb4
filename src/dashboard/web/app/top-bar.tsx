// The top bar: the cluster's name, the one sentence about its state (announced to screen readers when it changes), the time
// range, the theme and signing out. A page that gets no events says since when.

import { Button } from '../ui/button.tsx';
import type { IconName } from '../ui/icons.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { STATE_WORDS, StatusShape } from '../ui/status.tsx';
import { notifyFailure } from '../ui/toast.tsx';
import { failureText } from './api-client.ts';
import { nowMs } from './browser-clock.ts';
import { live, staleSince } from './live.ts';
import { openHelp } from './shortcuts.tsx';
import { signOut } from './sign-in.ts';
import { sentenceOf } from './state-sentence.ts';
import { chooseTheme, type ThemeChoice, themeChoice } from './theme.ts';
import { TimeRangeControl } from './time-range-control.tsx';

export function TopBar() {
  return (
    <header class="top-bar">
      <div class="top-bar-state">
        <ClusterName />
        <StateSentence />
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

function StateSentence() {
  const state = live.state.value;
  const stale = staleSince.value;
  if (state === undefined) return <p class="state-sentence">Connecting …</p>;
  const shown = stale === undefined ? state.status : 'unknown';
  return (
    <p class={`state-sentence state-${shown}`} aria-live="polite">
      <StatusShape state={shown} />
      <span class="visually-hidden">{STATE_WORDS[shown]}: </span>
      {stale === undefined ? (
        <span title={sentenceOf(state, nowMs.peek())}>{sentenceOf(state, nowMs.peek())}</span>
      ) : (
        <span>
          No news from the server since <RelativeTime at={stale} />. The page shows the state of
          then.
        </span>
      )}
    </p>
  );
}

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
