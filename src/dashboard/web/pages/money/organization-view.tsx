// One organisation: the burn-down of its budget, its spending by model and day, its limits and its keys.

import type { BurnDown as BurnDownData, Organization, SpendByModel } from '../../../api/money.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { linkTo } from '../../app/router.ts';
import { useResource } from '../../app/use-resource.ts';
import { countText, moneyText } from '../../charts/figure-text.ts';
import { BurnDown } from '../../charts/money/burn-down.tsx';
import { SpendBars } from '../../charts/money/spend-bars.tsx';
import { withQuery } from '../../data/query.ts';
import { Card, Grid, PageHead } from '../../ui/card.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Facts } from '../facts.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { Keys } from './keys.tsx';

const REFRESH_MS = 4000;

export function OrganizationView({ id }: { readonly id: string }) {
  const path = encodeURIComponent(id);
  const burnDown = useResource<BurnDownData>(`/admin/dashboard/money/${path}`, {
    refreshMs: REFRESH_MS,
  });
  const spend = useResource<SpendByModel>(withQuery('/admin/dashboard/spend', { org: id }), {
    refreshMs: 4 * REFRESH_MS,
  });
  const organization = useResource<Organization>(`/admin/orgs/${path}`);
  return (
    <>
      <PageHead title={burnDown.data?.name ?? organization.data?.name ?? id}>
        <a href={linkTo('money')}>All organisations</a>
      </PageHead>
      <FailureNotice failure={burnDown.failure ?? organization.failure} onRetry={burnDown.reload} />
      <Grid>
        <Card span={7}>
          <BurnDown data={burnDown.data} nowMs={minute(nowMs.value)} />
        </Card>
        <Card span={5} title="Budget and limits">
          <OrganizationFacts organization={organization.data} burnDown={burnDown.data} />
        </Card>
        <Keys organizationId={id} />
        <Card span={12}>
          <SpendBars
            data={spend.data}
            emptyText="This organisation has not spent anything in the last days."
          />
        </Card>
      </Grid>
    </>
  );
}

/** A month's picture need not change every second. */
function minute(at: number): number {
  return at - (at % 60_000);
}

function OrganizationFacts(props: {
  readonly organization: Organization | undefined;
  readonly burnDown: BurnDownData | undefined;
}) {
  const { organization, burnDown } = props;
  const amount = (usd: number | undefined) =>
    usd === undefined ? '…' : <Copyable value={usd}>{moneyText(usd)}</Copyable>;
  const limit = (value: number | null | undefined) =>
    value === undefined ? '…' : value === null ? 'no limit' : countText(value);
  return (
    <Facts
      facts={[
        ['Left this month', amount(burnDown?.remainingUsd)],
        ['Spent', amount(burnDown?.spentUsd)],
        ['Reserved', amount(burnDown?.reservedUsd)],
        ['Budget', amount(burnDown?.monthlyBudgetUsd)],
        ['Requests a minute', limit(organization?.requestsPerMinute)],
        ['Tokens a minute', limit(organization?.tokensPerMinute)],
        ['Tokens a day', limit(organization?.tokensPerDay)],
        ['Requests at once', limit(organization?.maxConcurrent)],
        ['Budget resets', burnDown ? <RelativeTime at={burnDown.monthEndsAt} /> : '…'],
        ['Time zone', organization?.timeZone ?? '…'],
        ['Id', organization ? <Copyable value={organization.id} /> : '…'],
      ]}
    />
  );
}
