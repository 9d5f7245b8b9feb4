// Records an operator's action before it is carried out: in the append-only audit log and as one log entry. Callers
// await the record first, so an action that cannot be recorded is not carried out; an action that fails afterwards
// leaves the record of an attempt.

import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { AuditEntry, AuditLog, AuditPage } from './audit-log.ts';

/** The operator behind an action, and the request that carried it. */
export type Operator = { readonly actor: string; readonly requestId?: string | undefined };

export type AuditedAction = Pick<AuditEntry, 'action' | 'target' | 'organizationId' | 'data'>;

export type Auditor = {
  record(operator: Operator, action: AuditedAction): Promise<void>;
  list(page: AuditPage): Promise<readonly AuditEntry[]>;
};

export type AuditorParts = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
};

export function createAuditor({ audit, clock, newId, log }: AuditorParts): Auditor {
  let lastAt = 0;
  return {
    async record({ actor, requestId }, audited) {
      // Timestamps are unique, so that entries are listed in the order of their actions.
      lastAt = Math.max(clock.now(), lastAt + 1);
      await audit.append({ id: newId('aud'), actor, requestId, ...audited, createdAt: lastAt });
      const { action, target, organizationId } = audited;
      log.write({
        level: 'info',
        type: 'audit',
        message: `${action} ${target}`,
        ...(requestId === undefined ? {} : { requestId }),
        metadata: { actor, action, target, organizationId },
      });
    },
    list: (page) => audit.list(page),
  };
}
