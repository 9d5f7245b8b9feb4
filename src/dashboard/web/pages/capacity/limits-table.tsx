// The limits in force, of whole regions and of single models.

import { useState } from 'preact/hooks';
import type { ProviderLimit } from '../../../api/capacity.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { linkTo, route, setParams } from '../../app/router.ts';
import { countdownText, nearTimeText } from '../../charts/figure-text.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ClearLimit } from './capacity-questions.tsx';
import { LIMIT_KINDS } from './capacity-words.ts';

export function LimitsTable(props: {
  readonly limits: readonly ProviderLimit[] | undefined;
  readonly onChanged: () => void;
}) {
  const [asked, setAsked] = useState<ProviderLimit>();
  return (
    <>
      <Table
        label="Limits in force"
        columns={columnsOf(setAsked)}
        rows={props.limits}
        keyOf={keyOf}
        sort={route.value.params.limits ?? 'reset'}
        onSort={(limits) => setParams({ limits }, true)}
        skeletonRows={2}
        empty={
          <Empty title="No provider is limited" icon="check">
            A limit appears here as soon as a provider states one, with its countdown.
          </Empty>
        }
      />
      {asked ? (
        <ClearLimit limit={asked} onClose={() => setAsked(undefined)} onChanged={props.onChanged} />
      ) : null}
    </>
  );
}

function columnsOf(onClear: (limit: ProviderLimit) => void): readonly Column<ProviderLimit>[] {
  return [
    {
      id: 'provider',
      title: 'Provider',
      value: ({ provider, region }) => `${provider} ${region}`,
      render: ({ provider, region, model }) => (
        <>
          {provider} {region}
          {model === null ? null : <span class="scope-model">, {model}</span>}
        </>
      ),
    },
    {
      id: 'reset',
      title: 'Ends in',
      value: ({ resetAt }) => resetAt,
      render: ({ resetAt }) => (
        <>
          <b class="figures">{countdownText(resetAt - nowMs.value)}</b>{' '}
          <span class="scope-model">at {nearTimeText(resetAt, nowMs.value)}</span>
        </>
      ),
    },
    { id: 'kind', title: 'Reason', isWideOnly: true, render: ({ kind }) => LIMIT_KINDS[kind] },
    {
      id: 'since',
      title: 'Since',
      isWideOnly: true,
      value: ({ setAt }) => setAt,
      render: ({ setAt }) => <RelativeTime at={setAt} />,
    },
    { id: 'by', title: 'Set by', isWideOnly: true, render: ({ setBy }) => setBy },
    {
      id: 'request',
      title: 'Request',
      isWideOnly: true,
      render: ({ requestId }) =>
        requestId === null ? (
          '–'
        ) : (
          <a href={linkTo('logs', { tab: 'requests', request: requestId })}>timeline</a>
        ),
    },
    {
      id: 'clear',
      title: 'Action',
      align: 'right',
      render: (limit) => (
        <Button isSmall onPress={() => onClear(limit)}>
          Clear
        </Button>
      ),
    },
  ];
}

function keyOf({ provider, region, model }: ProviderLimit): string {
  return [provider, region, model].join(' ');
}
