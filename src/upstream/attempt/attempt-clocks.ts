// The clocks of one call: which of them has run out? Pure; the attempt says what it has seen. None runs while the caller
// is the one who is slow, but for the total: a provider is not to blame for what nobody takes from it.

export type AttemptTimeouts = {
  readonly firstContentMs: number;
  readonly reasoningFirstContentMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly unaryMs: number;
  readonly reasoningUnaryMs: number;
  readonly holdStatusMs: number;
};

export type ClockPhase = 'first_content' | 'idle' | 'total';

/** Moments are of `clock.monotonic()`. */
export type AttemptProgress = {
  readonly startedAtMs: number;
  /** When the request it belongs to must have ended; else the total clock begins with the attempt. */
  readonly deadlineAtMs: number | undefined;
  readonly isStream: boolean;
  /** Reasoning models think before they speak and are given longer. */
  readonly isReasoning: boolean;
  /** The answer has begun: all that a unary call is waited for. */
  readonly isBegun: boolean;
  /** Of a stream that has had some. */
  readonly lastContentAtMs: number | undefined;
  readonly isPaused: boolean;
};

export function overduePhase(
  timeouts: AttemptTimeouts,
  progress: AttemptProgress,
  nowMs: number,
): ClockPhase | undefined {
  const { startedAtMs, deadlineAtMs, isStream, isBegun, lastContentAtMs } = progress;
  if (nowMs > (deadlineAtMs ?? startedAtMs + timeouts.totalMs)) return 'total';
  if (progress.isPaused || (isBegun && !isStream)) return undefined;
  if (lastContentAtMs !== undefined)
    return nowMs - lastContentAtMs > timeouts.idleMs ? 'idle' : undefined;
  return nowMs - startedAtMs > patienceMs(timeouts, progress) ? 'first_content' : undefined;
}

function patienceMs(
  timeouts: AttemptTimeouts,
  { isStream, isReasoning }: Pick<AttemptProgress, 'isStream' | 'isReasoning'>,
): number {
  if (isStream) return isReasoning ? timeouts.reasoningFirstContentMs : timeouts.firstContentMs;
  return isReasoning ? timeouts.reasoningUnaryMs : timeouts.unaryMs;
}
