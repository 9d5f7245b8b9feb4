// The list of jobs, newest first, with filters in the address. A click on the chart bounds
// it by the time of submission. A row opens the job's timeline.

import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { JobRow } from '../../../api/jobs.ts';
import { now, nowMs } from '../../app/browser-clock.ts';
import { route, setParams } from '../../app/router.ts';
import { nearTimeText } from '../../charts/figure-text.ts';
import { withQuery } from '../../data/query.ts';
import { usePages } from '../../data/use-pages.ts';
import { Empty } from '../../ui/empty.tsx';
import { Select } from '../../ui/field.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { isFiltered, PagedList } from '../paged-list.tsx';
import { SearchField } from '../search-field.tsx';
import {
  JOB_STATUSES,
  jobCursorAt,
  jobPhrase,
  jobStatusState,
  jobStatusWord,
} from './job-words.ts';

const REFRESH_MS = 4000;
const COMMAND = `curl -X POST "$SPILLWAY_URL/v1/jobs" -H "authorization: Bearer $SPILLWAY_KEY" \\
  -H "content-type: application/json" -d '{"prompt": "Hello"}'`;

export function JobList() {
  const { status = '', org = '', job } = route.value.params;
  const bounds = submissionBounds();
  // With a status and without an organisation the server lists jobs in another order.
  const isNewestFirst = status === '' || org !== '';
  const pages = usePages<JobRow>(
    withQuery('/admin/jobs', {
      status,
      org,
      limit: 50,
      cursor: isNewestFirst ? bounds && jobCursorAt(bounds.to) : undefined,
    }),
    keyOf,
    {
      refreshMs: REFRESH_MS,
      until: isNewestFirst && bounds ? ({ createdAt }) => createdAt < bounds.from : undefined,
    },
  );
  const isWithin = ({ createdAt }: JobRow): boolean =>
    !bounds || (createdAt >= bounds.from && createdAt < bounds.to);
  return (
    <PagedList
      label="Jobs"
      pages={pages}
      keyOf={keyOf}
      columns={COLUMNS}
      filterNames={FILTERS}
      matches={bounds && !isNewestFirst ? isWithin : undefined}
      filters={
        <>
          <Select
            label="Status"
            value={status}
            choices={STATUS_CHOICES}
            onChange={(value) => setParams({ status: value })}
          />
          <SearchField
            label="Organisation"
            value={org}
            onChange={(value) => setParams({ org: value }, true)}
          />
          {bounds ? (
            <p class="filter-note">
              Submitted from {nearTimeText(bounds.from, now())} to {nearTimeText(bounds.to, now())}
            </p>
          ) : null}
        </>
      }
      onOpen={({ jobId }) => setParams({ job: jobId })}
      selectedKey={job}
      skeletonRows={10}
      empty={isFiltered(FILTERS) ? NO_MATCH : <NoJobs />}
    />
  );
}

function NoJobs() {
  return (
    <Empty title="No jobs yet" icon="jobs" command={COMMAND}>
      Work that can wait is a job: the gateway queues it, keeps within every limit and delivers the
      result. Submit one with an organisation's key:
    </Empty>
  );
}

const FILTERS = ['status', 'org', 'submittedFrom', 'submittedTo'] as const;

/** The bucket of the chart that the list shows. */
export function showSubmitted(from: number, to: number): void {
  setParams({ tab: '', submittedFrom: String(from), submittedTo: String(to) });
  document.getElementById(LIST_ID)?.scrollIntoView({ block: 'nearest' });
}

/** The element that holds the list. */
export const LIST_ID = 'job-lists';

function submissionBounds(): { readonly from: number; readonly to: number } | undefined {
  const { submittedFrom, submittedTo } = route.value.params;
  const [from, to] = [Number(submittedFrom), Number(submittedTo)];
  return from > 0 && to > from ? { from, to } : undefined;
}
const NO_MATCH = <Empty title="No job matches these filters" icon="filter" />;

function keyOf({ jobId }: JobRow): string {
  return jobId;
}

/** A separate component, because its time changes every second and the row does not. */
function Phrase({ job }: { readonly job: JobRow }) {
  const text = useMemo(() => computed(() => jobPhrase(job, nowMs.value)), [job]);
  return <>{text}</>;
}

const STATUS_CHOICES = [
  { value: '', text: 'any' },
  ...JOB_STATUSES.map((status) => ({ value: status, text: jobStatusWord(status) })),
];

const COLUMNS: readonly Column<JobRow>[] = [
  {
    id: 'status',
    title: 'Status',
    value: ({ status }) => status,
    render: ({ status }) => <Status state={jobStatusState(status)} word={jobStatusWord(status)} />,
  },
  {
    id: 'id',
    title: 'Job',
    value: ({ id }) => id,
    render: (job) => (
      <>
        <span class="mono cut">{job.id}</span>
        <span class="soft narrow-only">
          <Phrase job={job} />
        </span>
      </>
    ),
  },
  {
    id: 'now',
    title: 'Now',
    isWideOnly: true,
    render: (job) => (
      <span class="cut-line">
        <Phrase job={job} />
      </span>
    ),
  },
  {
    id: 'org',
    title: 'Organisation',
    isWideOnly: true,
    value: ({ organizationId }) => organizationId,
    render: ({ organizationId }) => <span class="cut">{organizationId}</span>,
  },
  {
    id: 'model',
    title: 'Model',
    isWideOnly: true,
    value: ({ assignedProvider }) => assignedProvider,
    render: ({ assignedProvider, assignedModel }) =>
      assignedProvider === null ? (
        '–'
      ) : (
        <span class="cut" title={assignedProvider}>
          {assignedModel ?? assignedProvider}
        </span>
      ),
  },
  {
    id: 'attempts',
    title: 'Attempts',
    align: 'right',
    isRoomyOnly: true,
    value: ({ attempts }) => attempts,
    render: ({ attempts }) => attempts,
  },
  {
    id: 'created',
    title: 'Submitted',
    value: ({ createdAt }) => createdAt,
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];
