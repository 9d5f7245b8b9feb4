// Keeps what an operator is about to do, before it is done: in the audit log for good, and as one line of the
// log. If the entry cannot be kept the change must not be made, so the promise is awaited first; what fails
// after it leaves an entry of something that was tried.

import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { AuditEntry, AuditLog, AuditPage } from './audit-log.ts';

/** Who does it, and by which request. */
export type Operator = { readonly actor: string; readonly requestId?: string | undefined };

export type Deed = Pick<AuditEntry, 'action' | 'target' | 'organizationId' | 'data'>;

export type Auditor = {
  record(operator: Operator, deed: Deed): Promise<void>;
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
    async record({ actor, requestId }, deed) {
      // No two at one moment: what was done second is listed second.
      lastAt = Math.max(clock.now(), lastAt + 1);
      await audit.append({ id: newId('aud'), actor, requestId, ...deed, createdAt: lastAt });
      const { action, target, organizationId } = deed;
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
