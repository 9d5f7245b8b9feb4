// The page Jobs: the flow, the queues, the list of jobs with one job's timeline, and the dead letters. The address holds the
// open tab, the filters, the order and the open job.

import type { JobsPage as JobsData } from '../../../api/jobs.ts';
import { route, setParams } from '../../app/router.ts';
import { chooseCustomRange, rangeQuery } from '../../app/time-range.ts';
import { useResource } from '../../app/use-resource.ts';
import { countText } from '../../charts/figure-text.ts';
import { Flow } from '../../charts/jobs/flow.tsx';
import { COUNT_STEPS } from '../../charts/plot-options.ts';
import { TimeSeries } from '../../charts/time-series.tsx';
import { Card, Grid, PageHead } from '../../ui/card.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { JobList, LIST_ID, showSubmitted } from './job-list.tsx';
import { JobPanel } from './job-panel.tsx';
import { Queues } from './queues.tsx';

const REFRESH_MS = 4000;

export default function JobsPage() {
  const { tab = 'list', job } = route.value.params;
  const { data, failure, reload } = useResource<JobsData>(
    `/admin/dashboard/jobs?${rangeQuery.value}`,
    { refreshMs: REFRESH_MS },
  );
  const deadLetters = data?.flow.deadLetters ?? 0;
  return (
    <>
      <PageHead title="Jobs" />
      <FailureNotice failure={failure} onRetry={reload} />
      <Grid>
        <Card span={12}>
          <Flow flow={data?.flow} />
        </Card>
        <Card span={5}>
          <TimeSeries
            title="Jobs"
            kind="lines"
            data={data && (hasMoved(data) ? jobLines(data) : NO_LINES)}
            format={countText}
            steps={COUNT_STEPS}
            partialFromMs={data?.series.isLastPartial ? data.series.at.at(-1) : undefined}
            emptyText="No job has moved in this range."
            onZoom={chooseCustomRange}
            onOpen={showSubmitted}
            openHint="Click: jobs of this interval"
          />
        </Card>
        <Card span={7} title="Queues" isFlush>
          <Queues queues={data?.queues} />
        </Card>
        <Card span={12} isFlush id={LIST_ID}>
          <Tabs
            label="Lists"
            selected={tab}
            onSelect={(id) => setParams({ tab: id === 'list' ? '' : id, job: '' })}
            tabs={[
              { id: 'list', title: 'All jobs' },
              {
                id: 'dead',
                title: deadLetters > 0 ? `Dead letters (${deadLetters})` : 'Dead letters',
              },
            ]}
          >
            {tab === 'dead' ? <DeadLetters count={deadLetters} onChange={reload} /> : <JobList />}
          </Tabs>
        </Card>
      </Grid>
      {job ? <JobPanel key={job} jobId={job} onClose={() => setParams({ job: '' })} /> : null}
    </>
  );
}

const NO_LINES = { times: [], lines: [] };

function hasMoved({ series: { jobs } }: JobsData): boolean {
  return [jobs.in, jobs.out, jobs.delayed, jobs.failed].some((column) =>
    column.some((value) => (value ?? 0) > 0),
  );
}

function jobLines({ series: { at, jobs } }: JobsData) {
  return {
    times: at,
    lines: [
      { label: 'In', tone: 'series-1', values: jobs.in },
      { label: 'Out', tone: 'series-2', values: jobs.out },
      { label: 'Delayed', tone: 'degraded', values: jobs.delayed },
      { label: 'Failed', tone: 'bad', values: jobs.failed },
    ] as const,
  };
}
