// Alerts: firing alerts as cards, past alerts as a list.

import type { Alert } from '../../../api/logs.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { live } from '../../app/live.ts';
import { linkTo, route, setParams } from '../../app/router.ts';
import { durationText, exactTimeText } from '../../charts/figure-text.ts';
import { usePages } from '../../data/use-pages.ts';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ActionText } from '../action-text.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { alertFigure, alertStateWord, alertTitle } from './alert-words.ts';

const REFRESH_MS = 5000;

export function Alerts() {
  const revision = live.revisions.value?.alerts;
  const options = { refreshMs: REFRESH_MS, revision };
  const firing = usePages<Alert>('/admin/alerts?state=firing&limit=50', ({ id }) => id, options);
  const past = usePages<Alert>('/admin/alerts?state=ended&limit=50', ({ id }) => id, options);
  const { sort } = route.value.params;
  return (
    <div class="alerts">
      <FailureNotice failure={firing.failure ?? past.failure} onRetry={firing.reload} />
      {firing.rows && firing.rows.length > 0 ? (
        <ul class="alert-cards">
          {firing.rows.map((alert) => (
            <FiringAlert key={alert.id} alert={alert} />
          ))}
        </ul>
      ) : null}
      {firing.rows?.length === 0 ? <Empty title="No alert fires" icon="check" /> : null}
      <h2 class="alerts-past">Past alerts</h2>
      <Table
        label="Past alerts"
        columns={COLUMNS}
        rows={past.rows ?? (past.failure ? [] : undefined)}
        keyOf={({ id }) => id}
        sort={sort}
        onSort={(next) => setParams({ sort: next }, true)}
        onMore={past.more}
        isLoadingMore={past.isLoadingMore}
        empty={
          <Empty title="No alert has ended yet">
            Thresholds, windows and receivers are settings; the defaults fire without any.
          </Empty>
        }
      />
    </div>
  );
}

function FiringAlert({ alert }: { readonly alert: Alert }) {
  const tone = alert.severity === 'critical' ? 'bad' : 'degraded';
  return (
    <li class={`alert-card alert-${tone}`}>
      <div class="alert-head">
        <Badge state={tone}>{alertStateWord(alert)}</Badge>
        <strong>{alertTitle(alert)}</strong>
        <span class="soft" title={`Since ${exactTimeText(alert.startedAt)}`}>
          for {durationText(nowMs.value - alert.startedAt)}
        </span>
      </div>
      <p>
        <ActionText text={withoutReference(alert.message)} />
      </p>
      <p class="soft">
        {alertFigure(alert)} · reported by {alert.serverId} ·{' '}
        <a href={linkTo('logs', { tab: 'runbook', section: alert.name })}>Runbook</a>
      </p>
    </li>
  );
}

/** The card has a link to the section. */
function withoutReference(message: string): string {
  return message.replace(/ See docs\/runbook\.md#[a-z0-9-]+\.$/, '');
}

const COLUMNS: readonly Column<Alert>[] = [
  {
    id: 'name',
    title: 'Alert',
    value: ({ name }) => name,
    render: (alert) => (
      <span class="two-lines">
        <span>{alertTitle(alert)}</span>
        <span class="soft alert-message">{withoutReference(alert.message)}</span>
      </span>
    ),
  },
  {
    id: 'severity',
    title: 'Severity',
    isWideOnly: true,
    value: ({ severity }) => severity,
    render: ({ severity }) => (
      <Status state={severity === 'critical' ? 'bad' : 'degraded'} word={severity} />
    ),
  },
  { id: 'figure', title: 'Figure', isWideOnly: true, render: (alert) => alertFigure(alert) },
  {
    id: 'started',
    title: 'Began',
    value: ({ startedAt }) => startedAt,
    render: ({ startedAt }) => (
      <span class="no-wrap">
        <RelativeTime at={startedAt} />
      </span>
    ),
  },
  {
    id: 'lasted',
    title: 'Lasted',
    align: 'right',
    isWideOnly: true,
    value: ({ startedAt, endedAt }) => (endedAt ?? startedAt) - startedAt,
    render: ({ startedAt, endedAt }) =>
      endedAt === null ? '–' : <span class="no-wrap">{durationText(endedAt - startedAt)}</span>,
  },
];
