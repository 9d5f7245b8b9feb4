// Capacity: each provider and region with its limit, headroom and circuit, and the actions on them.

import { useState } from 'preact/hooks';
import type { Breaker, Capacity, ProviderLimit } from '../../../api/capacity.ts';
import type { PageOf } from '../../../api/page-of.ts';
import { live } from '../../app/live.ts';
import { type Resource, useResource } from '../../app/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Grid, PageHead } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CircuitsTable } from './circuits-table.tsx';
import { LimitsTable } from './limits-table.tsx';
import { RegionCard } from './region-card.tsx';
import { SetLimit } from './set-limit.tsx';

const REFRESH_MS = 5000;

export default function CapacityPage() {
  const [isSetting, setIsSetting] = useState(false);
  const revision = changeMark();
  const options = { refreshMs: REFRESH_MS, revision };
  const capacity = useResource<Capacity>('/health/capacity', options);
  const limits = useResource<PageOf<ProviderLimit>>('/admin/limits', options);
  const breakers = useResource<PageOf<Breaker>>('/admin/breakers', options);
  const reload = (): void => {
    for (const resource of [capacity, limits, breakers]) resource.reload();
  };
  return (
    <>
      <PageHead title="Capacity">
        <Button icon="plus" onPress={() => setIsSetting(true)}>
          Set a limit
        </Button>
      </PageHead>
      <Notice failure={capacity.failure ?? limits.failure ?? breakers.failure} />
      <Grid>
        <Regions
          capacity={capacity}
          limits={limits.data?.data ?? []}
          breakers={breakers.data?.data ?? []}
          onChanged={reload}
        />
        <Card title="Limits in force" isFlush>
          <LimitsTable limits={limits.data?.data} onChanged={reload} />
        </Card>
        <Card title="Circuits" isFlush>
          <CircuitsTable breakers={breakers.data?.data} onChanged={reload} />
        </Card>
      </Grid>
      {isSetting ? (
        <SetLimit
          regions={capacity.data?.data ?? []}
          onClose={() => setIsSetting(false)}
          onChanged={reload}
        />
      ) : null}
    </>
  );
}

type RegionsProps = {
  readonly capacity: Resource<Capacity>;
  readonly limits: readonly ProviderLimit[];
  readonly breakers: readonly Breaker[];
  readonly onChanged: () => void;
};

function Regions({ capacity, limits, breakers, onChanged }: RegionsProps) {
  const { data } = capacity;
  if (data === undefined)
    return (
      <>
        {[0, 1, 2].map((index) => (
          <Card key={index} span={4}>
            <div aria-busy="true">
              <Skeleton width="50%" height={16} />
              <br />
              <Skeleton width="100%" height={140} />
            </div>
          </Card>
        ))}
      </>
    );
  if (data.data.length === 0)
    return (
      <Card>
        <Empty
          title="No provider is configured"
          icon="capacity"
          command="ANTHROPIC_API_KEY=sk-… npm start"
        >
          Set the key of a provider, or start without any key on embedded storage: the built-in
          simulator then stands in for all of them.
        </Empty>
      </Card>
    );
  return (
    <>
      {data.data.map((region) => (
        <RegionCard
          key={`${region.provider}/${region.region}`}
          region={region}
          limits={limits}
          breakers={breakers}
          onChanged={onChanged}
        />
      ))}
    </>
  );
}

/** Changes with every limit and circuit, so that the page reads them again immediately. */
function changeMark(): string {
  const limits = live.limits.value?.map(({ provider, region, model, resetAt }) => [
    provider,
    region,
    model,
    resetAt,
  ]);
  const circuits = live.circuits.value?.map(({ provider, region, state }) => [
    provider,
    region,
    state,
  ]);
  return JSON.stringify([limits, circuits]);
}
