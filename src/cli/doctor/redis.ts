// Checks the Redis of REDIS_URL: version, role, eviction policy, clock and key prefixes.

import type { RedisInspection } from '../../app/inspect/inspect-redis.ts';
import { StartFailure } from '../../app/start-failure.ts';
import { type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const MIN_VERSION = { major: 6, minor: 2 };
/** Tolerated clock difference: limits have this margin. */
const TOLERANCE_MS = 1000;

export const redisCheck: DoctorCheck = {
  name: 'redis',
  async inspect({ config }) {
    const { redisUrl } = config.storage;
    if (redisUrl === undefined) return [];
    try {
      const { inspectRedis } = await import('../../app/inspect/inspect-redis.ts');
      return verdicts(await inspectRedis(config, redisUrl), config.storage.redisKeyPrefix);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      return [failed(error.message, 'Correct REDIS_URL, or start that Redis.')];
    }
  },
};

function verdicts(found: RedisInspection, prefix: string): readonly Verdict[] {
  const checks = [age(found), role(found), eviction(found), clock(found), keys(found, prefix)];
  const problems = checks.filter((verdict) => verdict !== undefined);
  if (problems.length > 0) return problems;
  return [ok(`Redis ${found.version ?? ''} at ${found.place} is usable.`.replace('  ', ' '))];
}

function age({ version }: RedisInspection): Verdict | undefined {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const isOld =
    major < MIN_VERSION.major || (major === MIN_VERSION.major && minor < MIN_VERSION.minor);
  if (version === undefined || !isOld) return undefined;
  const minVersion = `${MIN_VERSION.major}.${MIN_VERSION.minor}`;
  return failed(`Redis ${version} is too old.`, `Use version ${minVersion} or later.`);
}

function role({ role, place }: RedisInspection): Verdict | undefined {
  if (role === undefined || role === 'master') return undefined;
  return failed(
    `The Redis at ${place} is a ${role}, which accepts no writes.`,
    'Set REDIS_URL to its primary.',
  );
}

function eviction({ evictionPolicy }: RedisInspection): Verdict | undefined {
  if (evictionPolicy === undefined || evictionPolicy === 'noeviction') return undefined;
  return warning(
    `This Redis evicts keys when its memory is full (${evictionPolicy}), limits included.`,
    'Use a separate Redis for Spillway with maxmemory-policy noeviction.',
  );
}

/** Older deployments end the prefix with a part per process; the part before it has to be equal on all servers. */
function keys({ limitPrefixes }: RedisInspection, prefix: string): Verdict | undefined {
  const own = prefix.replace(/(worker:|dispatcher:)?ratelimit:$/, '');
  const others = limitPrefixes.filter((each) => each !== own);
  if (others.length === 0) return undefined;
  const shown = others.map((each) => `"${each}"`).join(', ');
  return warning(
    `Other servers on this Redis use the key prefix ${shown}, and this one uses "${own}": they do not share limits.`,
    'Set the same REDIS_KEY_PREFIX on all servers of one installation, and use another Redis for other installations.',
  );
}

function clock({ aheadMs }: RedisInspection): Verdict | undefined {
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return undefined;
  return warning(
    `The clock of Redis's machine is ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this machine.`,
    'Run chrony or systemd-timesyncd on both machines.',
  );
}
