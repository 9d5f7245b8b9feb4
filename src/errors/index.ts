// The public entry `spillway/errors`: any provider failure to one code, any code to one sentence, and the
// answer in every wire shape. No Node, no I/O: it runs in a browser.

export {
  ERROR_CODES,
  ERROR_TABLE,
  type ErrorCode,
  type ErrorParams,
  type ErrorRow,
  isErrorCode,
  type SuggestedAction,
  type Verdict,
} from './codes.ts';
export { LOCALES, type Locale, pickLocale, pickTimeZone, resolveLocale } from './locale.ts';
export {
  type ExplainedVerdict,
  explainProviderError,
  type FailureContext,
  mapProviderError,
} from './map-provider-error.ts';
export {
  type AnswerContext,
  type PublicAnswer,
  type PublicError,
  toPublicAnswer,
} from './public-answer.ts';
export { overrideProblem, type RenderOptions, renderError } from './render-error.ts';
export { SpillwayError, type SpillwayErrorOptions, toSpillwayError } from './spillway-error.ts';
export { type EventOptions, errorBody, errorEvent, type WireFormat } from './wire-shape.ts';
