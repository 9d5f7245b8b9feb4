// The spans of a job: the receipt of a foreign message, its dispatch and each run. The job carries the `traceparent` of the
// request or message that submitted it, so that all of them belong to one trace, whichever server makes them.

import type { DispatchedJob } from '../../jobs/pipeline/dispatch-job.ts';
import type { JobRun } from '../../jobs/ports/job-runner.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Span, Tracer } from '../../kernel/telemetry/tracer.ts';

export function startReceiveTrace(
  tracer: Tracer,
): (queue: string, parent: string | undefined) => string {
  return (queue, parent) => {
    const attributes = { 'messaging.destination.name': queue };
    const span = tracer.start('job receive', { kind: 'consumer', parent, attributes });
    span.end();
    return span.traceParent;
  };
}

/** The dispatch has ended: its span covers the time since the delivery. */
export function recordDispatch(
  tracer: Tracer,
  { job, provider, delayMs, deliveredAt }: DispatchedJob,
  dispatcherId: string,
): void {
  const span = tracer.start('job dispatch', {
    kind: 'producer',
    parent: job.traceParent,
    startedAt: deliveredAt,
    attributes: {
      'spillway.job.id': job.id,
      'spillway.organization.id': job.organizationId,
      'spillway.dispatcher.id': dispatcherId,
      'gen_ai.provider.name': provider,
      'spillway.delay_ms': Math.round(delayMs),
    },
  });
  span.end();
}

export function startRunSpan(
  tracer: Tracer,
  clock: Pick<Clock, 'now'>,
  { job }: Pick<JobRun, 'job'>,
): Span {
  return tracer.start('job run', {
    kind: 'consumer',
    parent: job.traceParent,
    startedAt: clock.now(),
    attributes: {
      'spillway.job.id': job.id,
      'spillway.job.run': job.run,
      'spillway.organization.id': job.organizationId,
      'gen_ai.provider.name': job.provider,
      'gen_ai.request.model': job.model,
    },
  });
}
