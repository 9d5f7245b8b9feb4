// The port for log entries; adapters/stdout writes them out. The caller builds the metadata from an allow-list: secrets,
// prompts and provider texts stay out of it.

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'critical'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_TYPES = [
  'ai_limit',
  'performance',
  'error',
  'capacity',
  'audit',
  'request',
] as const;
export type LogType = (typeof LOG_TYPES)[number];

/** One log entry. `metadata` has neither secrets nor prompts nor texts of providers. */
export type LogEntry = {
  readonly level: LogLevel;
  readonly type: LogType;
  readonly message: string;
  readonly requestId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

export type Log = {
  write(entry: LogEntry): void;
  /** Writes buffered entries out; called once, when the process ends. */
  flush(): Promise<void>;
};

export const silentLog: Log = Object.freeze({ write: () => {}, flush: () => Promise.resolve() });

/** Everything but the message has a default: level error, type error, the reason as the only metadata. */
export type FailureDetails = Partial<Omit<LogEntry, 'message'>>;

/** Logs an operation that failed, with the cause's text as `metadata.reason`. Level warn is for work that is retried. */
export function logFailure(
  log: Log,
  message: string,
  cause: unknown,
  { metadata, ...details }: FailureDetails = {},
): void {
  const reason = reasonOf(cause);
  log.write({
    level: 'error',
    type: 'error',
    ...details,
    message,
    metadata: { ...metadata, reason },
  });
}

/** The text of a thrown value, for operators. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
