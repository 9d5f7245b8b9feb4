// A gateway with dispatcher and workers on all engines, against one provider with a short-window limit. Queue names and
// key prefix belong to the run, so that runs do not share counts or messages.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../test/support/services/services.ts';
import type { Stage } from '../stage.ts';
import type { Subject } from '../subject.ts';

export type EngineUrls = Pick<Services, 'databaseUrl' | 'redisUrl' | 'rabbitmqUrl'>;

export type LimitedGatewayOptions = {
  readonly name: string;
  readonly services: EngineUrls;
  readonly upstreamPort: number;
  readonly perWindow: number;
  /** The provider's window in spillway.yaml. */
  readonly window: { readonly windowMs: number; readonly limitGuardMs?: number };
  readonly concurrency: number;
  readonly env?: Readonly<Record<string, string>>;
};

export function queuesOf(name: string) {
  return { raw: `${name}-raw`, results: `${name}-results`, deadLetters: `${name}-dlq` };
}

export function startLimitedGateway(
  stage: Stage,
  options: LimitedGatewayOptions,
): Promise<Subject> {
  const { name, services, window } = options;
  const { raw, results, deadLetters } = queuesOf(name);
  const env = {
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    RABBITMQ_URL: services.rabbitmqUrl,
    MIGRATE_ON_START: 'true',
    REDIS_KEY_PREFIX: `${name}:`,
    RAW_ANALYSIS_QUEUE: raw,
    RESULTS_QUEUE: results,
    DLQ_QUEUE: deadLetters,
    ANTHROPIC_QUEUE: `${name}-anthropic`,
    ANTHROPIC_RATE_LIMIT: String(options.perWindow),
    PROVIDER_FIXED: 'anthropic',
    WORKER_CONCURRENCY: String(options.concurrency),
    ...options.env,
  };
  return stage.startSubject(options.upstreamPort, env, async (folder) => {
    await mkdir(folder, { recursive: true });
    const file = { providers: { anthropic: window } };
    await writeFile(join(folder, 'spillway.yaml'), JSON.stringify(file));
  });
}
