// One replay of a trace: a gateway with dispatcher and workers on RabbitMQ, Redis and PostgreSQL, a provider that
// enforces its limit and keeps the truth log, and callers that submit the requests as jobs. It ends when all jobs have
// ended, or after twice the time they need; missing jobs are lost.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Call, type Provider, startProvider } from '../../chaos/installation/provider.ts';
import type { ChildProgram } from '../processes/child-program.ts';
import { type EngineUrls, queuesOf, startLimitedGateway } from '../processes/limited-gateway.ts';
import { ReplayReport } from '../programs/trace-order.ts';
import type { Stage } from '../stage.ts';
import type { Subject } from '../subject.ts';
import { durationMs, type RequestTrace } from './request-trace.ts';
import { traceJob } from './trace-job.ts';

export type ReplayPlan = {
  readonly trace: RequestTrace;
  /** Whether jobs are submitted over HTTP or as messages of another system on the raw queue. */
  readonly comesBy: 'http' | 'messages';
  readonly speed: number;
  readonly perWindow: number;
  readonly windowMs: number;
  /** By how much the gateway's window exceeds the provider's. */
  readonly limitGuardMs: number;
  /** The provider's answer time. */
  readonly latencyMs: number;
  readonly services: EngineUrls;
};

export type ReplayFinding = {
  /** The waits of requests that reached the provider: from their due time to their first arrival there. */
  readonly waits: readonly { readonly from: number; readonly to: number }[];
  readonly calls: readonly Call[];
  /** From due time to 202, for accepted requests. */
  readonly acknowledgedInMs: readonly number[];
  readonly succeeded: number;
};

const Endings = z.record(z.string(), z.number());
const IN_HAND = 64;
const POLL_MS = 500;
const PATIENCE_MS = 60_000;

export async function replayTrace(stage: Stage, plan: ReplayPlan): Promise<ReplayFinding> {
  const provider = await startProvider();
  stage.onClose(() => provider.close());
  await provider.play(limitedScenario(plan));
  const name = `trace-${randomUUID()}`;
  const { services, perWindow, windowMs, limitGuardMs } = plan;
  const gateway = await startLimitedGateway(stage, {
    name,
    services,
    upstreamPort: Number(new URL(provider.url).port),
    perWindow,
    window: { windowMs, limitGuardMs },
    concurrency: IN_HAND,
  });
  const callers = stage.startProgram('programs/trace-callers.ts');
  const parts = { stage, plan, provider, gateway, callers, queue: queuesOf(name).raw };
  stage.progress('warming up');
  await submit(parts, `${name}-warm`, warmUpTrace(plan));
  await sleep(plan.windowMs + plan.limitGuardMs, undefined, { signal: stage.signal });
  await provider.clear();
  stage.progress(`replaying ${plan.trace.length} requests`);
  const { dueAts, acknowledgedInMs } = await submit(parts, name, plan.trace);
  stage.progress('reading the outcomes');
  const patience = { patienceMs: PATIENCE_MS };
  const endings = Endings.parse(await callers.ask('endings', patience, 2 * PATIENCE_MS));
  const calls = await provider.calls();
  const waits = waitsOf(calls, name, plan.trace, dueAts);
  return { waits, calls, acknowledgedInMs, succeeded: endings.succeeded ?? 0 };
}

type Parts = {
  readonly stage: Stage;
  readonly plan: ReplayPlan;
  readonly provider: Provider;
  readonly gateway: Subject;
  readonly callers: ChildProgram;
  readonly queue: string;
};

/** Half a window of requests in each of three windows, so that just-in-time compilation is not measured. */
function warmUpTrace({ perWindow, windowMs, speed, trace }: ReplayPlan): RequestTrace {
  const stepMs = (2 * windowMs * speed) / perWindow;
  return trace
    .slice(0, Math.ceil(1.5 * perWindow))
    .map((traced, index) => ({ ...traced, atMs: index * stepMs }));
}

/** Submits the trace; resolves when all accepted requests have reached the provider, or after a generous time limit. */
async function submit(parts: Parts, run: string, trace: RequestTrace) {
  const { stage, plan, provider, gateway, callers, queue } = parts;
  const { port, headers } = gateway;
  const { speed } = plan;
  const limitMs = durationMs(trace) / speed + PATIENCE_MS;
  const isByHttp = plan.comesBy === 'http';
  const broker = isByHttp ? undefined : { url: plan.services.rabbitmqUrl, queue };
  const report = await callers.ask('replay', { port, headers, broker, run, speed, trace }, limitMs);
  const { dueAts, acknowledgedAt } = ReplayReport.parse(report);
  const acknowledgedInMs = acknowledgedAt.flatMap((at, index) =>
    at === null ? [] : [at - (dueAts[index] ?? at)],
  );
  await untilAllCalled(stage, provider, {
    count: acknowledgedInMs.length,
    patienceMs: drainMs(plan),
  });
  return { dueAts, acknowledgedInMs };
}

function limitedScenario({ perWindow, windowMs, latencyMs }: ReplayPlan): object {
  return { latencyMs, rateLimit: { requestsPerMinute: perWindow, windowMs } };
}

/** A time in which the limit serves all requests even if none was served during the submission. */
function drainMs({ trace, perWindow, windowMs }: ReplayPlan): number {
  return PATIENCE_MS + (trace.length * windowMs) / perWindow;
}

/** Polls the provider and not the gateway, which is being measured. */
async function untilAllCalled(
  stage: Stage,
  provider: Provider,
  { count, patienceMs }: { readonly count: number; readonly patienceMs: number },
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const { requests, inFlight } = await provider.stats();
    if (requests >= count && inFlight === 0) return;
    stage.progress(`${count - requests} still wait`);
    await sleep(POLL_MS, undefined, { signal: stage.signal });
  }
}

function waitsOf(
  calls: readonly Call[],
  run: string,
  trace: RequestTrace,
  dueAts: readonly number[],
): ReplayFinding['waits'] {
  const callsOf = Map.groupBy(calls, ({ bodyDigest }) => bodyDigest);
  return trace.flatMap((traced, index) => {
    const { digest } = traceJob(run, index, traced);
    const [first] = callsOf.get(digest) ?? [];
    return first ? [{ from: dueAts[index] ?? first.startedAt, to: first.startedAt }] : [];
  });
}
