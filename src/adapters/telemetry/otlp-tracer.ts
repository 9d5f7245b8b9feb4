// The tracer on OpenTelemetry's SDK. Spans are exported in batches over OTLP/HTTP; while the collector is unavailable they are
// dropped beyond a bound, and no request notices. Sampling follows the parent's decision; a new trace is sampled by its ratio.

import {
  type Context,
  SpanKind as OtelSpanKind,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import {
  formatTraceParent,
  parseTraceParent,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanStart,
  type Tracer,
} from '../../kernel/telemetry/tracer.ts';

export type OtlpTracerOptions = {
  readonly url: string;
  readonly resource: Resource;
  readonly version: string;
  /** The sampled fraction of new traces. */
  readonly sampleRatio: number;
};

export type OtlpTracer = Tracer & { close(): Promise<void> };

const BATCH_MS = 2000;
/** Ids and names are shorter; nothing longer belongs in a trace. */
const MAX_VALUE_CHARACTERS = 256;

const KINDS: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
};

export function createOtlpTracer(options: OtlpTracerOptions): OtlpTracer {
  const { url, resource, version, sampleRatio } = options;
  const exporter = new OTLPTraceExporter({ url });
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARACTERS },
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: BATCH_MS })],
  });
  const tracer = provider.getTracer('spillway', version);
  return {
    start: (name, start) => startSpan(tracer, name, start),
    // A collector that is unavailable at the end costs the last spans, not the shutdown.
    close: () => provider.shutdown().catch(() => {}),
  };
}

function startSpan(tracer: OtelTracer, name: string, start: SpanStart): Span {
  const { kind, parent, startedAt, attributes = {} } = start;
  const span = tracer.startSpan(
    name,
    {
      kind: KINDS[kind],
      attributes: present(attributes),
      ...(startedAt === undefined ? {} : { startTime: startedAt }),
    },
    contextOf(parent),
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceParent: formatTraceParent({ traceId, spanId, isSampled }),
    set: (more) => void span.setAttributes(present(more)),
    end(failure) {
      if (!span.isRecording()) return;
      if (failure !== undefined) {
        span.setAttribute('error.type', failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function contextOf(parent: string | undefined): Context {
  const known = parseTraceParent(parent);
  if (!known) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = known;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function present(attributes: SpanAttributes): Record<string, string | number | boolean> {
  const given: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) given[name] = value;
  return given;
}
