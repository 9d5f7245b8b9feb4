// Opens the limits of refused requests and of wrong admin keys. The start of a throttling is logged once.

import type { Config } from '../../config/config.ts';
import type { GuessLimits } from '../../http/authenticate.ts';
import { RefusalLimit } from '../../http/refusal-limit.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';

export function openRefusalLimits(
  { server }: Config,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): GuessLimits {
  const limitOf = (perMinute: number, what: string): RefusalLimit =>
    new RefusalLimit(clock, {
      perMinute,
      burst: perMinute,
      onThrottled: (subject) =>
        log.write({
          level: 'warn',
          type: 'request',
          message: `${what} are throttled`,
          metadata: { subject, perMinute },
        }),
    });
  return {
    admin: limitOf(server.adminGuessesPerMinute, 'wrong admin keys'),
    keys: limitOf(server.refusalsPerMinute, 'refused requests'),
  };
}
