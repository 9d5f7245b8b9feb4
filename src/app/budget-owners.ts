// The budget owner of a job: its organisation and its key, as stored. Cached for a short time, so that a burst of jobs does not
// read the store for each, and a changed budget takes effect soon.

import type { KeyStore } from '../admission/key-store.ts';
import type { OrganizationStore } from '../admission/organization-store.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { CallParts } from '../flow/call/call-order.ts';
import type { Clock } from '../kernel/clock.ts';
import type { BudgetOwner } from '../metering/budgets/budget-ledger.ts';

const REMEMBERED_MS = 5000;
const REMEMBERED_OWNERS = 1000;

export function createBudgetOwners(
  { keys, organizations }: { readonly keys: KeyStore; readonly organizations: OrganizationStore },
  clock: Clock,
): CallParts['budgetOwnerOf'] {
  const remembered = new Map<string, { readonly until: number; owner: Promise<BudgetOwner> }>();

  async function find(organizationId: string, keyId: string): Promise<BudgetOwner> {
    const organization = await organizations.find(organizationId);
    if (!organization) throw new SpillwayError('NOT_FOUND', 'the organisation is gone');
    const own = await keys.list(organizationId);
    const key = own.find(({ id }) => id === keyId);
    return Object.freeze({
      organizationId,
      keyId,
      timeZone: organization.timeZone,
      organizationLimitNanos: organization.monthlyBudgetNanos,
      keyLimitNanos: key?.monthlyBudgetNanos,
      userLimitNanos: organization.userMonthlyBudgetNanos,
    });
  }

  return (organizationId, keyId) => {
    const name = `${organizationId} ${keyId}`;
    const known = remembered.get(name);
    if (known && known.until > clock.now()) return known.owner;
    if (remembered.size >= REMEMBERED_OWNERS) remembered.clear();
    const owner = find(organizationId, keyId).catch((cause: unknown) => {
      remembered.delete(name);
      if (cause instanceof SpillwayError) throw cause;
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'budgets cannot be looked up', { cause });
    });
    remembered.set(name, { until: clock.now() + REMEMBERED_MS, owner });
    return owner;
  };
}
