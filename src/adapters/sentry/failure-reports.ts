// Reports failures to Sentry. The package is an optional peer, loaded only where a DSN is configured. The client is this
// gateway's own, without the default integrations: no request data, no breadcrumbs, no environment and no source lines leave
// the process. While Sentry is unavailable events are dropped; a repeated failure is sent a few times a minute at most.

import type { Event } from '@sentry/node';
import type { Clock } from '../../kernel/clock.ts';
import type { FailureReport, FailureReports } from '../../kernel/notify/failure-reports.ts';

export type SentryParts = {
  readonly dsn: string;
  readonly serverId: string;
  readonly release: string;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Rejects if the package is not installed. */
export async function openSentryReports(parts: SentryParts): Promise<FailureReports> {
  const { NodeClient, makeNodeTransport } = await import('@sentry/node');
  const client = new NodeClient({
    dsn: parts.dsn,
    release: parts.release,
    serverName: parts.serverId,
    transport: makeNodeTransport,
    // Frames are built here, so the client parses no stack.
    stackParser: () => [],
    integrations: [],
    sendClientReports: false,
  });
  client.init();
  const isAllowed = createEventLimit(parts.clock);
  return {
    report(failure) {
      if (isAllowed(fingerprintOf(failure).join('\n'))) client.captureEvent(eventOf(failure));
    },
    async close() {
      await client.close(CLOSE_TIMEOUT_MS);
    },
  };
}

const CLOSE_TIMEOUT_MS = 2000;
const MAX_PER_MINUTE = 10;
const MAX_FINGERPRINTS = 200;
const MINUTE_MS = 60_000;

/** Bounds the events per failure and minute, and the number of distinct failures. */
function createEventLimit(clock: Pick<Clock, 'monotonic'>): (fingerprint: string) => boolean {
  let counts = new Map<string, number>();
  let startedAtMs = Number.NEGATIVE_INFINITY;
  return (fingerprint) => {
    if (clock.monotonic() - startedAtMs >= MINUTE_MS) {
      counts = new Map();
      startedAtMs = clock.monotonic();
    }
    const count = (counts.get(fingerprint) ?? 0) + 1;
    if (count > MAX_PER_MINUTE || (count === 1 && counts.size >= MAX_FINGERPRINTS)) return false;
    counts.set(fingerprint, count);
    return true;
  };
}

function fingerprintOf({ code, provider, model, frames, message }: FailureReport): string[] {
  return [code, provider ?? '', model ?? '', frames[0] ?? (provider === undefined ? message : '')];
}

function eventOf(failure: FailureReport): Event {
  const { code, provider, model, requestId, message, level } = failure;
  return {
    message,
    level,
    platform: 'node',
    logger: 'spillway',
    fingerprint: fingerprintOf(failure),
    tags: { code, provider: provider ?? 'none', model: model ?? 'none', request_id: requestId },
    ...(failure.frames.length > 0 ? { exception: { values: [exceptionOf(failure)] } } : {}),
  };
}

function exceptionOf({ code, frames }: FailureReport) {
  // Sentry expects the oldest call first.
  return { type: code, value: code, stacktrace: { frames: frames.map(frameOf).toReversed() } };
}

function frameOf(line: string) {
  const [, name, file = '', row, column] =
    /^at (?:(.+?) \()?(.+?):(\d+):(\d+)\)?$/.exec(line) ?? [];
  return {
    function: name ?? '<anonymous>',
    filename: file.replace(/^file:\/\//, '').replace(/^.*\/(?=(?:src|dist|node_modules)\/)/, ''),
    lineno: Number(row),
    colno: Number(column),
    in_app: !file.includes('node_modules') && !file.startsWith('node:'),
  };
}
