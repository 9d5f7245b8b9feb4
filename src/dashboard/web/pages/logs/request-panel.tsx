// One request as a timeline, with its attempts. The provider's texts, the prompt and the answer are not shown: the page states
// codes and statuses, and the command that prints the stored record.

import type { RequestAttempt, RequestDetails } from '../../../api/requests.ts';
import { now } from '../../app/browser-clock.ts';
import { linkTo } from '../../app/router.ts';
import { useResource } from '../../app/use-resource.ts';
import { durationText } from '../../charts/figure-text.ts';
import { Waterfall } from '../../charts/timeline/waterfall.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { Facts } from '../facts.tsx';
import { FailureNotice } from '../failure-notice.tsx';

export function RequestPanel({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}) {
  const { data, failure, reload } = useResource<RequestDetails>(
    `/admin/requests/${encodeURIComponent(id)}`,
  );
  return (
    <Dialog isPanel title={`Request ${id}`} onClose={onClose}>
      <FailureNotice failure={failure} onRetry={reload} />
      {failure && !data ? (
        <p class="soft">
          A request has a timeline while its usage or its failure is stored. A request that was
          refused before it reached a provider may have none.
        </p>
      ) : (
        <Waterfall timeline={data?.timeline} nowMs={now()} />
      )}
      {data ? <Details request={data} /> : null}
    </Dialog>
  );
}

/** The request of a job's run is named after the job. */
const RUN_ID = /^(job_[0-9a-f]+)\.\d+$/;

function Details({ request }: { readonly request: RequestDetails }) {
  const [, job] = RUN_ID.exec(request.id) ?? [];
  return (
    <>
      <Facts
        facts={[
          [
            'Organisation',
            <a key="o" href={linkTo('money', { org: request.organizationId })}>
              {request.organizationId}
            </a>,
          ],
          ['Began', <RelativeTime key="b" at={request.timeline.startedAt} />],
          ['Request id', <Copyable key="i" value={request.id} />],
          job === undefined
            ? [
                'Correlation id',
                request.correlationId ? <Copyable key="c" value={request.correlationId} /> : 'none',
              ]
            : [
                'Job',
                <a key="j" href={linkTo('jobs', { job })}>
                  Open the job
                </a>,
              ],
        ]}
      />
      {request.attempts.length > 0 ? (
        <section class="panel-part">
          <h3>Attempts</h3>
          <ol class="plain-list">
            {request.attempts.map((attempt) => (
              <Attempt key={attempt.id} attempt={attempt} />
            ))}
          </ol>
        </section>
      ) : null}
    </>
  );
}

function Attempt({ attempt }: { readonly attempt: RequestAttempt }) {
  const { number, provider, model, status, code, startedAt, endedAt, firstContentMs } = attempt;
  return (
    <li>
      <span>
        {number}. {provider ?? 'no provider'}
        {model ? `, ${model}` : ''}
      </span>
      <span>
        <Status state={code === 'OK' ? 'good' : 'bad'} word={code} />{' '}
        <span class="soft">
          {status === undefined ? '' : `HTTP ${status}, `}
          {durationText(endedAt - startedAt)}
          {firstContentMs === undefined
            ? ''
            : `, first content after ${durationText(firstContentMs)}`}
        </span>
      </span>
    </li>
  );
}
