// The submitted fields of a job: `POST /v1/jobs` and messages on the raw queue have the same. They come from outside
// and are parsed here; a wrong field gives INVALID_REQUEST with its name, and unknown fields are dropped.

import { z } from 'zod';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { isModelNameTooLong, MAX_MODEL_NAME_BYTES } from '../../kernel/model-name.ts';
import { PROVIDER_FORMATS } from '../../kernel/provider-format.ts';
import type { MessageSource } from '../ports/job-queue.ts';

export const DEFAULT_PRIORITY = 5;
const MAX_METADATA_CHARACTERS = 16_384;
const MAX_IMAGES = 100;

/**
 * PostgreSQL's text cannot contain NUL; other control characters do not belong in a name either. Half of a surrogate pair has
 * no place in a URL, such as the one of the job.
 */
function name(maxLength: number) {
  return z
    .string()
    .regex(new RegExp(`^[^\\u0000-\\u001f\\u007f]{1,${maxLength}}$`))
    .refine((text) => text.isWellFormed());
}

const modelName = name(MAX_MODEL_NAME_BYTES).refine((text) => !isModelNameTooLong(text));
const identity = z.union([name(200), z.int().transform(String)]);
const timestamp = z.union([
  z.int().nonnegative(),
  // The format says enough; generators cannot use the pattern.
  z.iso.datetime({ offset: true }).meta({ pattern: undefined }).transform(Date.parse),
]);
const image = z
  .string()
  .regex(/^([Hh][Tt][Tt][Pp][Ss]?:\/\/|[Dd][Aa][Tt][Aa]:[Ii][Mm][Aa][Gg][Ee]\/)/);
const metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => JSON.stringify(value).length <= MAX_METADATA_CHARACTERS);

/** The flags decide the form of the provider's answer; a provider may take `1` for true. */
const request = z.looseObject({
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
});

/** For /openapi.json: a pattern of most HTTP URLs. The parser accepts every HTTP URL. */
const URL_HINT = {
  format: undefined,
  pattern: '^https?://([a-z0-9]+[.])+[a-z]{2,20}(:[1-9][0-9]{0,3})?(/[!-~]*)?$',
};

export const jobMessageBody = z
  .object({
    AnalysisId: identity.nullish(),
    id: identity.nullish(),
    organizationId: name(128).nullish(),
    userId: identity.nullish(),
    provider: name(64).nullish(),
    model: modelName.nullish(),
    prompt: z.string().min(1).nullish(),
    images: z.array(image).max(MAX_IMAGES).nullish(),
    request: request.nullish(),
    format: z.enum(PROVIDER_FORMATS).nullish(),
    priority: z.int().min(0).max(9).nullish(),
    deadline: timestamp.nullish(),
    callbackUrl: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .meta(URL_HINT)
      .nullish(),
    metadata: metadata.nullish(),
  })
  .refine((message) => Boolean(message.prompt) || Boolean(message.request), { path: ['prompt'] })
  .meta({
    anyOf: [
      { required: ['prompt'], properties: { prompt: { type: 'string' } } },
      { required: ['request'], properties: { request: { type: 'object' } } },
    ],
  });

export type JobMessage = {
  readonly id?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly userId?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly prompt?: string | undefined;
  readonly images?: readonly string[] | undefined;
  /** A request body in a provider's format. */
  readonly request?: Readonly<Record<string, unknown>> | undefined;
  readonly format?: (typeof PROVIDER_FORMATS)[number] | undefined;
  readonly priority?: number | undefined;
  readonly deadline?: number | undefined;
  readonly callbackUrl?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly native?: NativeCall | undefined;
  /** Set by Spillway from the request, never parsed from the fields: the category of its usage records. */
  readonly category?: string | undefined;
  /** Set by Spillway for a foreign message: the message as it was delivered. */
  readonly source?: MessageSource | undefined;
  /** Set by Spillway beside the source: the fields that its body has under the same names. */
  readonly inBody?: readonly ('prompt' | 'images' | 'request' | 'metadata')[] | undefined;
};

/** Set by Spillway, never parsed from the fields: the endpoint of a request sent with `Prefer: respond-async`. */
export type NativeCall = {
  readonly operation: string;
  /** The headers that belong to the provider's format, such as its version. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Throws INVALID_REQUEST with the name of the first wrong field. */
export function parseJobMessage(value: unknown): JobMessage {
  const parsed = jobMessageBody.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const [field, flag] = issue?.path ?? [];
    const named = field === 'request' && flag !== undefined ? `request.${String(flag)}` : field;
    const params = typeof named === 'string' ? { field: named } : {};
    const message = `the job is malformed: ${issue?.message ?? 'unknown reason'}`;
    throw new SpillwayError('INVALID_REQUEST', message, { params });
  }
  const { AnalysisId, id, ...fields } = parsed.data;
  const model = fields.model ?? modelIn(fields.request);
  const present = Object.entries({ ...fields, model, id: AnalysisId ?? id }).filter(
    ([, field]) => field !== null && field !== undefined,
  );
  return Object.fromEntries(present);
}

/** Anthropic's and OpenAI's formats carry the model in the request body; Gemini's does not. */
function modelIn(request: JobMessage['request'] | null): string | undefined {
  return modelName.safeParse(request?.['model']).data;
}
