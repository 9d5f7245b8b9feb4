// Decides whether a limit applies to one model, so that the account's other models stay usable: by the name
// of the limit, by its dimensions, by known sentences, or by a sentence that names the model of the call. The default is
// the whole account. Called only for limits; every pattern is bounded, because the text may be hostile.

import type { Reading } from '../reading/reading.ts';

export function isModelBound(
  { windows, headers, text, isCountedByModel }: Reading,
  model?: string,
): boolean {
  return (
    isCountedByModel ||
    namesModel(text, model) ||
    windows.some((name) => MODEL_WINDOW.test(name)) ||
    MODEL_WINDOW.test(headers.get(CLAIM_HEADER) ?? '') ||
    SENTENCES.some((sentence) => sentence.test(text))
  );
}

/** The name as a word: `o1` is not in `proto1`. */
function namesModel(text: string, model = ''): boolean {
  const at = model === '' ? -1 : text.indexOf(model);
  if (at < 0) return false;
  const around = [text[at - 1], text[at + model.length]];
  return around.every((character = ' ') => !/[\w-]/.test(character));
}

const CLAIM_HEADER = 'anthropic-ratelimit-unified-representative-claim';

/** `GenerateRequestsPerDayPerProjectPerModel-FreeTier`, `…_per_project_per_base_model`, `seven_day_opus`. */
const MODEL_WINDOW = /per_?(?:base_?)?model|^seven_day_(?:opus|sonnet|haiku|fable)/i;

const SENTENCES: readonly RegExp[] = [
  // OpenAI and compatible providers: `Rate limit reached for gpt-4o in organization org-1 on tokens per day`.
  /\blimit reached for (?:model )?[`'"]?[a-z][\w.:/-]{1,80}[`'"]? (?:in (?:organization|project)|on (?:tokens|requests)) /i,
  // Google: `Quota exceeded for metric: …, limit: 50, model: gemini-2.5-pro`.
  /\bquota exceeded for (?:quota )?metric\b[^\n]{0,200}, model: ?[a-z]/i,
  // Claude plans: `Opus weekly limit reached`, `You've hit your Sonnet limit`, `weekly limit for Opus`.
  /\b(?:opus|sonnet|haiku|fable)(?: [\d.]{1,4})?(?: (?:weekly|daily|monthly|usage|5-hour|7-day)){0,2} limit\b/i,
  /\b(?:weekly|daily|monthly|usage) limit for (?:claude )?(?:opus|sonnet|haiku|fable)\b/i,
  // GitHub: `Rate limit of 50 per 86400s exceeded for UserByModelByDay`; Cerebras: `Tokens per day limit exceeded - too many tokens`.
  /\bUser(?:Concurrent)?ByModelBy/,
  /\bper (?:hour|day) limit exceeded - too many\b/i,
  // OpenRouter's free models, which an account without credits may use; a failure of the vendor behind one of its models.
  /\bnever purchased credits\b/i,
  /\bfree-models-per-/,
  /\bprovider returned (?:an )?error\b/i,
  // Google's subscriptions: `You have exhausted your capacity on this model`; Alibaba: `The free tier of the model has been exhausted`.
  /\bexhausted your capacity on this model\b/i,
  /\bfree (?:tier|quota) of (?:the|this) model\b/i,
  // Bedrock counts the tokens of a day by model.
  /\btoo many tokens per day\b/i,
  // Azure counts by deployment; Google offers a model to paying projects only.
  /\bexceeded (?:the )?(?:token|call) rate limit of your current\b/i,
  /\bdoesn['’]t have a free quota tier\b/i,
  /\bper[- ]model (?:daily |weekly |monthly |usage )?(?:limit|quota)\b/i,
];
