// The frame of every list of the API: filters, a failed reading, the table with its pages, and the order in the
// address. A filtered page of the API may have few rows although there is a next page: the frame reads further pages
// until the first screen is full.

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { route, setParams } from '../app/router.ts';
import type { Pages } from '../data/use-pages.ts';
import { type Column, Table } from '../ui/table.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { FilterBar } from './filter-bar.tsx';

export type PagedListProps<Row> = {
  readonly label: string;
  readonly pages: Pages<Row>;
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** The fields of the filter bar. */
  readonly filters: ComponentChildren;
  /** The parameters of the address that hold the filters. */
  readonly filterNames: readonly string[];
  /** Actions on the whole list. */
  readonly side?: ComponentChildren;
  /** A filter that the endpoint lacks and this component applies. */
  readonly matches?: ((row: Row) => boolean) | undefined;
  readonly onOpen?: (row: Row) => void;
  readonly selectedKey?: string | undefined;
  readonly skeletonRows?: number;
  readonly empty: ComponentChildren;
};

/** Rows that fill the first screen. */
const ENOUGH = 20;
/** After this many pages the reader has to press "Show more". */
const MAX_PAGES = 10;

export function PagedList<Row>(props: PagedListProps<Row>) {
  const { pages, matches } = props;
  const rows = matches ? pages.rows?.filter(matches) : pages.rows;
  const hasFilter = isFiltered(props.filterNames);
  const isSearching =
    hasFilter &&
    pages.more !== undefined &&
    pages.pageCount < MAX_PAGES &&
    (rows?.length ?? 0) < ENOUGH;
  useEffect(() => {
    if (isSearching && !pages.isLoadingMore) pages.more?.();
  }, [isSearching, pages.pageCount, pages.isLoadingMore]);
  const isReading = rows === undefined || (isSearching && rows.length === 0);
  return (
    <>
      <FilterBar onReset={hasFilter ? () => reset(props.filterNames) : undefined} side={props.side}>
        {props.filters}
      </FilterBar>
      <FailureNotice failure={pages.failure} onRetry={pages.reload} />
      <Table
        label={props.label}
        columns={props.columns}
        rows={isReading ? (pages.failure ? [] : undefined) : rows}
        keyOf={props.keyOf}
        sort={route.value.params.sort}
        onSort={setSort}
        {...(props.onOpen ? { onOpen: props.onOpen } : {})}
        selectedKey={props.selectedKey}
        onMore={pages.more}
        isLoadingMore={pages.isLoadingMore}
        {...(props.skeletonRows === undefined ? {} : { skeletonRows: props.skeletonRows })}
        note={hasFilter && pages.more ? 'More entries may match.' : ''}
        empty={props.empty}
      />
    </>
  );
}

/** Whether any of the parameters contains a filter. */
export function isFiltered(names: readonly string[]): boolean {
  return names.some((name) => (route.value.params[name] ?? '') !== '');
}

function reset(names: readonly string[]): void {
  setParams(Object.fromEntries(names.map((name) => [name, ''])));
}

function setSort(sort: string): void {
  setParams({ sort }, true);
}
