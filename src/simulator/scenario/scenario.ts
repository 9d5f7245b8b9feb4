// The schema of a scenario. A scenario states its scope, its number of uses, the content and pace of the
// answer, and the fault. A preset is a named scenario that the other fields override. Invalid input is
// rejected with a message that names the field.

import { z } from 'zod';
import { InvalidInput } from '../invalid-input.ts';
import { OPERATIONS } from '../model-request.ts';
import type { JsonRecord } from '../read-json.ts';
import { asRecord, isRecord } from '../read-json.ts';
import { hashCredential } from '../truth/digest.ts';
import { ECHOES } from './echo.ts';
import { PRESETS } from './presets.ts';

/**
 * Faults that a provider reports itself, as an HTTP error or, with `afterChunks`, as an error event in the
 * stream.
 */
export const STATED_FAULTS = [
  'rate-limit',
  'usage-limit',
  'usage-limit-headers',
  'spend-limit',
  'credits-exhausted',
  'overloaded',
  'server-error',
  'timeout',
  'credentials-refused',
  'forbidden',
  'context-too-long',
  'content-policy',
  'invalid-request',
  'model-not-found',
  'too-large',
] as const;

/** Faults of the connection or the bytes, which no provider reports. */
export const RAW_FAULTS = [
  'hang',
  'hang-after-headers',
  'stall',
  'cut',
  'reset',
  'early-end',
  'malformed-json',
  'truncated-json',
  'empty-body',
  'html-page',
  'wrong-content-type',
] as const;

export type StatedFault = (typeof STATED_FAULTS)[number];
export type RawFault = (typeof RAW_FAULTS)[number];

export function isRawFault(fault: string): fault is RawFault {
  return RAW_FAULTS.some((raw) => raw === fault);
}

const whole = z.int().min(0);
const delayMs = z.number().min(0).max(86_400_000);
const chance = z.number().min(0).max(1);
/** Characters that cannot break out of a header. */
const headerValue = z.string().regex(/^[\x20-\x7e]{1,4096}$/, 'must be printable ASCII');
const status = z.int().min(200).max(599);

const usageSchema = z.strictObject({
  inputTokens: whole.optional(),
  outputTokens: whole.optional(),
  cacheReadTokens: whole.optional(),
  cacheWriteTokens: whole.optional(),
  cacheWrite1hTokens: whole.optional(),
  thinkingTokens: whole.optional(),
  /** Parts of the input and the output. */
  audioInputTokens: whole.optional(),
  imageInputTokens: whole.optional(),
  audioOutputTokens: whole.optional(),
  imageOutputTokens: whole.optional(),
  webSearches: whole.optional(),
  fileSearches: whole.optional(),
  serviceTier: z.string().optional(),
  speed: z.string().optional(),
});

const rateLimitSchema = z
  .strictObject({
    requestsPerMinute: z.int().min(1).optional(),
    tokensPerMinute: z.int().min(1).optional(),
    windowMs: z.int().min(1).max(86_400_000).default(60_000),
  })
  .refine((limit) => limit.requestsPerMinute ?? limit.tokensPerMinute, {
    message: 'needs requestsPerMinute or tokensPerMinute',
  })
  .meta({ anyOf: [{ required: ['requestsPerMinute'] }, { required: ['tokensPerMinute'] }] });

