// Checks the services that a role shares with other processes. `serve` runs every role and needs none. Separate roles
// share their state through PostgreSQL and Redis, so both are required; RabbitMQ stays optional.

import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import type { Role } from './providers/simulator-stand-in.ts';

export function assertShared({ storage }: Config, { role }: { role: Role }): void {
  if (role === 'serve') return;
  const missing = [
    ...(storage.databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(storage.redisUrl === undefined ? ['REDIS_URL'] : []),
  ];
  if (missing.length === 0) return;
  throw new ConfigError(
    `A separate ${role} shares its state with other processes, but ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set; set DATABASE_URL and REDIS_URL, or run \`spillway serve\`, which runs every role in one process.`,
  );
}
