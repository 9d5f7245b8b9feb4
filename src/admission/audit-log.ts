// The port to the record of what operators did. It is append-only: there is no way to change or take away an
// entry, and nothing an operator does happens before its entry is kept. A store that is away rejects, and then
// the change is not made.

export type AuditEntry = {
  readonly id: string;
  /** How the operator came in, e.g. `admin`. */
  readonly actor: string;
  /** Thing and verb, e.g. `key.revoke`. */
  readonly action: string;
  /** The id of what it was done to. */
  readonly target: string;
  readonly organizationId?: string | undefined;
  readonly requestId?: string | undefined;
  /** What was asked for. Never a secret. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly createdAt: number;
};

export type AuditPage = {
  /** Absent: every organisation's entries, and those that concern none. */
  readonly organizationId?: string | undefined;
  /** The last entry of the page before. */
  readonly before?: Pick<AuditEntry, 'createdAt' | 'id'> | undefined;
  readonly limit: number;
};

export type AuditLog = {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(page: AuditPage): Promise<readonly AuditEntry[]>;
};
