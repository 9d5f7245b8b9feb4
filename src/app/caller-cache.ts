// The cached callers of this server, notified of changes in the store.

import type { Organization } from '../admission/organization.ts';

export type CallerCache = {
  organizationChanged(organization: Organization): void;
  keyRevoked(hash: string): void;
};
