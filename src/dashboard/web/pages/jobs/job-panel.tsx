// One job: its timeline, its runs, its events and, for a failed job, the retry. The prompt and the result are not shown: they
// belong to the caller.

import type { JobDetails, JobEvent, JobRun } from '../../../api/jobs.ts';
import { failureText, sendJson } from '../../app/api-client.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { useResource } from '../../app/use-resource.ts';
import { durationText, exactTimeText, moneyText } from '../../charts/figure-text.ts';
import { Waterfall } from '../../charts/timeline/waterfall.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { Facts } from '../facts.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { jobPhrase, jobStatusState, jobStatusWord } from './job-words.ts';

const REFRESH_MS = 2000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'expired']);

export function JobPanel(props: { readonly jobId: string; readonly onClose: () => void }) {
  const path = `/admin/jobs/${encodeURIComponent(props.jobId)}`;
  const { data, failure, reload } = useResource<JobDetails>(path, { refreshMs: REFRESH_MS });
  const retry = async (id: string): Promise<void> => {
    try {
      await sendJson('POST', `/admin/dlq/${encodeURIComponent(id)}/retry`);
      notify('The job is queued again.');
      reload();
    } catch (error) {
      notifyFailure(failureText(error));
    }
  };
  const letter = data?.deadLetterId ?? null;
  return (
    <Dialog
      isPanel
      title={`Job ${data?.id ?? props.jobId}`}
      onClose={props.onClose}
      actions={
        letter === null ? undefined : (
          <Button kind="primary" icon="refresh" onPress={() => void retry(letter)}>
            Retry the job
          </Button>
        )
      }
    >
      <FailureNotice failure={failure} onRetry={reload} />
      {data ? (
        <p class="lead">
          <Status state={jobStatusState(data.status)} word={jobStatusWord(data.status)} />
          <span class="soft"> · {jobPhrase(data, nowMs.value)}</span>
        </p>
      ) : null}
      {failure && !data ? null : <Waterfall timeline={data?.timeline} nowMs={frozenNow(data)} />}
      {data ? <Details job={data} /> : null}
    </Dialog>
  );
}

/** The timeline of a finished job does not depend on the clock. */
function frozenNow(job: JobDetails | undefined): number {
  return job && ENDED.has(job.status) ? job.updatedAt : nowMs.value;
}

function Details({ job }: { readonly job: JobDetails }) {
  return (
    <>
      <Facts
        facts={[
          ['Organisation', <Copyable key="o" value={job.organizationId} />],
          ['Spillway id', <Copyable key="i" value={job.jobId} />],
          [
            'Queue',
            <span key="q" class="mono">
              {job.queue}
            </span>,
          ],
          ['Submitted', <RelativeTime key="s" at={job.createdAt} />],
          [
            'Deadline',
            job.deadline === undefined ? 'none' : <RelativeTime key="d" at={job.deadline} />,
          ],
          ['Priority', job.priority],
        ]}
      />
      {job.runs.length > 0 ? <Runs runs={job.runs} /> : null}
      {job.events.length > 0 ? <Events events={job.events} /> : null}
    </>
  );
}

function Runs({ runs }: { readonly runs: readonly JobRun[] }) {
  return (
    <section class="panel-part">
      <h3>Runs</h3>
      <ol class="plain-list">
        {runs.map((run) => (
          <li key={`${run.run} ${run.attempt}`}>
            <span>
              Run {run.run}, attempt {run.attempt}
              {run.provider === null ? '' : ` at ${run.provider}`}
              {run.model === null ? '' : `, ${run.model}`}
            </span>
            <span class="soft">{runText(run)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function runText({ outcome, code, startedAt, finishedAt, costUsd }: JobRun): string {
  const parts = [
    outcome,
    code ?? '',
    finishedAt === null ? '' : durationText(finishedAt - startedAt),
    costUsd === null ? '' : moneyText(costUsd),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function Events({ events }: { readonly events: readonly JobEvent[] }) {
  return (
    <section class="panel-part">
      <h3>Events</h3>
      <ol class="plain-list">
        {events.map(({ sequence, createdAt, message, type }) => (
          <li key={sequence}>
            <span>{message || type}</span>
            <time class="soft" dateTime={new Date(createdAt).toISOString()}>
              {exactTimeText(createdAt)}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}
