// The page Cluster: the map, the servers with their switches, disagreements, recommendations and scaling.

import { useState } from 'preact/hooks';
import type { ClusterStatus, Scaling } from '../../../api/cluster.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { live } from '../../app/live.ts';
import { linkTo } from '../../app/router.ts';
import { useResource } from '../../app/use-resource.ts';
import { ClusterMap } from '../../charts/cluster/cluster-map.tsx';
import { disagreementText } from '../../charts/cluster/server-state.ts';
import { nearTimeText } from '../../charts/figure-text.ts';
import { Card, Grid, PageHead } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { Routing } from './routing.tsx';
import { ScalingTable } from './scaling-table.tsx';
import { type ModeQuestion, ServerModeQuestion } from './server-mode.tsx';
import { Servers } from './servers.tsx';
import './cluster-page.css';

const REFRESH_MS = 3000;

export default function ClusterPage() {
  const status = useResource<ClusterStatus>('/cluster/status', {
    refreshMs: REFRESH_MS,
    revision: modesOf(),
  });
  const scaling = useResource<Scaling>('/cluster/scaling', { refreshMs: 5 * REFRESH_MS });
  const [question, setQuestion] = useState<ModeQuestion>();
  const data = status.data && withForwarding(status.data);
  return (
    <>
      <PageHead title="Cluster" />
      <FailureNotice failure={status.failure} onRetry={status.reload} />
      {data?.isStale ? (
        <p class="failure-notice" role="status">
          <StatusShape state="degraded" /> The registry is unavailable. The page shows its last
          reading.
        </p>
      ) : null}
      <Grid>
        <Card span={12}>
          <ClusterMap status={data} linkOf={(server) => linkTo('cluster', { server })} />
        </Card>
        <Card span={12} title="Servers" isFlush>
          <Servers status={data} onAsk={setQuestion} />
        </Card>
        <Card span={6} title="Disagreements and advice">
          {data ? <Advice status={data} /> : null}
        </Card>
        <Card span={6} title="Where requests were served">
          <Routing status={data} />
        </Card>
        <Card span={12} title="Scaling" isFlush>
          <ScalingTable scaling={scaling.data} failure={scaling.failure} />
        </Card>
      </Grid>
      {question ? (
        <ServerModeQuestion
          question={question}
          onClose={() => setQuestion(undefined)}
          onDone={status.reload}
        />
      ) : null}
    </>
  );
}

/** A server of an earlier version answers without the pairs: the map then has no arrows. */
function withForwarding(status: Omit<ClusterStatus, 'forwarding'> & Partial<ClusterStatus>) {
  return { ...status, forwarding: status.forwarding ?? [] };
}

/** Changes when a server joins, leaves or changes its mode. */
function modesOf(): string {
  return (live.servers.value ?? [])
    .map(({ id, mode, health }) => `${id} ${mode} ${health}`)
    .join(',');
}

/** The sentences of the API state times in UTC, for programs too. */
function withLocalTimes(message: string): string {
  return message.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
    nearTimeText(Date.parse(time), nowMs.value),
  );
}

function Advice({ status }: { readonly status: ClusterStatus }) {
  const { disagreements, recommendations } = status;
  if (disagreements.length + recommendations.length === 0) {
    return (
      <Empty title="Nothing to do" icon="check">
        All servers agree about limits and circuits, and no change is advised.
      </Empty>
    );
  }
  return (
    <ul class="advice">
      {disagreements.map((disagreement) => (
        <li key={`${disagreement.subject} ${disagreement.provider} ${disagreement.region}`}>
          <StatusShape state="degraded" />
          <span>{disagreementText(disagreement)}</span>
        </li>
      ))}
      {recommendations.map(({ action, subject, message }) => (
        <li key={`${action} ${subject}`}>
          <StatusShape state="unknown" />
          <span>{withLocalTimes(message)}</span>
        </li>
      ))}
    </ul>
  );
}
