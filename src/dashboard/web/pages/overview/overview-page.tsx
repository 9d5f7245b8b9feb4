// The overview: present problems and their remedies, then traffic, errors, latency and spend over the range. Findings and the
// present minute come from the live state, the series from its own endpoint.

import type { Overview } from '../../../api/overview.ts';
import { live } from '../../app/live.ts';
import { linkTo, navigate } from '../../app/router.ts';
import { chooseCustomRange, rangeQuery } from '../../app/time-range.ts';
import { useResource } from '../../app/use-resource.ts';
import {
  countText,
  durationText,
  moneyText,
  percentText,
  rateText,
} from '../../charts/figure-text.ts';
import { COUNT_STEPS, DURATION_STEPS } from '../../charts/plot-options.ts';
import type { SeriesData } from '../../charts/series-data.ts';
import { TimeSeries, type TimeSeriesProps } from '../../charts/time-series.tsx';
import { Card, Grid, PageHead } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Stat } from '../../ui/stat.tsx';
import { Findings } from './findings.tsx';
import { withLiveMinute } from './live-series.ts';
import { errorLines, latencyLines, spendLines, trafficLines } from './overview-charts.ts';

const REFRESH_MS = 10_000;
const CHART_HEIGHT = 200;
const LATENCY_THRESHOLDS = [{ value: 10_000, label: 'alert at 10 s', tone: 'bad' }] as const;

export default function OverviewPage() {
  const { data, failure } = useResource<Overview>(`/admin/dashboard/overview?${rangeQuery.value}`, {
    refreshMs: REFRESH_MS,
  });
  return (
    <>
      <PageHead title="Overview" />
      <Notice failure={failure} />
      <Grid>
        <PresentFindings overview={data} />
        <Figures overview={data} />
        <Traffic overview={data} />
      </Grid>
    </>
  );
}

function PresentFindings({ overview }: { readonly overview: Overview | undefined }) {
  return <Findings findings={live.findings.value ?? overview?.findings} />;
}

function Traffic({ overview }: { readonly overview: Overview | undefined }) {
  return isIdle(overview) ? <NoTraffic /> : <Charts overview={overview} />;
}

function Figures({ overview }: { readonly overview: Overview | undefined }) {
  const totals = overview?.totals;
  const spend = overview?.spend;
  const minute = live.minute.value;
  const latency = totals?.latencyMs;
  return (
    <>
      <Card span={3}>
        <Stat
          label="Requests"
          value={totals?.requests}
          format={countText}
          note={
            minute ? `${rateText(minute.requests)} this minute, ${minute.inFlight} in flight` : ''
          }
        />
      </Card>
      <Card span={3}>
        <Stat
          label="Failed"
          value={totals === undefined ? undefined : totals.errorRatio}
          format={percentText}
          note={
            totals ? `${countText(totals.errors)} failed, ${countText(totals.retries)} retried` : ''
          }
        />
      </Card>
      <Card span={3}>
        <Stat
          label="Latency, p95"
          value={latency === undefined ? undefined : latency.p95}
          format={durationText}
          note={latency ? `p50 ${textOf(latency.p50)}, p99 ${textOf(latency.p99)}` : ''}
        />
      </Card>
      <Card span={3}>
        <Stat
          label="Spend today"
          value={spend?.todayUsd}
          format={moneyText}
          note={spend ? monthText(spend.monthUsd, spend.forecastMonthUsd) : ''}
        />
      </Card>
    </>
  );
}

function Charts({ overview }: { readonly overview: Overview | undefined }) {
  const series = overview && withLiveMinute(overview.series, live.minute.value);
  const lines = (of: (from: Overview['series']) => SeriesData): SeriesData | undefined =>
    series && of(series);
  const partialFromMs = series?.isLastPartial ? series.at.at(-1) : undefined;
  return (
    <>
      <Chart
        title="Requests"
        kind="bars"
        data={lines(trafficLines)}
        format={countText}
        steps={COUNT_STEPS}
        partialFromMs={partialFromMs}
        emptyText="No requests in this range."
      />
      <Chart
        title="Failures by code"
        kind="bars"
        data={lines(errorLines)}
        format={countText}
        steps={COUNT_STEPS}
        partialFromMs={partialFromMs}
        emptyText="No failures in this range."
      />
      <Chart
        title="Latency"
        kind="lines"
        data={lines(latencyLines)}
        format={durationText}
        steps={DURATION_STEPS}
        partialFromMs={partialFromMs}
        thresholds={LATENCY_THRESHOLDS}
        emptyText="No answers in this range."
      />
      <Chart
        title="Spend"
        kind="bars"
        data={lines(spendLines)}
        format={moneyText}
        partialFromMs={partialFromMs}
        emptyText="No spend in this range."
      />
    </>
  );
}

function Chart(props: TimeSeriesProps) {
  return (
    <Card span={6}>
      <TimeSeries
        height={CHART_HEIGHT}
        onZoom={chooseCustomRange}
        onOpen={openRequests}
        {...props}
      />
    </Card>
  );
}

/** True if there is no request in the range and none in the current minute. */
function isIdle(overview: Overview | undefined): boolean {
  return overview?.totals.requests === 0 && (live.minute.value?.requests ?? 0) === 0;
}

function NoTraffic() {
  const command = [
    `curl ${window.location.origin}/v1/messages \\`,
    '  -H "authorization: Bearer $SPILLWAY_API_KEY" -H "content-type: application/json" \\',
    `  -d '{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n');
  return (
    <Card>
      <Empty title="No request in this range" icon="overview" command={command}>
        Send one from the page <a href={linkTo('try')}>Try it</a>, or from a shell with a key of the
        gateway: traffic, failures, latency and spend appear here within seconds.
      </Empty>
    </Card>
  );
}

/** The requests behind a bucket of a chart. */
function openRequests(from: number, to: number): void {
  navigate('logs', { tab: 'requests', from: String(from), to: String(to), range: '' });
}

function textOf(ms: number | null): string {
  return ms === null ? '–' : durationText(ms);
}

function monthText(monthUsd: number, forecastUsd: number | null): string {
  const month = `${moneyText(monthUsd)} this month`;
  return forecastUsd === null ? month : `${month}, ${moneyText(forecastUsd)} forecast`;
}
