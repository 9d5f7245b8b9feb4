// The setting `compat`: one name for the values that make Spillway behave like an existing system. It is the only setting
// outside a section; the values are in presets.ts.

import { choice } from './kind.ts';
import { optional } from './setting.ts';

const COMPAT_MODES = ['plan'] as const;
export type CompatMode = (typeof COMPAT_MODES)[number];

export const COMPAT_ROWS = {
  compat: optional(
    'SPILLWAY_COMPAT',
    choice(COMPAT_MODES),
    "Spillway's own defaults",
    'Sets the settings of a preset, unless they are set elsewhere: `plan` behaves like the dispatcher and workers that Spillway replaces.',
  ),
} as const;
