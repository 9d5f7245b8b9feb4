// Refuses a callback URL at submission if it can never be called: a private address, this machine, or a URL with a
// password. Egress checks the addresses that a host name resolves to when it connects.

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
