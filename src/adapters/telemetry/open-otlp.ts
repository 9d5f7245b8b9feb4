// Opens the export of metrics and traces over OTLP/HTTP. Loaded only where an endpoint is configured. OpenTelemetry's packages
// read further standard variables themselves, such as OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_TIMEOUT.

import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Tracer } from '../../kernel/telemetry/tracer.ts';
import { startOtlpMetrics } from './otlp-metrics.ts';
import { createOtlpTracer } from './otlp-tracer.ts';

export type OtlpOptions = {
  /** The base URL of the collector; the paths of the signals are added. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly serverId: string;
  readonly version: string;
  readonly sampleRatio: number;
  readonly metricsIntervalMs: number;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
};

export type Otlp = { readonly tracer: Tracer; close(): Promise<void> };

export function openOtlp(options: OtlpOptions): Otlp {
  const { serviceName, serverId, version, metrics, clock } = options;
  const base = options.endpoint.replace(/\/+$/, '');
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': serverId,
  });
  const shared = { resource, version };
  const tracer = createOtlpTracer({
    ...shared,
    url: `${base}/v1/traces`,
    sampleRatio: options.sampleRatio,
  });
  const exporting = startOtlpMetrics({
    ...shared,
    url: `${base}/v1/metrics`,
    intervalMs: options.metricsIntervalMs,
    metrics,
    clock,
  });
  return {
    tracer,
    async close() {
      await Promise.all([tracer.close(), exporting.close()]);
    },
  };
}
