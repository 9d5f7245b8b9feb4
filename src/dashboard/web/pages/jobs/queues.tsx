// The queues with their depth, delayed and running jobs, the age of the oldest message and the next due time.

import type { QueueFigures } from '../../../api/jobs.ts';
import { route, setParams } from '../../app/router.ts';
import { countText } from '../../charts/figure-text.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';

export function Queues({ queues }: { readonly queues: readonly QueueFigures[] | undefined }) {
  const { queueSort } = route.value.params;
  return (
    <Table
      label="Queues"
      columns={COLUMNS}
      rows={queues}
      keyOf={({ queue }) => queue}
      sort={queueSort}
      onSort={(sort) => setParams({ queueSort: sort }, true)}
      skeletonRows={4}
      empty={
        <Empty title="No queues">
          A queue appears when a provider with workers is configured, or with its first job.
        </Empty>
      }
    />
  );
}

const COLUMNS: readonly Column<QueueFigures>[] = [
  {
    id: 'queue',
    title: 'Queue',
    value: ({ queue }) => queue,
    render: ({ queue, provider }) => (
      <>
        <span class="mono">{queue}</span>
        {provider === null || queue.includes(provider) ? null : (
          <span class="soft"> {provider}</span>
        )}
      </>
    ),
  },
  figure('ready', 'Waiting', ({ ready }) => ready),
  figure('delayed', 'Delayed', ({ delayed }) => delayed),
  figure('running', 'Running', ({ running }) => running),
  {
    id: 'oldest',
    title: 'Oldest',
    isWideOnly: true,
    value: ({ oldestAt }) => oldestAt,
    render: ({ oldestAt }) => (oldestAt === null ? '–' : <RelativeTime at={oldestAt} />),
  },
  {
    id: 'due',
    title: 'Next due',
    isWideOnly: true,
    value: ({ nextDueAt }) => nextDueAt,
    render: ({ nextDueAt }) => (nextDueAt === null ? '–' : <RelativeTime at={nextDueAt} />),
  },
];

function figure(
  id: string,
  title: string,
  value: (row: QueueFigures) => number | null,
): Column<QueueFigures> {
  return {
    id,
    title,
    align: 'right',
    value,
    render: (row) => {
      const count = value(row);
      return count === null ? (
        <span title="This queue cannot be read now">?</span>
      ) : (
        <Copyable value={count}>{countText(count)}</Copyable>
      );
    },
  };
}
