// The figures of the rate limiter's keys in Redis. The key space is scanned in pages, up to a bound, and memory and time to
// live are read for a sample of the keys, so that the cost has a bound for any number of keys. Above the bound the figures
// are estimates: a scan visits the keys in the order of a hash, so its beginning is a fair sample.

import type { ReadLimiterFigures } from '../../../resilience/limiter-figures.ts';
import type { RedisLink } from '../connection/open-redis.ts';

const PAGE_KEYS = 500;
const MAX_PAGES = 40;
const MAX_SAMPLE = 200;

type Scan = { readonly found: number; readonly scannedShare: number; readonly sample: string[] };
type Sampled = { readonly bytes: number; readonly ttlMs: number };

/** `prefix` is the common prefix of this installation's keys. */
export function createReadLimiterFigures(link: RedisLink, prefix: string): ReadLimiterFigures {
  const pattern = `${escaped(prefix)}*ratelimit:*`;
  return async () => {
    const { found, scannedShare, sample } = await scan(link, pattern);
    const sampled = (await Promise.all(sample.map((key) => measure(link, key)))).flatMap(
      (each) => each ?? [],
    );
    const records = Math.round(found / scannedShare);
    const bytes = sampled.reduce((sum, each) => sum + each.bytes, 0) / Math.max(1, sampled.length);
    const lives = sampled.map(({ ttlMs }) => ttlMs).filter((ttlMs) => ttlMs >= 0);
    return {
      records,
      memoryBytes: Math.round(bytes * records),
      ttl:
        lives.length === 0 ? undefined : { minMs: Math.min(...lives), maxMs: Math.max(...lives) },
    };
  };
}

async function scan(link: RedisLink, pattern: string): Promise<Scan> {
  const sample: string[] = [];
  let [cursor, found, pages] = ['0', 0, 0];
  do {
    const at = cursor;
    const [next, keys] = await link.runInBackground((redis) =>
      redis.scan(at, 'MATCH', pattern, 'COUNT', PAGE_KEYS),
    );
    cursor = next;
    found += keys.length;
    pages += 1;
    sample.push(...keys.slice(0, MAX_SAMPLE - sample.length));
  } while (cursor !== '0' && pages < MAX_PAGES);
  if (cursor === '0') return { found, scannedShare: 1, sample };
  const size = await link.runInBackground((redis) => redis.dbsize());
  return { found, scannedShare: Math.min(1, (pages * PAGE_KEYS) / Math.max(1, size)), sample };
}

/** Undefined for a key that has expired meanwhile. */
async function measure(link: RedisLink, key: string): Promise<Sampled | undefined> {
  const [bytes, ttlMs] = await Promise.all([
    link.runInBackground((redis) => redis.memory('USAGE', key)),
    link.runInBackground((redis) => redis.pttl(key)),
  ]);
  return bytes === null ? undefined : { bytes, ttlMs };
}

/** A prefix may contain characters that a pattern gives a meaning. */
function escaped(prefix: string): string {
  return prefix.replaceAll(/[\\*?[\]]/g, String.raw`\$&`);
}
