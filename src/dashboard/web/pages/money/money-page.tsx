// The page Money: all organisations, ordered by the end of their budgets, or one organisation with its burn-down,
// spending and keys. The address holds the organisation.

import { useState } from 'preact/hooks';
import type { SpendByModel } from '../../../api/money.ts';
import { route, setParams } from '../../app/router.ts';
import { useResource } from '../../app/use-resource.ts';
import { SpendBars } from '../../charts/money/spend-bars.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Grid, PageHead } from '../../ui/card.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { BudgetList } from './budget-list.tsx';
import { CreateOrganization } from './create-organization.tsx';
import { OrganizationView } from './organization-view.tsx';
import './money-page.css';

const REFRESH_MS = 15_000;

export default function MoneyPage() {
  const { org } = route.value.params;
  return org ? <OrganizationView key={org} id={org} /> : <AllOrganizations />;
}

function AllOrganizations() {
  const [isCreating, setIsCreating] = useState(false);
  const spend = useResource<SpendByModel>('/admin/dashboard/spend', { refreshMs: REFRESH_MS });
  return (
    <>
      <PageHead title="Money">
        <Button kind="primary" icon="plus" onPress={() => setIsCreating(true)}>
          Create organisation
        </Button>
      </PageHead>
      <FailureNotice failure={spend.failure} onRetry={spend.reload} />
      <Grid>
        <BudgetList onCreate={() => setIsCreating(true)} />
        <Card span={12}>
          <SpendBars
            data={spend.data}
            emptyText="No spending in the last days. The first priced call appears here within a minute."
          />
        </Card>
      </Grid>
      {isCreating ? (
        <CreateOrganization
          onClose={() => setIsCreating(false)}
          onCreated={(id) => {
            setIsCreating(false);
            setParams({ org: id });
          }}
        />
      ) : null}
    </>
  );
}
