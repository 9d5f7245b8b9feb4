// A collector of OTLP over HTTP with JSON, on loopback: it keeps the spans, the metrics and the raw bodies it receives.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const value = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((pairs) =>
    Object.fromEntries(pairs.map((pair) => [pair.key, Object.values(pair.value)[0]])),
  );
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes,
  status: z.object({ code: z.number().optional() }),
});
const resource = z.object({ attributes });
const traces = z.object({
  resourceSpans: z.array(
    z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
});
const metric = z.looseObject({ name: z.string(), unit: z.string() });
const metrics = z.object({
  resourceMetrics: z.array(
    z.object({ resource, scopeMetrics: z.array(z.object({ metrics: z.array(metric) })) }),
  ),
});

export type CollectedSpan = z.infer<typeof span> & { readonly server: unknown };
export type CollectedMetric = z.infer<typeof metric>;

export type OtlpCollector = {
  readonly url: string;
  readonly bodies: string[];
  readonly spans: CollectedSpan[];
  /** The last export of each metric. */
  readonly metrics: Map<string, CollectedMetric>;
  /** Resolves with the spans of a trace once they satisfy the claim. */
  trace(
    traceId: string,
    isComplete: (spans: readonly CollectedSpan[]) => boolean,
  ): Promise<readonly CollectedSpan[]>;
  close(): Promise<void>;
};

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const bodies: string[] = [];
  const spans: CollectedSpan[] = [];
  const known = new Map<string, CollectedMetric>();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      if (request.url === '/v1/traces') spans.push(...readSpans(body));
      for (const each of request.url === '/v1/metrics' ? readMetrics(body) : [])
        known.set(each.name, each);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    bodies,
    spans,
    metrics: known,
    trace(traceId, isComplete) {
      return new Promise((resolve) => {
        const check = () => {
          const own = spans.filter((each) => each.traceId === traceId);
          if (!isComplete(own)) return;
          waiting.delete(check);
          resolve(own);
        };
        waiting.add(check);
        check();
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readSpans(body: string): CollectedSpan[] {
  return traces
    .parse(JSON.parse(body))
    .resourceSpans.flatMap(({ resource: from, scopeSpans }) =>
      scopeSpans.flatMap((scope) =>
        scope.spans.map((each) => ({ ...each, server: from.attributes['service.instance.id'] })),
      ),
    );
}

function readMetrics(body: string): CollectedMetric[] {
  return metrics
    .parse(JSON.parse(body))
    .resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
}
