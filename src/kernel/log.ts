// What a log entry is, in our own words. Writing it out is an adapter's work (adapters/stdout); the
// features only say what happened. Metadata is an allow-list made by the caller: no secret, prompt or
// provider text may be put into it.

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

export type LogEntry = {
  readonly level: LogLevel;
  readonly type: LogType;
  readonly message: string;
  readonly requestId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

export type Log = {
  write(entry: LogEntry): void;
  /** Forces out what is buffered; called once at the end of a process's life. */
  flush(): Promise<void>;
};

export const silentLog: Log = Object.freeze({ write: () => {}, flush: () => Promise.resolve() });
