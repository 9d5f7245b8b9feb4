// The public entry `spillway/errors`: maps a provider failure to a code, renders a code as a sentence, and
// shapes the answer for each wire format. No Node API and no I/O: it runs in a browser.

export {
  ERROR_CODES,
  ERROR_TABLE,
  type ErrorCode,
  type ErrorParams,
  type ErrorRow,
  isErrorCode,
  REQUEST_PROBLEMS,
  type RequestProblem,
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
export { MARKERS, type Marker, type MarkerCase, type NativeFormat } from './markers.ts';
export {
  type AnswerContext,
  type PublicAnswer,
  type PublicError,
  toPublicAnswer,
} from './public-answer.ts';
export { overrideProblem, type RenderOptions, renderError } from './render-error.ts';
export { SpillwayError, type SpillwayErrorOptions, toSpillwayError } from './spillway-error.ts';
export {
  type EventOptions,
  errorBody,
  errorEvent,
  type WireFormat,
  wireStatus,
} from './wire-shape.ts';
