// The rows of named records in the file: providers and their accounts, aliases, models. They work like the rows of
// settings.ts; `{PROVIDER}` in a variable is the provider's name in capitals, with `_` for `-`.

import { OPENAI_ENDPOINTS, PROVIDER_FORMATS } from '../../kernel/provider-format.ts';
import { TIERS } from '../providers/account-tiers.ts';
import { boolean, choice, headerSecret, integer, name, text } from './kind.ts';
import { list, weights } from './kind-list.ts';
import { duration } from './kind-unit.ts';
import { publicUrl } from './kind-url.ts';
import type { Rows } from './setting.ts';
import { FILE_ONLY, optional, setting } from './setting.ts';
import { queueName } from './settings.ts';

export const ALIAS_STRATEGIES = ['ordered', 'round-robin', 'least-loaded'] as const;
export const TRANSLATE_MODES = ['strict', 'lenient'] as const;

export const providerName = text(
  /^[a-z][a-z0-9-]{0,31}$/,
  'a name of at most 32 lower-case letters, digits and dashes',
);
/** An alias may look like `provider/model`; it hides the model of that name. */
export const aliasName = text(
  /^[^\s/]\S{0,127}(?<!\/)$/,
  'a name of at most 128 characters without spaces, not beginning or ending with a slash',
);
export const modelName = text(/^\S{1,256}$/, 'the name of a model, without spaces');
const variableName = text(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');
const target = text(/^[a-z][a-z0-9-]*\/\S+$/, 'provider/model');

const LIMIT_ROWS = {
  region: optional(FILE_ONLY, name, 'SERVER_REGION', 'The region of its limits and circuits.'),
  tier: optional(
    FILE_ONLY,
    choice(TIERS),
    'no tier',
    "The account's tier, for limits that are not set.",
  ),
  tokensPerMinute: optional(FILE_ONLY, integer(1), "the tier's", 'Tokens per minute.'),
  tokensPerDay: optional(FILE_ONLY, integer(1), "the tier's", 'Tokens per day.'),
} as const satisfies Rows;

export const PROVIDER_ROWS = {
  apiKey: optional(
    '{PROVIDER}_API_KEY',
    headerSecret(),
    'requests for this provider are refused',
    'The key. Any text for a provider without keys.',
  ),
  apiKeyVariable: optional(
    FILE_ONLY,
    variableName,
    '{PROVIDER}_API_KEY',
    'The variable with the key, if it has another name.',
  ),
  baseUrl: optional(
    '{PROVIDER}_BASE_URL',
    publicUrl(),
    "the provider's own; required for a provider that is not built in",
    "The base URL in the spelling of the SDKs: OpenAI's ends in /v1, the others are the origin.",
  ),
  requestsPerMinute: optional(
    '{PROVIDER}_RATE_LIMIT',
    integer(1),
    "the tier's, else 1000",
    'Requests per minute and account.',
  ),
  queue: optional(
    '{PROVIDER}_QUEUE',
    queueName,
    '{provider}-analysis-queue',
    'The queue of its workers.',
  ),
  format: optional(
    FILE_ONLY,
    choice(PROVIDER_FORMATS),
    'openai',
    'The wire format; fixed for a built-in provider.',
  ),
  models: optional(
    FILE_ONLY,
    list(modelName),
    'only as provider/model',
    'Models that it serves without a provider prefix; * matches any text.',
  ),
  defaultModel: optional(
    FILE_ONLY,
    modelName,
    'none',
    'The model for a message that names a model of another provider.',
  ),
  translateTo: setting(
    FILE_ONLY,
    choice(OPENAI_ENDPOINTS),
    'chat',
    "The endpoint of a provider of OpenAI's format that translated requests call: `responses` keeps the thoughts of reasoning models over turns, but has no stop sequences, seed or penalties.",
  ),
  onlyEndpoint: optional(
    FILE_ONLY,
    choice(OPENAI_ENDPOINTS),
    'it has both',
    "The only endpoint of a provider of OpenAI's format; requests for the other endpoint are translated.",
  ),
  windowMs: setting(
    FILE_ONLY,
    duration(100, 3_600_000),
    60_000,
    'The window that "per minute" limits count in; for replays at other speeds.',
  ),
  limitGuardMs: setting(
    FILE_ONLY,
    duration(0, 60_000),
    250,
    'Added to the window, so that network jitter cannot exceed the limit at the provider.',
  ),
  ...LIMIT_ROWS,
} as const satisfies Rows;

export const ACCOUNT_ROWS = {
  name: optional(FILE_ONLY, name, 'required', 'The name of the account in logs and metrics.'),
  apiKey: optional(FILE_ONLY, headerSecret(), 'apiKeyVariable is required', 'The key.'),
  apiKeyVariable: optional(
    FILE_ONLY,
    variableName,
    'apiKey is required',
    'The variable with the key.',
  ),
  requestsPerMinute: optional(
    FILE_ONLY,
    integer(1),
    "the tier's, else the provider's",
    'Requests per minute.',
  ),
  ...LIMIT_ROWS,
} as const satisfies Rows;

export const ALIAS_ROWS = {
  strategy: setting(
    FILE_ONLY,
    choice(ALIAS_STRATEGIES),
    'ordered',
    'The strategy that chooses the first target; the others follow in order.',
  ),
  targets: optional(FILE_ONLY, list(target), 'required', 'The targets, each as provider/model.'),
  weights: optional(
    FILE_ONLY,
    weights(),
    'equal turns',
    'The shares of the targets under round-robin, such as { openai/gpt-5: 70, groq/llama: 30 }; a target without one only follows.',
  ),
  fallbacks: setting(
    FILE_ONLY,
    list(target),
    [],
    'Targets that follow after all others under every strategy, in order.',
  ),
  translate: setting(
    FILE_ONLY,
    choice(TRANSLATE_MODES),
    'strict',
    'A field without a counterpart at a target of another wire format: refused (strict), or dropped and reported in `x-spillway-dropped` (lenient).',
  ),
} as const satisfies Rows;

export const MODEL_ROWS = {
  maxOutputTokens: optional(
    FILE_ONLY,
    integer(1),
    'from the maintained list',
    'The most output tokens; the size of a reservation if the request states no maximum.',
  ),
  contextTokens: optional(
    FILE_ONLY,
    integer(1),
    'from the maintained list',
    'The size of its context window.',
  ),
  reasoning: optional(
    FILE_ONLY,
    boolean,
    'from the maintained list',
    'Whether it is a reasoning model, which gets the longer timeouts.',
  ),
} as const satisfies Rows;