/** The behaviour for one request. */
const behaviour = {
  preset: z.enum(Object.keys(PRESETS)).optional(),
  times: z.int().min(1).optional(),
  probability: chance.optional(),
  errorRates: z
    .record(z.string().regex(/^[45][0-9][0-9]$/, 'must be a status from 400 to 599'), chance)
    .optional(),
  // Answer.
  latencyMs: delayMs.optional(),
  jitterMs: delayMs.optional(),
  tokensPerSecond: z.number().positive().optional(),
  chunkDelayMs: delayMs.optional(),
  chunks: z.int().min(1).max(100_000).optional(),
  chunkBytes: z.int().min(1).max(1_048_576).optional(),
  outputTokens: z.int().min(1).max(4_000_000).optional(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  toolCall: z.union([z.boolean(), z.string()]).optional(),
  stopReason: z.enum(['end', 'max_tokens', 'stop_sequence', 'refusal']).optional(),
  usage: usageSchema.optional(),
  headers: z.record(z.string().regex(/^[a-zA-Z0-9-]+$/), headerValue).optional(),
  rateLimit: rateLimitSchema.optional(),
  // Failure.
  fault: z.enum([...STATED_FAULTS, ...RAW_FAULTS, 'none']).optional(),
  status: status.optional(),
  message: z.string().optional(),
  echo: z.enum(ECHOES).optional(),
  secret: headerValue.optional(),
  afterChunks: whole.optional(),
  retryAfterMs: delayMs.optional(),
  resetAt: whole.optional(),
  resetInSeconds: z.number().min(0).max(31_536_000).optional(),
  pauseMs: delayMs.optional(),
  keepAliveMs: z.number().min(1).optional(),
  page: z.enum(['nginx', 'cloudflare']).optional(),
};

const scenarioSchema = z.strictObject({
  // Scope; without any of these, all requests.
  provider: z.string().optional(),
  model: z.string().optional(),
  key: z.string().min(1).optional(),
  keyHash: z.string().optional(),
  operation: z.enum(OPERATIONS).optional(),
  ...behaviour,
  // Steps in order, each with its own `times` (default 1).
  sequence: z.array(z.strictObject(behaviour)).min(1).max(1_000).optional(),
  repeat: z.boolean().optional(),
  seed: z.int().optional(),
});

export type Scenario = z.infer<typeof scenarioSchema>;
export type RateLimit = z.infer<typeof rateLimitSchema>;

/** One scenario, or a list that replaces all. */
export const scenarioBody = z.union([scenarioSchema, z.array(scenarioSchema)]);

/** Validates a scenario, applies its preset and replaces its key with a hash. */
export function parseScenario(input: unknown): Scenario {
  const parsed = scenarioSchema.safeParse(expandPresets(input));
  if (!parsed.success) throw refusal(parsed.error);
  return hideKey(parsed.data);
}

/** The value of the per-request header: a preset name, or a scenario as JSON. */
export function parseScenarioHeader(value: string): Scenario {
  const text = value.trim();
  const scenario = parseScenario(text.startsWith('{') ? parseJson(text) : { preset: text });
  if (scenario.sequence || scenario.times)
    throw new InvalidInput(
      'A scenario in a header applies to one request: it takes no times and no sequence.',
    );
  return scenario;
}

/** Presets are expanded before validation, so that a preset and its overrides are checked together. */
function expandPresets(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const { count, ...rest } = input;
  const times = count === undefined ? {} : { times: count };
  const steps = Array.isArray(input.sequence)
    ? { sequence: input.sequence.map(expandPresets) }
    : {};
  return { ...presetOf(input.preset), ...times, ...rest, ...steps };
}

function presetOf(name: unknown): JsonRecord {
  if (typeof name !== 'string') return {};
  if (!Object.hasOwn(PRESETS, name))
    throw new InvalidInput(
      `There is no preset "${name}". The presets are: ${Object.keys(PRESETS).join(', ')}.`,
    );
  return asRecord(asRecord(asRecord(PRESETS)[name]).scenario);
}

function hideKey(scenario: Scenario): Scenario {
  const { key, ...rest } = scenario;
  return key === undefined ? rest : { ...rest, keyHash: hashCredential(key) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput('The scenario is not valid JSON.');
  }
}

function refusal(error: z.ZodError): InvalidInput {
  const sentences = error.issues.slice(0, 5).map((issue) => {
    const where = issue.path.map(String).join('.') || 'the whole';
    return `${where}: ${issue.message}`;
  });
  return new InvalidInput(`The scenario is not valid. ${sentences.join('; ')}.`);
}
