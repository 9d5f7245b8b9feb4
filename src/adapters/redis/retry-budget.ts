// The retry budget that all servers on one Redis share. Deposits are counted here and sent with the next `take`, in one script
// that Redis runs on its own clock by the rules of resilience/retry-bucket.ts. While Redis is unavailable each server uses a
// bucket of its own.

import type { Clock } from '../../kernel/clock.ts';
import { MAX_DEBT_SECONDS, RetryBucket } from '../../resilience/retry-bucket.ts';
import type { RetryBudget, RetryBudgetRules } from '../../resilience/retry-budget.ts';
import type { RedisLink } from './connection/open-redis.ts';
import { defineScript, runScript } from './connection/redis-script.ts';

export type RedisRetryBudgetParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly rules: RetryBudgetRules;
  readonly keyPrefix: string;
};

/** How long an empty bucket is not asked again, unless the deposits of this server add up to a whole token. */
const EMPTY_MS = 100;
/** A bucket that was not used for this long is full again anyway. */
const KEPT_MS = 3_600_000;

type Account = { readonly bucket: RetryBucket; unsent: number; emptyUntilMs: number };

export function createRedisRetryBudget(parts: RedisRetryBudgetParts): RetryBudget {
  const { link, clock, rules } = parts;
  const accounts = new Map<string, Account>();
  const taking = new Set<Promise<void>>();

  function accountOf(provider: string): Account {
    const known = accounts.get(provider);
    if (known) return known;
    const bucket = new RetryBucket(rules, clock.monotonic());
    const made = { bucket, unsent: 0, emptyUntilMs: Number.NEGATIVE_INFINITY };
    accounts.set(provider, made);
    return made;
  }

  async function takeFromRedis(provider: string, account: Account): Promise<boolean> {
    const { unsent } = account;
    account.unsent = 0;
    try {
      const answer = await link.run((redis) =>
        runScript(
          redis,
          TAKE,
          [`${parts.keyPrefix}retry-budget:${provider}`],
          [unsent, rules.perRequest, rules.perSecond, rules.capacity],
        ),
      );
      account.emptyUntilMs = answer === 1 ? Number.NEGATIVE_INFINITY : clock.monotonic() + EMPTY_MS;
      return answer === 1;
    } catch {
      return account.bucket.take(clock.monotonic());
    }
  }

  function isKnownEmpty({ unsent, emptyUntilMs }: Account): boolean {
    return unsent * rules.perRequest < 1 && clock.monotonic() < emptyUntilMs;
  }

  return {
    deposit(provider) {
      const account = accountOf(provider);
      account.bucket.deposit();
      account.unsent += 1;
    },
    take(provider, onAnswer) {
      const account = accountOf(provider);
      if (!link.isUp()) return onAnswer(account.bucket.take(clock.monotonic()));
      if (isKnownEmpty(account)) return onAnswer(false);
      const taken = takeFromRedis(provider, account)
        .then(onAnswer)
        .finally(() => taking.delete(taken));
      taking.add(taken);
    },
    async close() {
      await Promise.all(taking);
    },
  };
}

// KEYS  1 the bucket
// ARGV  1 requests since this server's last call  2 tokens per request  3 tokens per second  4 capacity
// Returns 1 if a token was taken
const TAKE = defineScript(`
local bucket = KEYS[1]
local requests, per_request = tonumber(ARGV[1]), tonumber(ARGV[2])
local per_second, capacity = tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local stored = redis.call('HMGET', bucket, 'tokens', 'balance', 'settledAt')
local settled_at = tonumber(stored[3]) or now

local balance = (tonumber(stored[2]) or 0) + per_second * math.max(0, now - settled_at) - requests
local tokens = (tonumber(stored[1]) or capacity) + per_request * requests + math.max(0, balance)
tokens = math.min(capacity, tokens)
balance = math.min(0, math.max(-per_second * ${MAX_DEBT_SECONDS}, balance))
local granted = tokens >= 1 and 1 or 0

redis.call('HSET', bucket, 'tokens', string.format('%.6f', tokens - granted),
  'balance', string.format('%.6f', balance),
  'settledAt', string.format('%.6f', math.max(now, settled_at)))
redis.call('PEXPIRE', bucket, ${KEPT_MS})
return granted
`);
