// Configuration of the installation under test. Time limits are seconds instead of minutes, so that a dead process's
// leases expire within the row; everything else is as operators have it.

import type { Dose } from '../faults/dose.ts';

/** No secrets: they open an installation on loopback that lives for the length of a row. */
export const CALLER_KEY = 'chaos-caller-key-not-secret-0123456789';
export const ADMIN_KEY = 'chaos-admin-key-not-secret-0123456789';
export const ORGANIZATION = 'default';

export const MODEL = 'claude-sonnet-4-5';
/** Marks jobs that the provider must distinguish. */
export const KILLER_MODEL = 'claude-haiku-4-5';
/** Tokens of every answer and the maximum of every request: a call's worst case is its cost. */
export const OUTPUT_TOKENS = 16;
/** Input is free and output is 10 dollars a million. */
export const CALL_NANOS = OUTPUT_TOKENS * 10_000;

export type QueueNames = {
  readonly raw: string;
  readonly results: string;
  readonly deadLetters: string;
};

export type Addresses = {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly rabbitmqUrl: string;
  readonly providerUrl: string;
};

export function queueNames(row: string): QueueNames {
  return { raw: `${row}-raw`, results: `${row}-results`, deadLetters: `${row}-dlq` };
}

export function installationEnvironment(
  row: string,
  addresses: Addresses,
  { perWindow, workerConcurrency }: Dose,
): Record<string, string> {
  const names = queueNames(row);
  return {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DATABASE_URL: addresses.databaseUrl,
    REDIS_URL: addresses.redisUrl,
    RABBITMQ_URL: addresses.rabbitmqUrl,
    REDIS_KEY_PREFIX: `${row}:`,
    // Provider-limit keys have no prefix; each row uses its own region.
    SERVER_REGION: row,
    RAW_ANALYSIS_QUEUE: names.raw,
    RESULTS_QUEUE: names.results,
    DLQ_QUEUE: names.deadLetters,
    ANTHROPIC_QUEUE: `${row}-anthropic`,
    MIGRATE_ON_START: 'true',
    SPILLWAY_ADMIN_KEY: ADMIN_KEY,
    SPILLWAY_API_KEY: CALLER_KEY,
    ANTHROPIC_API_KEY: 'chaos-provider-key',
    ANTHROPIC_BASE_URL: addresses.providerUrl,
    ANTHROPIC_RATE_LIMIT: String(perWindow),
    PROVIDER_FIXED: 'anthropic',
    WORKER_CONCURRENCY: String(workerConcurrency),
  };
}

const CALL_MS = 15_000;

export function configurationFile({ windowMs, limitGuardMs }: Dose): string {
  return JSON.stringify({
    providers: { anthropic: { windowMs, limitGuardMs, defaultModel: MODEL } },
    jobs: { leaseMs: 5_000 },
    timeouts: {
      totalMs: CALL_MS,
      firstContentMs: CALL_MS,
      reasoningFirstContentMs: CALL_MS,
      idleMs: CALL_MS,
      reasoningIdleMs: CALL_MS,
      unaryMs: CALL_MS,
      streamLeaseMs: CALL_MS,
      holdStatusMs: CALL_MS,
    },
    budgets: { holdMarginMs: 2_000, reserveMs: 4_000 },
    prices: {
      models: {
        [MODEL]: { inputUsd: 0, outputUsd: 10 },
        [KILLER_MODEL]: { inputUsd: 0, outputUsd: 10 },
      },
    },
    // Short like the other time limits, so that an open circuit is probed within the row.
    breaker: { openMs: 3_000 },
  });
}
