// The closed list of public error codes. HTTP status, default retryability, allowed parameters and suggested
// actions are defined in this table only; a test keeps docs/errors.md equal to it. Code under src/errors runs
// in browsers and uses no Node API.

/** The row of a code in `ERROR_TABLE`. */
export type ErrorRow = {
  readonly status: number;
  /**
   * Whether an automatic repeat of the same request can succeed. The code that raises the error may override
   * it.
   */
  readonly retryable: boolean;
  /** The only parameters that a public answer with this code may carry. */
  readonly params: readonly (keyof ErrorParams)[];
  /** The caller's options, best first. `queue` is offered only if a queue is configured. */
  readonly actions: readonly SuggestedAction[];
  readonly when: string;
};

export const SUGGESTED_ACTIONS = [
  'wait',
  'queue',
  'contact_support',
  'rephrase',
  'split',
  'upgrade',
] as const;

/** An option of the caller after a failure. */
export type SuggestedAction = (typeof SUGGESTED_ACTIONS)[number];

/** Status, retryability, parameters and suggested actions of every code. */
export const ERROR_TABLE = {
  AI_LIMIT_REACHED: {
    status: 429,
    retryable: false,
    params: ['resetTime', 'reason'],
    actions: ['wait', 'queue'],
    when: 'provider usage or plan exhausted until a reset',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    params: ['scope', 'retryAfterMs'],
    actions: ['wait', 'queue'],
    when: 'short throttle; `scope`: `organization`, `system`, `provider`',
  },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    retryable: true,
    params: ['reason', 'retryAfterMs'],
    actions: ['wait', 'queue'],
    when: '`reason`: `overloaded`, `error`, `circuit_open`',
  },
  NETWORK_TIMEOUT: {
    status: 504,
    retryable: true,
    params: ['phase'],
    actions: ['wait', 'split'],
    when: '`phase`: `connect`, `first_content`, `idle`, `total`, `lost`',
  },
  AUTH_FAILED: {
    status: 502,
    retryable: false,
    params: [],
    actions: ['contact_support'],
    when: "our credentials at the provider are refused: an operator's problem",
  },
  BUDGET_EXCEEDED: {
    status: 402,
    retryable: false,
    params: ['resetTime', 'spent', 'limit', 'remaining', 'reserved'],
    actions: ['upgrade', 'contact_support'],
    when: "the organisation's money is used up",
  },
  CONTENT_POLICY: {
    status: 400,
    retryable: false,
    params: [],
    actions: ['rephrase'],
    when: 'provider refused the content',
  },
  INVALID_REQUEST: {
    status: 400,
    retryable: false,
    params: ['field', 'problem', 'model', 'endpoint', 'line', 'column', 'path', 'method', 'allow'],
    actions: ['rephrase'],
    when: 'malformed, unknown model or parameter',
  },
  CONTEXT_TOO_LONG: {
    status: 400,
    retryable: false,
    params: [],
    actions: ['split'],
    when: "does not fit the model's window",
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    retryable: false,
    params: ['limit'],
    actions: ['split'],
    when: 'body too large, or one request larger than the whole limit',
  },
  UNAUTHORIZED: {
    status: 401,
    retryable: false,
    params: [],
    actions: [],
    when: "the caller's own key is missing or unknown",
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    params: [],
    actions: ['contact_support'],
    when: "the caller's own key may not do this",
  },
  NOT_FOUND: {
    status: 404,
    retryable: false,
    params: ['path'],
    actions: [],
    when: 'unknown thing',
  },
  CONFLICT: {
    status: 409,
    retryable: true,
    params: ['conflict'],
    actions: ['wait'],
    when: 'idempotency key in use; organisation id taken or not deletable',
  },
  UNPROCESSABLE: {
    status: 422,
    retryable: false,
    params: [],
    actions: [],
    when: 'same idempotency key, other payload',
  },
  CAPACITY_EXHAUSTED: {
    status: 503,
    retryable: true,
    params: ['retryAfterMs'],
    actions: ['wait', 'queue'],
    when: 'a limit of this gateway is reached, or its store is unavailable',
  },
  LOOP_DETECTED: {
    status: 508,
    retryable: false,
    params: [],
    actions: ['contact_support'],
    when: 'a request came back to a server it had passed',
  },
  INTERNAL: {
    status: 500,
    retryable: false,
    params: [],
    actions: ['contact_support'],
    when: 'everything else',
  },
} as const satisfies Record<string, ErrorRow>;

/** A public error code. */
export type ErrorCode = keyof typeof ERROR_TABLE;

/** All public error codes. */
export const ERROR_CODES = Object.keys(ERROR_TABLE) as readonly ErrorCode[];

/** Whether a value is a public error code. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_TABLE, code);
}

/** The parameters of a code, each with an allow-listed type; no text of a provider is among them. */
export type ErrorParams = {
  readonly resetTime?: number;
  readonly scope?: 'organization' | 'system' | 'provider';
  readonly retryAfterMs?: number;
  /** `credit`: prepaid money at the provider is used up; waiting does not help. */
  readonly reason?: 'overloaded' | 'error' | 'circuit_open' | 'credit';
  readonly phase?: 'connect' | 'first_content' | 'idle' | 'total' | 'lost';
  readonly spent?: number;
  readonly limit?: number;
  /** The unreserved part of the budget, and the reservation of the request, in USD. */
  readonly remaining?: number;
  readonly reserved?: number;
  readonly field?: string;
  readonly problem?: RequestProblem;
  /** The model as the caller named it. */
  readonly model?: string;
  /** The endpoint that serves a model of another format. */
  readonly endpoint?: string;
  /** Where the JSON text breaks, both counted from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The path of the request, without its query. */
  readonly path?: string;
  /** The method that the path does not accept, and the accepted methods. */
  readonly method?: string;
  readonly allow?: string;
  /** The state of an organisation that forbids an operator's request. */
  readonly conflict?: 'taken' | 'unfinished_jobs' | 'permanent';
};

/** A mistake in a request that the answer can state from the caller's own text alone. */
export const REQUEST_PROBLEMS = [
  'unknown_model',
  'unpriced_model',
  'other_format',
  'no_credential',
  'malformed_json',
  'empty_body',
  'unsupported_encoding',
  'malformed_encoding',
  'missing',
  'wrong_type',
  'duplicate_field',
  'not_supported',
  'unpriced_field',
  'stored_object',
  'too_long',
  'too_deep',
  'wrong_method',
  'no_websocket',
] as const;

/** What is wrong with a caller's request, the parameter `problem` of INVALID_REQUEST. */
export type RequestProblem = (typeof REQUEST_PROBLEMS)[number];

/** The meaning of a provider failure, without any text of the provider: the result of `mapProviderError`. */
export type Verdict = {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly resetAt?: number;
};
