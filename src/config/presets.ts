// The presets of the setting `compat`. A preset replaces defaults: the file, .env and the environment win over it.

import type { Sections } from './config.ts';
import type { CompatMode } from './schema/compat.ts';

export type Preset = { readonly [S in keyof Sections]?: Partial<Sections[S]> };

export const PRESETS: Readonly<Record<CompatMode, Preset>> = {
  plan: {
    // A message waits for its own provider, always for the same time, in a queue that operators know.
    dispatcher: { overflow: 'delay', rateLimitDelayMs: 30_000 },
    // Results and failures go to queues of their own.
    jobs: { resultsIncludeFailures: false },
    // Five failures in the window open a circuit, regardless of the share of failed calls.
    breaker: { ratio: 0 },
    // One organisation owns all builds, and its front end knows the classic names.
    events: { fields: 'classic', unownedOrganization: 'default' },
  },
};

/** The preset's values of one section by key. */
export function presetOf(
  mode: CompatMode | undefined,
  section: string,
): Readonly<Record<string, unknown>> | undefined {
  const preset: Readonly<Record<string, object | undefined>> = mode ? PRESETS[mode] : {};
  const values = preset[section];
  return values && { ...values };
}
