// One provider in one region: a ring while it is limited, the headroom with its forecast, and the circuit.

import { useState } from 'preact/hooks';
import type { Breaker, ProviderLimit, RegionCapacity } from '../../../api/capacity.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { BreakerDiagram } from '../../charts/breaker-diagram.tsx';
import { countdownText, percentText } from '../../charts/figure-text.ts';
import { HeadroomBar } from '../../charts/headroom-bar.tsx';
import { Ring } from '../../charts/ring.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { ClearLimit, ResetCircuit } from './capacity-questions.tsx';
import {
  forecastRatio,
  LIMIT_KINDS,
  regionState,
  shownCircuit,
  shownLimit,
} from './capacity-words.ts';
import './capacity.css';

export type RegionCardProps = {
  readonly region: RegionCapacity;
  readonly limits: readonly ProviderLimit[];
  readonly breakers: readonly Breaker[];
  readonly onChanged: () => void;
};

export function RegionCard(props: RegionCardProps) {
  const { region, onChanged } = props;
  const [question, setQuestion] = useState<'limit' | 'circuit'>();
  const { state, word } = regionState(region);
  const limit = shownLimit(region, props.limits);
  const circuit = shownCircuit(region, props.breakers);
  const close = (): void => setQuestion(undefined);
  return (
    <Card
      span={4}
      title={
        <>
          {region.provider} <span class="region-name">{region.region}</span>
        </>
      }
      aside={<Status state={state} word={word} />}
    >
      <div class="region">
        <LimitPart limit={limit} isOpen={(circuit?.state ?? region.breaker) === 'open'} />
        <HeadroomPart region={region} isLimited={limit !== undefined && limit.model === null} />
        <BreakerDiagram
          label={`${region.provider} ${region.region}`}
          state={circuit?.state ?? region.breaker}
          probesAtMs={circuit?.nextProbeAt ?? undefined}
          nowMs={nowMs.value}
        />
        <div class="region-actions">
          <Button isSmall isDisabled={!limit} onPress={() => setQuestion('limit')}>
            Clear limit
          </Button>
          <Button
            isSmall
            isDisabled={!circuit || circuit.state === 'closed'}
            onPress={() => setQuestion('circuit')}
          >
            Close circuit
          </Button>
          <span class="region-accounts">
            {region.accounts === 1 ? '1 account' : `${region.accounts} accounts`}
          </span>
        </div>
      </div>
      {question === 'limit' && limit ? (
        <ClearLimit limit={limit} onClose={close} onChanged={onChanged} />
      ) : null}
      {question === 'circuit' && circuit ? (
        <ResetCircuit breaker={circuit} onClose={close} onChanged={onChanged} />
      ) : null}
    </Card>
  );
}

function LimitPart(props: {
  readonly limit: ProviderLimit | undefined;
  /** True if no call is sent for a reason other than a limit. */
  readonly isOpen: boolean;
}) {
  const { limit } = props;
  if (!limit)
    return (
      <div class="region-limit">
        <svg
          class="region-no-limit"
          width="96"
          height="96"
          viewBox="0 0 100 100"
          aria-hidden="true"
        >
          <circle cx="50" cy="50" r="42" />
        </svg>
        <p>
          <b>{props.isOpen ? 'No calls' : 'No limit'}</b>
          <span>
            {props.isOpen
              ? 'No limit, but the circuit is open after failures.'
              : 'Calls pass until the provider says otherwise.'}
          </span>
        </p>
      </div>
    );
  const label = [limit.provider, limit.region, limit.model ?? ''].join(' ').trim();
  return (
    <div class="region-limit">
      <Ring label={label} nowMs={nowMs.value} resetsAtMs={limit.resetAt} sinceMs={limit.setAt} />
      <p>
        <b>{limit.model === null ? 'Limited' : `Limited: ${limit.model}`}</b>
        <span>
          {LIMIT_KINDS[limit.kind]} <RelativeTime at={limit.setAt} />
        </span>
      </p>
    </div>
  );
}

function HeadroomPart(props: { readonly region: RegionCapacity; readonly isLimited: boolean }) {
  const { region, isLimited } = props;
  const { headroom } = region;
  const forecast = forecastRatio(region, nowMs.value);
  return (
    <div>
      <HeadroomBar
        label="Headroom"
        remaining={isLimited ? 0 : headroom?.remainingRatio}
        limit={1}
        forecast={isLimited ? undefined : forecast}
        format={percentText}
      />
      <p class="region-forecast figures">
        {isLimited ? 'Nothing is left until the reset.' : headroomText(region)}
      </p>
    </div>
  );
}

function headroomText({ headroom, exhaustedAt }: RegionCapacity): string {
  if (exhaustedAt !== null)
    return `At the present rate it is used up in ${countdownText(exhaustedAt - nowMs.value)}.`;
  return headroom
    ? 'At the present rate it lasts until its reset.'
    : 'Known once an answer of the provider states it.';
}
