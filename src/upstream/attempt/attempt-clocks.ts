// Decides which clock of an attempt has expired. Pure: the attempt passes its progress in. A unary call has one clock: its
// answer arrives at its end, and a slow one is healthy. A stream has no total: its first content and the pauses between
// contents are bounded. While back-pressure of a slow caller pauses the stream, neither runs, because the provider is not
// the cause of that delay; a caller that stops reading altogether is bounded instead.

export type AttemptTimeouts = {
  readonly firstContentMs: number;
  readonly reasoningFirstContentMs: number;
  readonly idleMs: number;
  readonly reasoningIdleMs: number;
  readonly unaryMs: number;
  /** The bound of a request with all its attempts, and of a caller that stops reading its stream. */
  readonly totalMs: number;
  /** How long limits and reservations count a stream whose end is never reported. */
  readonly streamLeaseMs: number;
  readonly holdStatusMs: number;
  /** How long a stream is read for its usage when its caller no longer waits; 0 when absent. */
  readonly usageMs?: number;
};

export type ClockPhase = 'first_content' | 'idle' | 'total';

/** Timestamps are of `clock.monotonic()`. */
export type AttemptProgress = {
  readonly startedAtMs: number;
  /** Undefined for a stream without a deadline of its caller. */
  readonly deadlineAtMs: number | undefined;
  readonly isStream: boolean;
  /** Reasoning models are silent for longer and have longer clocks. */
  readonly isReasoning: boolean;
  /** Undefined until a stream delivers content. */
  readonly lastContentAtMs: number | undefined;
  /** When back-pressure paused the stream; undefined while it flows. */
  readonly pausedAtMs: number | undefined;
};

const FIRST_REPORT_MS = 1000;
const REPORT_MS = 20_000;

/** Whether a report of a long call falls between the previous check, `sinceMs` ago, and this one. */
export function isReportDue(lastedMs: number, sinceMs: number): boolean {
  const reports = (ms: number) => Math.floor((ms - FIRST_REPORT_MS) / REPORT_MS);
  return lastedMs >= FIRST_REPORT_MS && reports(lastedMs) > reports(lastedMs - sinceMs);
}

export function overduePhase(
  timeouts: AttemptTimeouts,
  progress: AttemptProgress,
  nowMs: number,
): ClockPhase | undefined {
  const { startedAtMs, deadlineAtMs, isStream, isReasoning, lastContentAtMs, pausedAtMs } =
    progress;
  if (deadlineAtMs !== undefined && nowMs > deadlineAtMs) return 'total';
  if (!isStream) return nowMs - startedAtMs > timeouts.unaryMs ? 'total' : undefined;
  if (pausedAtMs !== undefined) return nowMs - pausedAtMs > timeouts.totalMs ? 'total' : undefined;
  if (lastContentAtMs !== undefined) {
    const idleMs = isReasoning ? timeouts.reasoningIdleMs : timeouts.idleMs;
    return nowMs - lastContentAtMs > idleMs ? 'idle' : undefined;
  }
  const firstMs = isReasoning ? timeouts.reasoningFirstContentMs : timeouts.firstContentMs;
  return nowMs - startedAtMs > firstMs ? 'first_content' : undefined;
}
