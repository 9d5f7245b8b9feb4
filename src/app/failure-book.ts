// The book of failed requests of this process, and what must never be read in it: every key this process knows.

import { createMemoryRequestRecords } from '../adapters/memory/request-records.ts';
import type { Config } from '../config/config.ts';
import { createRedactor } from '../errors/redact.ts';
import type { FailureBook } from '../flow/call/record-failure.ts';
import type { Identity } from './identity.ts';

export function openFailureBook(config: Config, { adminKey, apiKey }: Identity): FailureBook {
  const accounts = Object.values(config.providers).flatMap((provider) => provider.accounts);
  const secrets = [...accounts.map((account) => account.apiKey), adminKey, apiKey ?? ''];
  return { records: createMemoryRequestRecords(), redact: createRedactor(secrets) };
}
