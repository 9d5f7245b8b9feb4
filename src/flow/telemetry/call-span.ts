// The span of a request at an AI endpoint.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../admission/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Span, Tracer } from '../../kernel/telemetry/tracer.ts';
import type { NativeRoute } from '../../upstream/native-route.ts';
import { readLabel } from '../serve/native-request.ts';

export type CallSpanTerms = {
  readonly requestId: string;
  /** `clock.monotonic()` at the first byte of the request. */
  readonly startedAtMs: number;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
};

export function startCallSpan(
  tracer: Tracer,
  { endpoint }: Pick<NativeRoute, 'endpoint'>,
  headers: IncomingHttpHeaders,
  { organizationId }: Pick<Principal, 'organizationId'>,
  { requestId, startedAtMs, clock }: CallSpanTerms,
): Span {
  return tracer.start(`POST ${endpoint}`, {
    kind: 'server',
    parent: readLabel(headers['traceparent']),
    startedAt: clock.now() - (clock.monotonic() - startedAtMs),
    attributes: {
      'http.request.method': 'POST',
      'http.route': endpoint,
      'spillway.request.id': requestId,
      'spillway.organization.id': organizationId,
    },
  });
}
