// Whether a provider says that it does not know the model it was asked for. Endpoints also answer 404 for other things
// (a file, a cached content, an earlier response), so the failure must name the model: by a code of its own, or by the
// model's name in the sentence.

import type { Reading } from '../reading/reading.ts';

export function isUnknownModel(
  { status, names, text }: Reading,
  model: string | undefined,
): boolean {
  if (names.some(({ name }) => MODEL_NAMES.has(name))) return true;
  return status === 404 && model !== undefined && model !== '' && text.includes(model);
}

/** In the plain spelling of structured-names.ts. */
const MODEL_NAMES: ReadonlySet<string> = new Set([
  'modelnotfound',
  'nosuchmodel',
  'ainosuchmodel',
  'unknownmodel',
  'deploymentnotfound',
  'modeldecommissioned',
]);
