// The retry budget that all servers on one Redis share. Deposits are counted here and sent with the next `take`, in one script
// that Redis runs on its own clock by the rules of resilience/retry-bucket.ts. It takes a token of the organisation's own
// bucket too, so that an organisation with failures on several servers does not use up the retries of all. While Redis is
// unavailable each server uses a bucket of its own.

import type { Clock } from '../../kernel/clock.ts';
import { MAX_DEBT_SECONDS, RetryBucket } from '../../resilience/retry-bucket.ts';
import type { RetryBudget, RetryBudgetRules, RetryShare } from '../../resilience/retry-budget.ts';
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

  async function takeFromRedis(
    provider: string,
    account: Account,
    share: RetryShare | undefined,
  ): Promise<boolean> {
    const { unsent } = account;
    account.unsent = 0;
    try {
      const keys = [`${parts.keyPrefix}retry-budget:${provider}`];
      if (share) keys.push(`${keys[0]}:${share.organizationId}`);
      const own = share ? [share.requests, share.capacity] : [];
      const args = [rules.perRequest, rules.perSecond, unsent, rules.capacity, ...own];
      const answer = await link.run((redis) => runScript(redis, TAKE, keys, args));
      const isEmpty = answer === ANSWER.empty;
      account.emptyUntilMs = isEmpty ? clock.monotonic() + EMPTY_MS : Number.NEGATIVE_INFINITY;
      return answer === ANSWER.granted;
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
    take(provider, onAnswer, share) {
      const account = accountOf(provider);
      if (!link.isUp()) return onAnswer(account.bucket.take(clock.monotonic()));
      if (isKnownEmpty(account)) return onAnswer(false);
      const taken = takeFromRedis(provider, account, share)
        .then(onAnswer)
        .finally(() => taking.delete(taken));
      taking.add(taken);
    },
    async close() {
      await Promise.all(taking);
    },
  };
}

const ANSWER = { empty: 0, granted: 1, shareEmpty: 2 } as const;

// KEYS  1 the bucket  2 the organisation's own bucket, if it has one
// ARGV  1 tokens per request  2 tokens per second  then for each bucket: requests since this server's last call, capacity
// Returns 1 if a token of each bucket was taken, 0 if the first is empty, 2 if only the second is
const TAKE = defineScript(`
local per_request, per_second = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000

local function settle(bucket, requests, capacity)
  local stored = redis.call('HMGET', bucket, 'tokens', 'balance', 'settledAt')
  local settled_at = tonumber(stored[3]) or now
  local balance = (tonumber(stored[2]) or 0) + per_second * math.max(0, now - settled_at) - requests
  local tokens = (tonumber(stored[1]) or capacity) + per_request * requests + math.max(0, balance)
  balance = math.min(0, math.max(-per_second * ${MAX_DEBT_SECONDS}, balance))
  redis.call('HSET', bucket, 'balance', string.format('%.6f', balance),
    'settledAt', string.format('%.6f', math.max(now, settled_at)))
  redis.call('PEXPIRE', bucket, ${KEPT_MS})
  return math.min(capacity, tokens)
end

local tokens, answer = {}, ${ANSWER.granted}
for index, bucket in ipairs(KEYS) do
  tokens[index] = settle(bucket, tonumber(ARGV[2 * index + 1]), tonumber(ARGV[2 * index + 2]))
  if tokens[index] < 1 and answer == ${ANSWER.granted} then
    answer = index == 1 and ${ANSWER.empty} or ${ANSWER.shareEmpty}
  end
end
for index, bucket in ipairs(KEYS) do
  local taken = answer == ${ANSWER.granted} and 1 or 0
  redis.call('HSET', bucket, 'tokens', string.format('%.6f', tokens[index] - taken))
end
return answer
`);
