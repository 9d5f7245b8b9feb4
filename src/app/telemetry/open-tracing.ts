// Opens the export of metrics and traces where OTEL_EXPORTER_OTLP_ENDPOINT is set. Without it OpenTelemetry's packages are not
// loaded and there is no tracer.

import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Tracer } from '../../kernel/telemetry/tracer.ts';
import { VERSION } from '../../kernel/version.ts';

export type TracingContext = {
  readonly serverId: string;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
};

export async function openTracing(
  config: Config,
  { serverId, metrics, clock, lifecycle }: TracingContext,
): Promise<Tracer | undefined> {
  const { otlpEndpoint, serviceName, traceSampleRatio, metricsIntervalMs } = config.telemetry;
  if (otlpEndpoint === undefined) return undefined;
  const { openOtlp } = await import('../../adapters/telemetry/open-otlp.ts');
  const otlp = openOtlp({
    endpoint: otlpEndpoint,
    serviceName,
    serverId,
    version: VERSION,
    sampleRatio: traceSampleRatio,
    metricsIntervalMs,
    metrics,
    clock,
  });
  lifecycle.onClose('telemetry export', () => otlp.close());
  return otlp.tracer;
}
