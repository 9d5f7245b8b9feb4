// GET /admin/logs (the last entries) and GET /admin/alerts.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'critical';
export type LogType = 'ai_limit' | 'performance' | 'error' | 'capacity' | 'audit' | 'request';

/**
 * GET /admin/logs?type&level&text&server&requestId&before&limit, newest first. `level` selects only that level; `text` is a
 * case-insensitive substring of the message; `before` (epoch milliseconds, exclusive) pages into the past.
 */
export type LogPage = {
  readonly data: readonly LogEntry[];
  /** The value of `before` for the next page, as text; null at the end of the stored entries. */
  readonly nextCursor: string | null;
  /** false: entries are not stored, see ENABLE_REDIS_LOGGING. */
  readonly isEnabled: boolean;
};

export type LogEntry = {
  readonly at: number;
  readonly level: LogLevel;
  readonly type: LogType;
  readonly message: string;
  /** Opens GET /admin/requests/{id}. */
  readonly requestId?: string;
  readonly serverId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** GET /admin/alerts?state=firing|ended&limit&cursor → PageOf<Alert> */
export type Alert = {
  readonly id: string;
  readonly name: string;
  readonly metric: string;
  readonly subject?: string;
  readonly state: 'pending' | 'firing' | 'recovering' | 'ended';
  readonly severity: 'warning' | 'critical';
  readonly message: string;
  readonly value: number;
  readonly threshold: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly serverId: string;
};
