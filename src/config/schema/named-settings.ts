// Rows of what has names in the file: providers and their accounts, aliases, models. They work as the rows of
// settings.ts do; `{PROVIDER}` in a variable is the provider's name in capitals, with `_` for `-`.

import { PROVIDER_FORMATS } from '../../kernel/provider-format.ts';
import { TIERS } from '../providers/built-in-providers.ts';
import { boolean, choice, headerSecret, integer, name, text } from './kind.ts';
import { list } from './kind-list.ts';
import { duration } from './kind-unit.ts';
import { publicUrl } from './kind-url.ts';
import type { Rows } from './setting.ts';
import { FILE_ONLY, optional, setting } from './setting.ts';
import { queueName } from './settings.ts';

export const ALIAS_STRATEGIES = ['ordered', 'round-robin', 'least-loaded'] as const;

export const providerName = text(
  /^[a-z][a-z0-9-]{0,31}$/,
  'a name of at most 32 lower-case letters, digits and dashes',
);
export const aliasName = text(/^[^\s/]{1,128}$/, 'a name without spaces or slashes');
export const modelName = text(/^\S{1,256}$/, 'the name of a model, without spaces');
const variableName = text(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');
const target = text(/^[a-z][a-z0-9-]*\/\S+$/, 'provider/model');

const LIMIT_ROWS = {
  region: optional(
    FILE_ONLY,
    name,
    'SERVER_REGION',
    'The region that limits and breakers count in.',
  ),
  tier: optional(FILE_ONLY, choice(TIERS), 'no tier', "The account's tier, for limits not given."),
  tokensPerMinute: optional(FILE_ONLY, integer(1), "the tier's", 'Tokens per minute.'),
  tokensPerDay: optional(FILE_ONLY, integer(1), "the tier's", 'Tokens per day.'),
} as const satisfies Rows;

export const PROVIDER_ROWS = {
  apiKey: optional(
    '{PROVIDER}_API_KEY',
    headerSecret,
    'requests for this provider are refused',
    'The key. A server that needs none is given any text.',
  ),
  apiKeyVariable: optional(
    FILE_ONLY,
    variableName,
    '{PROVIDER}_API_KEY',
    'The variable that holds the key, where it is called otherwise.',
  ),
  baseUrl: optional(
    '{PROVIDER}_BASE_URL',
    publicUrl(),
    "the provider's own; required for a provider that is not built in",
    "The address, spelt as SDKs do: OpenAI's ends in /v1, the others are the bare origin.",
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
    'The wire format; that of a built-in provider is fixed.',
  ),
  models: optional(
    FILE_ONLY,
    list(modelName),
    'only as provider/model',
    'Models that belong to it without its name in front; * stands for any text.',
  ),
  defaultModel: optional(
    FILE_ONLY,
    modelName,
    'none',
    "The model for a message whose own is not this provider's.",
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
    'How much longer the window is kept, so that jitter on the way cannot break it.',
  ),
  ...LIMIT_ROWS,
} as const satisfies Rows;

export const ACCOUNT_ROWS = {
  name: optional(FILE_ONLY, name, 'required', 'The name of the account in logs and metrics.'),
  apiKey: optional(FILE_ONLY, headerSecret, 'apiKeyVariable is required', 'The key.'),
  apiKeyVariable: optional(
    FILE_ONLY,
    variableName,
    'apiKey is required',
    'The variable that holds the key.',
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
    'How the first target is chosen; the others follow in order.',
  ),
  targets: optional(FILE_ONLY, list(target), 'required', 'The targets, each as provider/model.'),
} as const satisfies Rows;

export const MODEL_ROWS = {
  maxOutputTokens: optional(
    FILE_ONLY,
    integer(1),
    'as known of the model',
    'The most tokens of an answer; what a budget holds when a request states no maximum.',
  ),
  contextTokens: optional(
    FILE_ONLY,
    integer(1),
    'as known of the model',
    'The size of its context window.',
  ),
  reasoning: optional(
    FILE_ONLY,
    boolean,
    'as known of the model',
    'Whether it thinks before it answers and is given the longer clocks.',
  ),
} as const satisfies Rows;
