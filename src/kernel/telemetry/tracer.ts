// The port to traces. A span names its parent by a W3C `traceparent`, the same text that travels in headers of requests and
// with jobs, so no context follows asynchronous work. Parts of the flow have `tracer?: Tracer`: without a
// tracer they record nothing, at the cost of one test. Attributes are names, ids and numbers: no prompt, no credential, no
// provider text.

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer';

export type SpanStart = {
  readonly kind: SpanKind;
  /** A `traceparent`; anything else starts a new trace. */
  readonly parent?: string | undefined;
  /** Epoch milliseconds; now by default. */
  readonly startedAt?: number | undefined;
  readonly attributes?: SpanAttributes;
};

export type Span = {
  /** The parent of spans within this one. */
  readonly traceParent: string;
  set(attributes: SpanAttributes): void;
  /** `failure` is an error code; absent for success. Idempotent. */
  end(failure?: string): void;
};

export type Tracer = { start(name: string, options: SpanStart): Span };

export type TraceContext = {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
};

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const ZEROS = /^0+$/;

/** Undefined for a text that is no `traceparent` by W3C Trace Context. */
export function parseTraceParent(text: unknown): TraceContext | undefined {
  const match = typeof text === 'string' && !text.startsWith('ff') ? TRACE_PARENT.exec(text) : null;
  const [, traceId = '', spanId = '', flags = ''] = match ?? [];
  if (!match || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceParent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
