// The requests of a time range, newest first, with filters. A click on a chart opens this list with the range of the clicked bucket.

import type { RequestRow } from '../../../api/requests.ts';
import { now } from '../../app/browser-clock.ts';
import { live } from '../../app/live.ts';
import { route, setParams } from '../../app/router.ts';
import { countText, durationText, moneyText } from '../../charts/figure-text.ts';
import { withQuery } from '../../data/query.ts';
import { usePages } from '../../data/use-pages.ts';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { isFiltered, PagedList } from '../paged-list.tsx';
import { SearchField } from '../search-field.tsx';
import { rangeStart, shownRange } from './range-bounds.ts';

const REFRESH_MS = 5000;

export function RequestList() {
  const {
    code = '',
    model = '',
    provider = '',
    org = '',
    slower = '',
    request,
  } = route.value.params;
  const range = shownRange.value;
  const path = withQuery('/admin/requests', {
    from: rangeStart(range, now()),
    to: range.kind === 'custom' ? range.to : undefined,
    code,
    model,
    provider,
    organizationId: org,
    minLatencyMs: slower,
    limit: 100,
  });
  const pages = usePages<RequestRow>(path, keyOf, {
    refreshMs: REFRESH_MS,
    revision: live.revisions.value?.requests,
  });
  return (
    <PagedList
      label="Requests"
      pages={pages}
      keyOf={keyOf}
      columns={COLUMNS}
      filterNames={FILTER_NAMES}
      filters={FILTERS.map(({ name, label, placeholder }) => (
        <SearchField
          key={name}
          label={label}
          value={route.value.params[name] ?? ''}
          placeholder={placeholder}
          onChange={(value) => setParams({ [name]: value }, true)}
        />
      ))}
      onOpen={({ id }) => setParams({ request: id })}
      selectedKey={request}
      skeletonRows={16}
      empty={<NoRequest isFiltered={isFiltered(FILTER_NAMES)} />}
    />
  );
}

function NoRequest(props: { readonly isFiltered: boolean }) {
  return (
    <Empty title="No request in this range" icon={props.isFiltered ? 'filter' : 'search'}>
      {props.isFiltered
        ? 'No request matches these filters in the time range of the top bar.'
        : 'Choose a longer range in the top bar, or send a request on the page Try it.'}
    </Empty>
  );
}

function keyOf({ id }: RequestRow): string {
  return id;
}

const FILTERS = [
  { name: 'code', label: 'Code', placeholder: 'OK, failed …' },
  { name: 'provider', label: 'Provider', placeholder: 'any' },
  { name: 'model', label: 'Model', placeholder: 'any' },
  { name: 'org', label: 'Organisation', placeholder: 'any' },
  { name: 'slower', label: 'Slower than, ms', placeholder: '0' },
] as const;

const FILTER_NAMES = FILTERS.map(({ name }) => name);

const COLUMNS: readonly Column<RequestRow>[] = [
  { id: 'at', title: 'Ended', value: ({ at }) => at, render: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'code',
    title: 'Outcome',
    value: ({ code }) => code,
    render: ({ code, model }) => (
      <>
        <Status state={code === 'OK' ? 'good' : 'bad'} word={code} />
        <span class="soft narrow-only">{model}</span>
      </>
    ),
  },
  {
    id: 'model',
    title: 'Model',
    isWideOnly: true,
    value: ({ model }) => model,
    render: ({ model, provider }) => (
      <span class="cut-line request-model" title={provider}>
        {model} <span class="soft">{provider}</span>
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
    id: 'attempts',
    title: 'Attempts',
    align: 'right',
    isRoomyOnly: true,
    value: ({ attempts }) => attempts,
    render: ({ attempts }) => attempts,
  },
  {
    id: 'latency',
    title: 'Took',
    align: 'right',
    value: ({ latencyMs }) => latencyMs,
    render: ({ latencyMs }) => durationText(latencyMs),
  },
  {
    id: 'tokens',
    title: 'Tokens in, out',
    align: 'right',
    isWideOnly: true,
    value: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    render: ({ inputTokens, outputTokens }) =>
      `${countText(inputTokens)}, ${countText(outputTokens)}`,
  },
  {
    id: 'cost',
    title: 'Cost',
    align: 'right',
    isWideOnly: true,
    value: ({ costUsd }) => costUsd,
    render: ({ costUsd, isEstimated }) => (
      <span title={isEstimated ? 'An estimate: the provider reported no usage' : undefined}>
        {isEstimated ? '≈ ' : ''}
        {moneyText(costUsd)}
      </span>
    ),
  },
];
