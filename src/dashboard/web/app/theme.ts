// Light, dark, or the system's choice. The choice is kept in the browser; a browser without storage follows the system.

import { effect, signal } from '@preact/signals';

export type ThemeChoice = 'system' | 'light' | 'dark';

export const themeChoice = signal<ThemeChoice>('system');
/** The theme that is shown. Charts that draw on a canvas read their colours again when it changes. */
export const theme = signal<'light' | 'dark'>('light');

const KEY = 'spillway.theme';
const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

export function startTheme(): void {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const isSystemDark = signal(system.matches);
  system.addEventListener('change', (event) => {
    isSystemDark.value = event.matches;
  });
  themeChoice.value = CHOICES.find((choice) => choice === storage()?.getItem(KEY)) ?? 'system';
  effect(() => {
    const fromSystem = isSystemDark.value ? 'dark' : 'light';
    theme.value = themeChoice.value === 'system' ? fromSystem : themeChoice.value;
    document.documentElement.dataset.theme = theme.value;
  });
}

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  storage()?.setItem(KEY, choice);
}

/** Access to it throws where the browser forbids storage. */
function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
