// The budgets: organisations with spending in this month, ordered by the end of their budgets, or all by id.

import type { MoneyPage, Organization, OrganizationSpend } from '../../../api/money.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { route, setParams } from '../../app/router.ts';
import { useResource } from '../../app/use-resource.ts';
import { countText, moneyText } from '../../charts/figure-text.ts';
import { withQuery } from '../../data/query.ts';
import { usePages } from '../../data/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Stat } from '../../ui/stat.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { PagedList } from '../paged-list.tsx';
import { SearchField } from '../search-field.tsx';
import { BudgetBar } from './budget-bar.tsx';
import { budgetForecastText, leftText } from './money-words.ts';

const REFRESH_MS = 5000;
const FILTERS = ['find'] as const;

export function BudgetList({ onCreate }: { readonly onCreate: () => void }) {
  const { tab = 'spending' } = route.value.params;
  const totals = useResource<MoneyPage>('/admin/dashboard/money?limit=1', {
    refreshMs: REFRESH_MS,
  });
  const total = totals.data?.total;
  return (
    <>
      <Card span={4}>
        <Stat
          label="Spent this month"
          value={total?.spentUsd}
          format={moneyText}
          note="by all organisations"
        />
      </Card>
      <Card span={4}>
        <Stat
          label="Reserved"
          value={total?.reservedUsd}
          format={moneyText}
          note="for calls in flight and set aside for servers"
        />
      </Card>
      <Card span={4}>
        <Stat
          label="Organisations"
          value={total?.organizations}
          format={countText}
          note="with spending this month"
        />
      </Card>
      <Card span={12} isFlush>
        <Tabs
          label="Organisations"
          selected={tab}
          onSelect={(id) => setParams({ tab: id === 'spending' ? '' : id })}
          tabs={[
            { id: 'spending', title: 'By urgency' },
            { id: 'all', title: 'All organisations' },
          ]}
        >
          {tab === 'all' ? <All onCreate={onCreate} /> : <ByUrgency onCreate={onCreate} />}
        </Tabs>
      </Card>
    </>
  );
}

function ByUrgency({ onCreate }: { readonly onCreate: () => void }) {
  const { find = '' } = route.value.params;
  const pages = usePages<OrganizationSpend>(
    withQuery('/admin/dashboard/money', { q: find, limit: 50 }),
    spenderKey,
    {
      refreshMs: REFRESH_MS,
    },
  );
  return (
    <PagedList
      label="Organisations by the end of their budgets"
      pages={pages}
      keyOf={spenderKey}
      columns={SPENDING_COLUMNS}
      filters={<Find find={find} />}
      filterNames={FILTERS}
      onOpen={({ organizationId }) => setParams({ org: organizationId })}
      empty={
        <NoOrganization
          isFiltered={find !== ''}
          onCreate={onCreate}
          title="No spending this month"
        />
      }
    />
  );
}

function All({ onCreate }: { readonly onCreate: () => void }) {
  const { find = '' } = route.value.params;
  const pages = usePages<Organization>(
    withQuery('/admin/orgs', { q: find, limit: 100 }),
    organizationKey,
  );
  return (
    <PagedList
      label="All organisations"
      pages={pages}
      keyOf={organizationKey}
      columns={ALL_COLUMNS}
      filters={<Find find={find} />}
      filterNames={FILTERS}
      onOpen={({ id }) => setParams({ org: id })}
      empty={
        <NoOrganization isFiltered={find !== ''} onCreate={onCreate} title="No organisation" />
      }
    />
  );
}

function Find({ find }: { readonly find: string }) {
  return (
    <SearchField
      label="Organisation"
      value={find}
      onChange={(value) => setParams({ find: value }, true)}
    />
  );
}

function NoOrganization(props: {
  readonly isFiltered: boolean;
  readonly title: string;
  readonly onCreate: () => void;
}) {
  if (props.isFiltered) return <Empty title="No organisation matches" icon="filter" />;
  return (
    <Empty
      title={props.title}
      icon="money"
      command="npx spillway orgs create acme --budget 100 && npx spillway keys create --org acme"
    >
      An organisation has a budget, limits and keys. Create one here or on the command line, then
      call the gateway with its key.
      <div class="empty-action">
        <Button icon="plus" onPress={props.onCreate}>
          Create organisation
        </Button>
      </div>
    </Empty>
  );
}

const SPENDING_COLUMNS: readonly Column<OrganizationSpend>[] = [
  {
    id: 'name',
    title: 'Organisation',
    value: ({ name }) => name,
    render: ({ name, organizationId }) => (
      <span class="two-lines">
        <span class="cut-line">{name}</span>
        {name === organizationId ? null : <span class="soft mono cut">{organizationId}</span>}
      </span>
    ),
  },
  {
    id: 'budget',
    title: 'Budget',
    value: ({ usedRatio }) => usedRatio,
    render: (row) => (
      <>
        <BudgetBar row={row} />
        <span class="narrow-only">
          <Status state={row.status} word={budgetForecastText(row, nowMs.value)} />
        </span>
      </>
    ),
  },
  {
    id: 'forecast',
    title: 'Forecast',
    isWideOnly: true,
    value: ({ forecastExhaustedAt }) => forecastExhaustedAt,
    render: (row) => <Status state={row.status} word={budgetForecastText(row, nowMs.value)} />,
  },
  {
    id: 'spent',
    title: 'Spent',
    align: 'right',
    isWideOnly: true,
    value: ({ spentUsd }) => spentUsd,
    render: ({ spentUsd }) => <Copyable value={spentUsd}>{moneyText(spentUsd)}</Copyable>,
  },
  {
    id: 'left',
    title: 'Left',
    align: 'right',
    isWideOnly: true,
    value: ({ monthlyBudgetUsd, spentUsd }) => monthlyBudgetUsd - spentUsd,
    render: (row) => leftText(row),
  },
  {
    id: 'reset',
    title: 'Budget resets',
    isWideOnly: true,
    value: ({ resetAt }) => resetAt,
    render: ({ resetAt }) => <RelativeTime at={resetAt} />,
  },
];

const ALL_COLUMNS: readonly Column<Organization>[] = [
  {
    id: 'id',
    title: 'Id',
    value: ({ id }) => id,
    render: ({ id }) => <span class="mono cut">{id}</span>,
  },
  {
    id: 'name',
    title: 'Name',
    value: ({ name }) => name,
    render: ({ name }) => <span class="cut-line">{name}</span>,
  },
  {
    id: 'budget',
    title: 'Budget a month',
    align: 'right',
    value: ({ monthlyBudgetUsd }) => monthlyBudgetUsd,
    render: ({ monthlyBudgetUsd }) => moneyText(monthlyBudgetUsd),
  },
  {
    id: 'rate',
    title: 'Requests a minute',
    align: 'right',
    isWideOnly: true,
    value: ({ requestsPerMinute }) => requestsPerMinute,
    render: ({ requestsPerMinute }) => countText(requestsPerMinute),
  },
  {
    id: 'created',
    title: 'Created',
    isWideOnly: true,
    value: ({ createdAt }) => createdAt,
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

function spenderKey({ organizationId }: OrganizationSpend): string {
  return organizationId;
}

function organizationKey({ id }: Organization): string {
  return id;
}
