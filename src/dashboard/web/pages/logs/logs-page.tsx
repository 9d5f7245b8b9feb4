// The page Logs and alerts: the tail of the log, the requests of a time range, and alerts, firing and past. A request opens
// as a timeline beside the list.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { live } from '../../app/live.ts';
import { route, setParams } from '../../app/router.ts';
import { Card, PageHead } from '../../ui/card.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Alerts } from './alerts.tsx';
import { LogTail } from './log-tail.tsx';
import { RequestList } from './request-list.tsx';
import { RequestPanel } from './request-panel.tsx';
import './logs-page.css';

export default function LogsPage() {
  const { tab = 'logs', request } = route.value.params;
  const firing = live.alerts.value?.length ?? 0;
  return (
    <>
      <PageHead title="Logs and alerts" />
      <Card span={12} isFlush>
        <Tabs
          label="Logs, requests and alerts"
          selected={tab}
          onSelect={(id) => setParams({ ...NO_FILTERS, tab: id === 'logs' ? '' : id })}
          tabs={[
            { id: 'logs', title: 'Logs' },
            { id: 'requests', title: 'Requests' },
            { id: 'alerts', title: firing > 0 ? `Alerts (${firing} firing)` : 'Alerts' },
            { id: 'runbook', title: 'Runbook' },
          ]}
        >
          <TabContent tab={tab} />
        </Tabs>
      </Card>
      {request ? (
        <RequestPanel key={request} id={request} onClose={() => setParams({ request: '' })} />
      ) : null}
    </>
  );
}

function TabContent({ tab }: { readonly tab: string }) {
  if (tab === 'alerts') return <Alerts />;
  if (tab === 'requests') return <RequestList />;
  return tab === 'runbook' ? <LazyRunbook /> : <LogTail />;
}

/** The text of the runbook is loaded when it is first opened. */
function LazyRunbook() {
  const [content, setContent] = useState<{ readonly Component: ComponentType }>();
  useEffect(() => {
    import('./runbook/runbook.tsx').then(
      ({ default: Component }) => setContent({ Component }),
      () => setContent({ Component: RunbookUnavailable }),
    );
  }, []);
  return content ? <content.Component /> : <p class="visually-hidden">Loading the runbook …</p>;
}

function RunbookUnavailable() {
  return (
    <p class="runbook">The runbook could not be loaded. It is docs/runbook.md of the package.</p>
  );
}

/** The tabs have different filters, so a change of tab clears them. */
const NO_FILTERS = {
  type: '',
  level: '',
  text: '',
  server: '',
  code: '',
  model: '',
  provider: '',
  org: '',
  slower: '',
  sort: '',
  request: '',
  section: '',
};
