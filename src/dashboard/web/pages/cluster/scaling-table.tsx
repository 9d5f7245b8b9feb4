// The desired number of servers and workers, with the reasons.

import type { Scaling } from '../../../api/cluster.ts';
import { Empty } from '../../ui/empty.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { reasonsText } from './scaling-words.ts';

type Row = Scaling['data'][number];

export function ScalingTable(props: {
  readonly scaling: Scaling | undefined;
  readonly failure: string | undefined;
}) {
  return (
    <Table
      label="Desired numbers of servers"
      columns={COLUMNS}
      rows={props.scaling?.data ?? (props.failure ? [] : undefined)}
      keyOf={({ role, provider }) => `${role} ${provider ?? ''}`}
      skeletonRows={2}
      empty={<Empty title="No advice">{props.failure ?? 'There is no role to scale.'}</Empty>}
    />
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'role',
    title: 'Role',
    render: ({ role, provider }) => (provider === null ? role : `${role} of ${provider}`),
  },
  {
    id: 'numbers',
    title: 'Now → desired',
    render: ({ current, desired }) => (
      <span class="figure">
        {current} → {desired}
      </span>
    ),
  },
  {
    id: 'state',
    title: 'Advice',
    render: ({ current, desired }) => (
      <Status state={current < desired ? 'degraded' : 'good'} word={advice(current, desired)} />
    ),
  },
  {
    id: 'reasons',
    title: 'Reasons',
    isWideOnly: true,
    render: ({ reasons }) => <span class="soft">{reasonsText(reasons)}</span>,
  },
];

function advice(current: number, desired: number): string {
  if (current === desired) return 'enough';
  return current < desired ? `add ${desired - current}` : `${current - desired} could stop`;
}
