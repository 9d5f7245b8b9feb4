// The JSON views of keys. Only the response to the creation contains the key; no response contains its hash.

import { z } from 'zod';
import type { NewKey } from '../../admission/administer-keys.ts';
import { KEY_SCOPES } from '../../admission/key-scope.ts';
import type { StoredKey } from '../../admission/key-store.ts';
import { nanosToUsd, usdToNanos } from '../../kernel/money.ts';
import { moment, shownName, usdAmount } from './admin.ts';

const MAX_MODELS = 200;

/** A model, an alias, `provider/model`, or a pattern of them. */
const modelPattern = z.string().regex(/^[A-Za-z0-9_*][A-Za-z0-9_.:/@*-]{0,127}$/);

export const newKeyBody = z
  .strictObject({
    name: shownName,
    scopes: z
      .array(z.enum(KEY_SCOPES))
      .min(1)
      .max(KEY_SCOPES.length)
      .describe('Default: call, jobs and events'),
    expiresAt: moment.nullable(),
    diagnostics: z.boolean().describe('Adds the raw failure to error responses'),
    monthlyBudgetUsd: usdAmount.nullable(),
    requestsPerMinute: z.int().min(1).max(1_000_000).nullable(),
    models: z
      .array(modelPattern)
      .min(1)
      .max(MAX_MODELS)
      .nullable()
      .describe('The models this key may use, * matches any text; default: all'),
  })
  .partial();

export const keyView = z.object({
  id: z.string(),
  organizationId: z.string(),
  name: z.string(),
  prefix: z.string().describe('The first characters of the key'),
  scopes: z.array(z.enum(KEY_SCOPES)),
  diagnostics: z.boolean(),
  monthlyBudgetUsd: z.number().nullable(),
  requestsPerMinute: z.number().nullable(),
  models: z.array(z.string()).nullable(),
  expiresAt: moment.nullable(),
  revokedAt: moment.nullable(),
  createdAt: moment,
});

export const createdKeyView = keyView.extend({ key: z.string().describe('Shown once') });

export function toKeyView(key: StoredKey): z.infer<typeof keyView> {
  const { monthlyBudgetNanos, hash: _hash, ...fields } = key;
  return {
    ...fields,
    scopes: [...key.scopes],
    monthlyBudgetUsd: monthlyBudgetNanos === undefined ? null : nanosToUsd(monthlyBudgetNanos),
    requestsPerMinute: key.requestsPerMinute ?? null,
    models: key.models ? [...key.models] : null,
    expiresAt: key.expiresAt ?? null,
    revokedAt: key.revokedAt ?? null,
  };
}

export function toNewKey(body: z.infer<typeof newKeyBody>): NewKey {
  const { monthlyBudgetUsd, scopes, ...rest } = body;
  return {
    ...rest,
    ...(scopes ? { scopes: [...new Set(scopes)] } : {}),
    requestsPerMinute: body.requestsPerMinute ?? undefined,
    models: body.models ?? undefined,
    expiresAt: body.expiresAt ?? undefined,
    monthlyBudgetNanos:
      typeof monthlyBudgetUsd === 'number' ? usdToNanos(monthlyBudgetUsd) : undefined,
  };
}
