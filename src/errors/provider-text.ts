// Recognises provider failures in free text that a product shows to its users. Two contexts: in a text about a failure
// every recognised phrase counts, and so does a vendor's name; in any other text a phrase alone is not evidence
// ("Implementing rate limiting"): it counts together with a vendor's name, in the form of an error, or as a used-up plan. False
// positives are accepted: a harmless text may be replaced, a raw failure may not pass. Pure, linear.

import { explainProviderError } from './map-provider-error.ts';
import { isHtml } from './mapping/reading/html-page.ts';
import { createRedactor } from './redact.ts';

export function isProviderText(text: string, isAboutFailure: boolean): boolean {
  if (!isAboutFailure && !HINT.test(text)) return false;
  if (isErrorBody(text) || showsInternals(text)) return true;
  if (isAboutFailure && hideCredentials(text) !== text) return true;
  const namesVendor = VENDOR.test(text);
  // A model's name is the product's own choice and no failure.
  const isIdentifier = !/\s/.test(text.trim());
  if (isAboutFailure && namesVendor && !isIdentifier) return true;
  const { code, rule } = explainProviderError(text);
  if (UNRECOGNISED.has(rule)) return false;
  return isAboutFailure || namesVendor || code === 'AI_LIMIT_REACHED' || ERROR_FORM.test(text);
}

const hideCredentials = createRedactor([]);

/** Names that only AI providers and their gateways have. */
const VENDOR =
  /anthropic|claude|openai|chatgpt|\bgpt-?[3-9]|gemini|vertex ?ai|googleapis|bedrock|\bgroq\b|mistral|deepseek|openrouter|\bx\.?ai\b|\bgrok\b|together\.?ai|cohere|vllm|ollama/i;

/**
 * In a context that is not a failure, a text without a match is not a provider's. Most texts have none, and the search costs a
 * fraction of the mapping.
 */
const HINT = new RegExp(
  `${VENDOR.source}|limit|quota|credit|usage|billing|balance|plan|spen[dt]|[{<|]|error|exception|com\\.|requested entity|\\bat |file "|\\.(?:internal|intranet|corp|lan|svc|cluster)`,
  'i',
);

const UNRECOGNISED: ReadonlySet<string> = new Set(['nothing recognised', 'prose']);

/** A JSON object, alone or after a status (`429 {…`), or the class of an exception in front. */
const ERROR_FORM = /^(?:[^{=;]{0,60}\{\s{0,9}\\{0,3}["']|\s{0,9}[\w.]{0,60}(?:Error|Exception)\b)/;

/** Source code and pages that a product builds hold braces and tags too: the beginning of the text decides. */
function isErrorBody(text: string): boolean {
  const start = text.trimStart();
  return JSON_ERROR.test(start) || (isHtml(start) && ERROR_TITLE.test(start));
}

const JSON_ERROR =
  /^[^{=;]{0,60}\{\s{0,9}\\{0,3}["'](?:error|exception|fault|type\\{0,3}["']\s{0,9}:\s{0,9}\\{0,3}["']error)\\{0,3}["']/i;
const ERROR_TITLE =
  /<(?:title|h1)[^>]{0,40}>[^<]{0,80}(?:\b[45]\d\d\b|error|unavailable|gateway|denied|forbidden|blocked|timed? ?out|too many|attention required|just a moment)/i;

/** A stack frame, an internal host, a vendor's type, or the usage-limit sentence with its epoch. */
function showsInternals(text: string): boolean {
  if ([STACK_FRAME, VENDOR_TYPE, LIMIT_EPOCH].some((form) => form.test(text))) return true;
  return namesInternalHost(text);
}

const STACK_FRAME = /\bat [^\n]{1,200}:\d{1,6}:\d{1,6}\b|\bFile "[^"\n]{1,300}", line \d/;
/** With a digit or a dash in its name, or after a scheme: `config.internal` in source code is no host. */
function namesInternalHost(text: string): boolean {
  return [...text.matchAll(INTERNAL_HOST)].some(([, name = '']) => /[0-9-]|:\/\//.test(name));
}

const INTERNAL_HOST =
  /([a-z0-9:/.-]{1,80})\.(?:internal|intranet|corp|lan|svc|cluster\.local)(?![a-z0-9-])/gi;
const VENDOR_TYPE = /\bcom\.(?:amazon|google|microsoft)|requested entity was not found/i;
const LIMIT_EPOCH = /\|\d{10}/;
