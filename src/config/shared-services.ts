// Which services must a process share with others? Everything in one process needs none. Roles that run apart
// meet in the store and in Redis, so they need both; a broker's jobs are in the store too, but a single server
// may use it with embedded storage.

import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import type { Role } from './providers/provider-keys.ts';

export function assertShared({ storage }: Config, { role }: { role: Role }): void {
  if (role === 'serve') return;
  const missing = [
    ...(storage.databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(storage.redisUrl === undefined ? ['REDIS_URL'] : []),
  ];
  if (missing.length === 0) return;
  throw new ConfigError(
    `A ${role} running by itself shares its work with other processes, but ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set; set DATABASE_URL and REDIS_URL, or run \`spillway serve\`, which does everything in one process.`,
  );
}
