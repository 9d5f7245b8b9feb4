// Decides which clock of an attempt has expired. Pure: the attempt passes its progress in. While back-pressure of a slow
// caller pauses the stream, only the total clock runs: the provider is not the cause of that delay.

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

/** Timestamps are of `clock.monotonic()`. */
export type AttemptProgress = {
  readonly startedAtMs: number;
  /** The deadline of the request; without one the total clock starts with the attempt. */
  readonly deadlineAtMs: number | undefined;
  readonly isStream: boolean;
  /** Reasoning models take longer to their first content and have longer clocks. */
  readonly isReasoning: boolean;
  /** The response head has arrived; from then on a unary call has only its total clock. */
  readonly isBegun: boolean;
  /** Undefined until a stream delivers content. */
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
  return nowMs - startedAtMs > firstContentMs(timeouts, progress) ? 'first_content' : undefined;
}

function firstContentMs(
  timeouts: AttemptTimeouts,
  { isStream, isReasoning }: Pick<AttemptProgress, 'isStream' | 'isReasoning'>,
): number {
  if (isStream) return isReasoning ? timeouts.reasoningFirstContentMs : timeouts.firstContentMs;
  return isReasoning ? timeouts.reasoningUnaryMs : timeouts.unaryMs;
}
