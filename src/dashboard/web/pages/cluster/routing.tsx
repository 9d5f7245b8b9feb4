// How requests were routed: here, forwarded to another server, or failed, by reason, and the pairs that forward.

import type { ClusterStatus } from '../../../api/cluster.ts';
import { countText } from '../../charts/figure-text.ts';
import { clampFraction } from '../../charts/scale.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { routingRows } from './routing-rows.ts';

export function Routing({ status }: { readonly status: ClusterStatus | undefined }) {
  if (!status) return <Skeleton width="100%" height={120} />;
  const rows = routingRows(status.routing);
  const largest = Math.max(1, ...rows.map(({ count }) => count));
  const pairs = status.forwarding.filter(({ count }) => count > 0);
  return (
    <div class="routing">
      {rows.length === 0 ? <p class="soft">No request was routed yet.</p> : null}
      <ul class="routing-rows">
        {rows.map(({ key, text, count }) => (
          <li key={key}>
            <span>{text}</span>
            <span class="routing-bar" aria-hidden="true">
              <span style={{ width: `${clampFraction(count / largest) * 100}%` }} />
            </span>
            <span class="figure">{countText(count)}</span>
          </li>
        ))}
      </ul>
      {pairs.length > 0 ? (
        <ul class="routing-pairs soft">
          {pairs.map(({ from, to, count }) => (
            <li key={`${from} ${to}`}>
              {from} → {to}: {countText(count)} requests
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
