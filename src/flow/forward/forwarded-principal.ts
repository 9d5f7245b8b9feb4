// The principal of a forwarded request as text. The origin has authenticated the caller; the serving server trusts the signature
// and looks nothing up, so that forwarding works while the store is unavailable. The organisation's own sentences stay at
// the origin, which renders failures.

import { z } from 'zod';
import { KEY_SCOPES } from '../../admission/key-scope.ts';
import type { Principal } from '../../admission/principal.ts';

const amount = z.number().optional();

const Encoded = z.object({
  organizationId: z.string(),
  keyId: z.string(),
  scopes: z.array(z.enum(KEY_SCOPES)),
  diagnostics: z.boolean(),
  locale: z.string().optional(),
  timeZone: z.string(),
  allowPromptPreview: z.boolean(),
  expiresAt: amount,
  requestsPerMinute: amount,
  tokensPerMinute: amount,
  tokensPerDay: amount,
  maxConcurrent: amount,
  monthlyBudgetNanos: z.number(),
  userMonthlyBudgetNanos: amount,
  keyRequestsPerMinute: amount,
  keyMonthlyBudgetNanos: amount,
  models: z.array(z.string()).optional(),
});

export function encodePrincipal(principal: Principal): string {
  const { messages: _messages, allowStale: _allowStale, scopes, models, ...rest } = principal;
  const fields = { ...rest, scopes: [...scopes], models: models && [...models] };
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** Undefined for a text that no server of this version has written. */
export function decodePrincipal(text: string): Principal | undefined {
  const parsed = Encoded.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) return undefined;
  const { scopes, models, ...rest } = parsed.data;
  return Object.freeze({
    ...ABSENT,
    ...rest,
    scopes: new Set(scopes),
    models: models && new Set(models),
    messages: {},
    allowStale: false,
  });
}

const ABSENT = {
  locale: undefined,
  expiresAt: undefined,
  requestsPerMinute: undefined,
  tokensPerMinute: undefined,
  tokensPerDay: undefined,
  maxConcurrent: undefined,
  userMonthlyBudgetNanos: undefined,
  keyRequestsPerMinute: undefined,
  keyMonthlyBudgetNanos: undefined,
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
