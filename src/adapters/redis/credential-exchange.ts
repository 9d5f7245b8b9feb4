// Shares refusals of provider credentials over a Redis channel. Nothing is stored, and while Redis is unavailable nothing is
// sent: a server that misses the news asks the provider once. Keys never leave their server, only keyed hashes of them.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type {
  CredentialExchange,
  CredentialNews,
} from '../../admission/credentials/credential-exchange.ts';
import type { RedisLink } from './connection/open-redis.ts';
import { InFlight } from './in-flight.ts';

export type RedisCredentialExchangeParts = {
  readonly link: RedisLink;
  readonly keyPrefix: string;
};

const message = z.object({
  by: z.string(),
  provider: z.string(),
  account: z.string(),
  model: z.string().optional(),
  isRefused: z.boolean(),
  fingerprint: z.string(),
});

export function createRedisCredentialExchange({
  link,
  keyPrefix,
}: RedisCredentialExchangeParts): CredentialExchange {
  const me = randomUUID();
  const channel = `${keyPrefix}credentials:changed`;
  const inFlight = new InFlight();
  let deliver: (news: CredentialNews) => void = () => {};

  async function send(news: CredentialNews): Promise<void> {
    const text = JSON.stringify({ ...news, by: me });
    await link.runInBackground((redis) => redis.publish(channel, text));
  }

  function receive(text: string): void {
    const sent = decode(text);
    if (!sent || sent.by === me) return;
    const { by: _by, ...news } = sent;
    deliver(news);
  }

  return {
    publish(news) {
      if (link.isUp()) void inFlight.track(send(news));
    },
    subscribe(onNews) {
      deliver = onNews;
      return link.subscribe(channel, { onMessage: receive, onSubscribed: () => {} });
    },
    async close() {
      deliver = () => {};
      await inFlight.drained();
    },
  };
}

/** Undefined for a message in another format. */
function decode(text: string): z.infer<typeof message> | undefined {
  try {
    return message.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
