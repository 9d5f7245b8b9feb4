// Every circuit: its state in words, its counts and its next probe. A row of one organisation or model is a narrower circuit.

import { useState } from 'preact/hooks';
import type { Breaker, BreakerState } from '../../../api/capacity.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { route, setParams } from '../../app/router.ts';
import { countdownText } from '../../charts/figure-text.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ResetCircuit } from './capacity-questions.tsx';

const STATES: Readonly<Record<BreakerState, { readonly state: State; readonly word: string }>> = {
  closed: { state: 'good', word: 'closed' },
  open: { state: 'bad', word: 'open' },
  half_open: { state: 'degraded', word: 'probing' },
};

export function CircuitsTable(props: {
  readonly breakers: readonly Breaker[] | undefined;
  readonly onChanged: () => void;
}) {
  const [asked, setAsked] = useState<Breaker>();
  return (
    <>
      <Table
        label="Circuits"
        columns={columnsOf(setAsked)}
        rows={props.breakers}
        keyOf={({ provider, region }) => `${provider} ${region}`}
        sort={route.value.params.circuits}
        onSort={(circuits) => setParams({ circuits }, true)}
        skeletonRows={3}
        empty={
          <Empty title="No circuit yet" icon="circle">
            Each provider and region gets a circuit with its first call.
          </Empty>
        }
      />
      {asked ? (
        <ResetCircuit
          breaker={asked}
          onClose={() => setAsked(undefined)}
          onChanged={props.onChanged}
        />
      ) : null}
    </>
  );
}

function columnsOf(onReset: (breaker: Breaker) => void): readonly Column<Breaker>[] {
  return [
    {
      id: 'scope',
      title: 'Provider',
      value: ({ provider, region }) => `${provider} ${region}`,
      render: ({ provider, region }) => `${provider} ${region}`,
    },
    {
      id: 'state',
      title: 'State',
      value: ({ state }) => STATES[state].word,
      render: ({ state, cause }) => (
        <>
          <Status {...STATES[state]} />
          {cause === null ? null : (
            <span class="scope-model"> by {cause === 'limit' ? 'a limit' : 'failures'}</span>
          )}
        </>
      ),
    },
    {
      id: 'failures',
      title: 'Failed calls',
      align: 'right',
      isWideOnly: true,
      value: ({ failuresInWindow }) => failuresInWindow,
      render: ({ failuresInWindow, callsInWindow }) => `${failuresInWindow} of ${callsInWindow}`,
    },
    {
      id: 'opened',
      title: 'Opened',
      isWideOnly: true,
      value: ({ openedAt }) => openedAt,
      render: ({ openedAt }) => (openedAt === null ? '–' : <RelativeTime at={openedAt} />),
    },
    {
      id: 'probe',
      title: 'Next probe',
      isWideOnly: true,
      value: ({ nextProbeAt }) => nextProbeAt,
      render: ({ nextProbeAt, state }) => probeText(state, nextProbeAt),
    },
    {
      id: 'reset',
      title: 'Action',
      align: 'right',
      render: (breaker) =>
        breaker.state === 'closed' ? null : (
          <Button isSmall onPress={() => onReset(breaker)}>
            Close
          </Button>
        ),
    },
  ];
}

function probeText(state: BreakerState, nextProbeAt: number | null): string {
  if (state === 'closed') return '–';
  if (nextProbeAt === null) return 'in flight';
  return nextProbeAt <= nowMs.value
    ? 'with the next call'
    : `in ${countdownText(nextProbeAt - nowMs.value)}`;
}
