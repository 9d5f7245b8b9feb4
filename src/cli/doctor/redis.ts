// Can the Redis behind REDIS_URL be used, does it keep what it is told, and do its clock and ours agree?

import type { RedisInspection } from '../../app/inspect/inspect-redis.ts';
import { StartFailure } from '../../app/start-failure.ts';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const OLDEST = { major: 6, minor: 2 };
/** What limits are held longer for, because clocks differ. */
const TOLERANCE_MS = 1000;

export const redisCheck: DoctorCheck = {
  name: 'redis',
  async look({ config }) {
    const { redisUrl } = config.storage;
    if (redisUrl === undefined) return [];
    try {
      const { inspectRedis } = await import('../../app/inspect/inspect-redis.ts');
      return verdicts(await inspectRedis(redisUrl), config.storage.redisKeyPrefix);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      return [failed(error.message, 'Correct REDIS_URL, or start that Redis.')];
    }
  },
};

function verdicts(found: RedisInspection, prefix: string): readonly Verdict[] {
  const complaints = [age(found), role(found), eviction(found), clock(found), keys(found, prefix)];
  const told = complaints.filter((verdict) => verdict !== undefined);
  if (told.length > 0) return told;
  return [ok(`Redis ${found.version ?? ''} at ${found.place} can be used.`.replace('  ', ' '))];
}

function age({ version }: RedisInspection): Verdict | undefined {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const isOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
  if (version === undefined || !isOld) return undefined;
  const oldest = `${OLDEST.major}.${OLDEST.minor}`;
  return failed(`Redis ${version} is too old.`, `Use version ${oldest} or later.`);
}

function role({ role, place }: RedisInspection): Verdict | undefined {
  if (role === undefined || role === 'master') return undefined;
  return failed(
    `The Redis at ${place} is a ${role}, which takes no writes.`,
    'Name its primary in REDIS_URL.',
  );
}

function eviction({ evictionPolicy }: RedisInspection): Verdict | undefined {
  if (evictionPolicy === undefined || evictionPolicy === 'noeviction') return undefined;
  return warning(
    `When its memory is full this Redis throws away what it was told (${evictionPolicy}), limits too.`,
    'Use a Redis for Spillway alone with maxmemory-policy noeviction.',
  );
}

/** A prefix may end in what older deployments set for each process; what is before it must be the same for all. */
function keys({ limitPrefixes }: RedisInspection, prefix: string): Verdict | undefined {
  const own = prefix.replace(/(worker:|dispatcher:)?ratelimit:$/, '');
  const others = limitPrefixes.filter((each) => each !== own);
  if (others.length === 0) return undefined;
  const shown = others.map((each) => `"${each}"`).join(', ');
  return warning(
    `Servers on this Redis count their limits under ${shown}, and this one under "${own}": they do not share them.`,
    'Give all servers of one installation the same REDIS_KEY_PREFIX, and other installations another Redis.',
  );
}

function clock({ aheadMs }: RedisInspection): Verdict | undefined {
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return undefined;
  return warning(
    `The clock of Redis's machine is ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead of' : 'behind'} ours.`,
    'Run a time service, such as chrony or systemd-timesyncd, on both.',
  );
}
