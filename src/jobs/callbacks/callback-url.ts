// Refuses a callback at once when its address alone says that it will never be called: a private one, this machine, or
// one with a password in it. A name can only be judged when it is connected to, and is.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { EgressRule } from '../../kernel/egress-rule.ts';

/** Throws INVALID_REQUEST. */
export function requireCallable(url: string | undefined, rule: EgressRule): void {
  if (url === undefined) return;
  const parsed = URL.parse(url);
  const hasPassword = parsed !== null && (parsed.username !== '' || parsed.password !== '');
  if (parsed && !hasPassword && !rule.refusesHost(parsed.hostname)) return;
  throw new SpillwayError('INVALID_REQUEST', 'the callback is not at a public address', {
    params: { field: 'callbackUrl' },
  });
}
