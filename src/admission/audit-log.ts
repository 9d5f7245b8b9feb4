// The port to the append-only record of operators' actions. An action is carried out only after its entry is durable;
// an unavailable store rejects, and the action is not carried out.

export type AuditEntry = {
  readonly id: string;
  /** The credential that was used, e.g. `admin`. */
  readonly actor: string;
  /** Resource and verb, e.g. `key.revoke`. */
  readonly action: string;
  /** The id of the resource. */
  readonly target: string;
  readonly organizationId?: string | undefined;
  readonly requestId?: string | undefined;
  /** The requested values. Never a secret. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly createdAt: number;
};

export type AuditPage = {
  /** Absent: all entries, including entries without an organisation. */
  readonly organizationId?: string | undefined;
  /** The last entry of the previous page. */
  readonly before?: Pick<AuditEntry, 'createdAt' | 'id'> | undefined;
  readonly limit: number;
};

export type AuditLog = {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(page: AuditPage): Promise<readonly AuditEntry[]>;
};
