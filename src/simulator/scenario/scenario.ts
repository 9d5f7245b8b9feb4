// What one can ask the simulator to do, as JSON: the one schema. A scenario says to whom it applies, how
// often, how the answer looks and paces, and which fault happens. A preset is a named start that the other
// fields are laid over. Wrong input is refused with a sentence that names the field.

import { z } from 'zod';
import { OPERATIONS } from '../ask.ts';
import type { JsonRecord } from '../read-json.ts';
import { asRecord, isRecord } from '../read-json.ts';
import { hashCredential } from '../truth/digest.ts';
import { WrongInput } from '../wrong-input.ts';
import { PRESETS } from './presets.ts';

/** Faults that a provider states itself, as an HTTP error or, with `afterChunks`, as a stream's error event. */
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

/** Faults of the connection or of the bytes, which nobody states. */
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
/** What may stand in a header without breaking out of it. */
const headerValue = z.string().regex(/^[\x20-\x7e]{1,4096}$/, 'must be printable ASCII');
const status = z.int().min(200).max(599);

const usageSchema = z.strictObject({
  inputTokens: whole.optional(),
  outputTokens: whole.optional(),
  cacheReadTokens: whole.optional(),
  cacheWriteTokens: whole.optional(),
  cacheWrite1hTokens: whole.optional(),
  thinkingTokens: whole.optional(),
});

const rateLimitSchema = z
  .strictObject({
    requestsPerMinute: z.int().min(1).optional(),
    tokensPerMinute: z.int().min(1).optional(),
    windowMs: z.int().min(1).max(86_400_000).default(60_000),
  })
  .refine((limit) => limit.requestsPerMinute ?? limit.tokensPerMinute, {
    message: 'needs requestsPerMinute or tokensPerMinute',
  });

/** What happens to a request. */
const behaviour = {
  preset: z.string().optional(),
  times: z.int().min(1).optional(),
  probability: chance.optional(),
  errorRates: z
    .record(z.string().regex(/^[45]\d\d$/, 'must be a status from 400 to 599'), chance)
    .optional(),
  // How it answers.
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
  // How it fails.
  fault: z.enum([...STATED_FAULTS, ...RAW_FAULTS, 'none']).optional(),
  status: status.optional(),
  message: z.string().optional(),
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
  // To whom; without any of these, to all.
  provider: z.string().optional(),
  model: z.string().optional(),
  key: z.string().min(1).optional(),
  keyHash: z.string().optional(),
  operation: z.enum(OPERATIONS).optional(),
  ...behaviour,
  // One after the other, each with its own `times` (1 unless told).
  sequence: z.array(z.strictObject(behaviour)).min(1).max(1_000).optional(),
  repeat: z.boolean().optional(),
  seed: z.int().optional(),
});

export type Scenario = z.infer<typeof scenarioSchema>;
export type RateLimit = z.infer<typeof rateLimitSchema>;

/** One scenario, checked, with its preset laid under it and its key replaced by a hash. */
export function parseScenario(input: unknown): Scenario {
  const parsed = scenarioSchema.safeParse(expandPresets(input));
  if (!parsed.success) throw refusal(parsed.error);
  return hideKey(parsed.data);
}

/** The value of the per-request header: the name of a preset, or a scenario as JSON. */
export function parseScenarioHeader(value: string): Scenario {
  const text = value.trim();
  const scenario = parseScenario(text.startsWith('{') ? parseJson(text) : { preset: text });
  if (scenario.sequence || scenario.times)
    throw new WrongInput(
      'A scenario in a header is for one request: it takes no times and no sequence.',
    );
  return scenario;
}

/** Presets are expanded before checking, so that a preset and its overrides are checked as one. */
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
    throw new WrongInput(
      `There is no preset "${name}". Known are: ${Object.keys(PRESETS).join(', ')}.`,
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
    throw new WrongInput('The scenario is not valid JSON.');
  }
}

function refusal(error: z.ZodError): WrongInput {
  const sentences = error.issues.slice(0, 5).map((issue) => {
    const where = issue.path.map(String).join('.') || 'the whole';
    return `${where}: ${issue.message}`;
  });
  return new WrongInput(`The scenario is not valid. ${sentences.join('; ')}.`);
}
