// The readings of money of one organisation, and their routes. A burn-down is shared by all viewers of its organisation.

import type { OrganizationStore } from '../../admission/organization-store.ts';
import type { BurnDown, SpendByModel } from '../../dashboard/api/money.ts';
import { burnDown } from '../../dashboard/readings/burn-down.ts';
import { type RankedSpenders, readSpendByModel } from '../../dashboard/readings/read-money.ts';
import { createSharedReadings } from '../../dashboard/readings/shared-readings.ts';
import { moneyRoutes } from '../../dashboard/routes/money-routes.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { calendarMonth } from '../../kernel/calendar/calendar-month.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BudgetLedger } from '../../metering/budgets/budget-ledger.ts';
import type { SpendStore } from '../../metering/spend/spend-store.ts';

export type MoneyContext = {
  readonly spend: SpendStore;
  readonly spenders: () => Promise<RankedSpenders>;
  readonly organizations: Pick<OrganizationStore, 'find'>;
  readonly ledger: Pick<BudgetLedger, 'status'>;
  readonly gate: Pick<Gate, 'requireAdmin'>;
  readonly clock: Clock;
};

const AGE_MS = 5000;
const DAY_MS = 86_400_000;
const RATE_SPAN_MS = 7 * DAY_MS;

export function openMoney(context: MoneyContext): RegisterRoutes {
  const { spend, spenders, gate, clock } = context;
  const burnDowns = createSharedReadings<BurnDown>(clock, AGE_MS);
  const spends = createSharedReadings<SpendByModel>(clock, AGE_MS);
  return moneyRoutes({
    readSpenders: spenders,
    readBurnDown: (id) => burnDowns(id, () => readBurnDown(context, id)),
    // The range is widened to whole days, so that viewers share a reading.
    readSpendByModel: (range, organizationId) => {
      const days = { from: range.from - (range.from % DAY_MS), to: range.to - (range.to % DAY_MS) };
      const whole = { from: days.from, to: days.to + DAY_MS };
      return spends([organizationId, whole.from, whole.to].join(' '), () =>
        readSpendByModel(spend, whole, organizationId),
      );
    },
    gate,
    clock,
  });
}

async function readBurnDown(
  { spend, organizations, ledger, clock }: MoneyContext,
  id: string,
): Promise<BurnDown> {
  const organization = await organizations.find(id);
  if (!organization) throw new SpillwayError('NOT_FOUND', 'no such organisation');
  const now = clock.now();
  const { startsAt } = calendarMonth(now, organization.timeZone);
  const owner = {
    organizationId: id,
    keyId: '',
    timeZone: organization.timeZone,
    organizationLimitNanos: organization.monthlyBudgetNanos,
    keyLimitNanos: undefined,
    userLimitNanos: organization.userMonthlyBudgetNanos,
  };
  const [status, days, recent] = await Promise.all([
    ledger.status(owner, 'organization'),
    spend.organizationDays(id, startsAt - (startsAt % DAY_MS), now + 1),
    spend.spentSince([id], now - RATE_SPAN_MS),
  ]);
  if (!status) throw new SpillwayError('NOT_FOUND', 'no such budget');
  return burnDown({ organization, status, days, recent: recent.get(id), now });
}
