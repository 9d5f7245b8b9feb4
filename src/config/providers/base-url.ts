// The address of a provider as the callers of our code need it, whichever way an operator spelt it. SDKs spell
// OpenAI's with /v1 at its end and the others without a version, since they add it themselves.

import type { ProviderFormat } from '../../kernel/provider-format.ts';

export function normaliseBaseUrl(format: ProviderFormat, given: string): string {
  const trimmed = given.replace(/\/+$/, '');
  if (format !== 'openai') return trimmed.replace(/\/v1(?:beta)?$/, '');
  // Any path is taken as written: many compatible servers have one of their own ("/openai", "/api/v3").
  return new URL(trimmed).pathname === '/' ? `${trimmed}/v1` : trimmed;
}
