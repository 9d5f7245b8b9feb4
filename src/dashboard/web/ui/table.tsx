// A table: sticky head, sort by a click or Enter on a head, pages by cursor, skeleton rows in the final shape, and rows
// that do not move under the pointer. The sort order belongs to the caller, which keeps it in the URL.

import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { Skeleton } from './skeleton.tsx';
import { parseSort, sortRows, sortText, stableRows } from './stable-rows.ts';
import './table.css';

export type Column<Row> = {
  readonly id: string;
  readonly title: string;
  readonly render: (row: Row) => ComponentChildren;
  /** Makes the column sortable. */
  readonly value?: (row: Row) => string | number | null;
  readonly align?: 'right';
  /** Left out below 720 px, where a row has little space. */
  readonly isWideOnly?: boolean;
  /** Left out below 1280 px. */
  readonly isRoomyOnly?: boolean;
};

export type TableProps<Row> = {
  /** The accessible name. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined: loading. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** Shown in place of rows. */
  readonly empty: ComponentChildren;
  /** `cost` or `-cost`; undefined keeps the server's order. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  /** Makes rows open something: by a click, or Enter on the row. */
  readonly onOpen?: (row: Row) => void;
  readonly selectedKey?: string | undefined;
  /** Reads the next page; undefined on the last one. */
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
  readonly skeletonRows?: number;
  /** A sentence below the rows. */
  readonly note?: string;
};

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, empty, note = '', isLoadingMore = false } = props;
  const [isHeld, setIsHeld] = useState(false);
  const shown = useRef<readonly Row[]>([]);
  const sorted = useRef<string | undefined>(props.sort);
  const drawRows = useDrawnRows(props);
  if (rows !== undefined && rows.length === 0)
    return (
      <>
        <div class="table-empty">{empty}</div>
        <Foot note={note} onMore={props.onMore} isLoadingMore={isLoadingMore} />
      </>
    );
  // The reader has changed the order, so the rows move immediately.
  const isHeldNow = isHeld && sorted.current === props.sort;
  const stable = stableRows(shown.current, sortedRows(props), keyOf, isHeldNow);
  shown.current = stable.rows;
  sorted.current = props.sort;
  return (
    <div
      class="table-frame"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocusIn={() => setIsHeld(true)}
      onFocusOut={() => setIsHeld(false)}
    >
      <div class="table-scroll" role="region" aria-label={label} tabIndex={0}>
        <table class="table" aria-busy={rows === undefined}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? skeletonRows(columns, props.skeletonRows ?? 6)
              : drawRows(stable.rows)}
          </tbody>
        </table>
      </div>
      <Foot
        onMore={props.onMore}
        isLoadingMore={isLoadingMore}
        note={stable.waiting > 0 ? `${stable.waiting} new, shown when you leave the list` : note}
      />
    </div>
  );
}

function Foot(props: {
  readonly note: string;
  readonly onMore: (() => void) | undefined;
  readonly isLoadingMore: boolean;
}) {
  if (props.note === '' && !props.onMore) return null;
  return (
    <footer class="table-foot">
      <span>{props.note}</span>
      {props.onMore ? (
        <Button isSmall isBusy={props.isLoadingMore} onPress={props.onMore}>
          Show more
        </Button>
      ) : null}
    </footer>
  );
}

function sortedRows<Row>({ rows = [], columns, sort }: TableProps<Row>): readonly Row[] {
  const order = parseSort(sort);
  const value = columns.find(({ id }) => id === order?.column)?.value;
  return order && value ? sortRows(rows, value, order.isDescending) : rows;
}

function Head<Row>(props: {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}) {
  const { column, onSort } = props;
  const order = parseSort(props.sort);
  const isSorted = order?.column === column.id;
  const direction = order?.isDescending ? 'descending' : 'ascending';
  const next = sortText({ column: column.id, isDescending: isSorted ? !order.isDescending : true });
  return (
    <th scope="col" class={cellClass(column)} aria-sort={isSorted ? direction : undefined}>
      {column.value && onSort ? (
        <button type="button" class="table-sort" onClick={() => onSort(next)}>
          {column.title}
          {isSorted ? <Icon name={order.isDescending ? 'down' : 'up'} size={12} /> : null}
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

type RowProps<Row> = {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly isSelected: boolean;
  readonly onOpen: ((row: Row) => void) | undefined;
};

/** Renders the rows; the node of an unchanged row is reused, so that Preact skips the row. */
function useDrawnRows<Row>(props: TableProps<Row>) {
  const { columns, keyOf, selectedKey } = props;
  const latest = useRef(props);
  latest.current = props;
  const open = useCallback((row: Row) => latest.current.onOpen?.(row), []);
  const onOpen = props.onOpen && open;
  const drawn = useRef(new Map<string, { readonly of: RowProps<Row>; readonly node: VNode }>());
  return (rows: readonly Row[]): readonly VNode[] => {
    const known = drawn.current;
    drawn.current = new Map();
    return rows.map((row) => {
      const key = keyOf(row);
      const of = { row, columns, isSelected: key === selectedKey, onOpen };
      const before = known.get(key);
      const node = before && isSameRow(before.of, of) ? before.node : <BodyRow key={key} {...of} />;
      drawn.current.set(key, { of, node });
      return node;
    });
  };
}

function isSameRow<Row>(one: RowProps<Row>, other: RowProps<Row>): boolean {
  return (
    one.row === other.row &&
    one.columns === other.columns &&
    one.isSelected === other.isSelected &&
    one.onOpen === other.onOpen
  );
}

function BodyRow<Row>({ row, columns, isSelected, onOpen }: RowProps<Row>) {
  const open = onOpen
    ? {
        tabIndex: 0,
        class: 'table-open',
        onClick: () => onOpen(row),
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
        },
      }
    : {};
  return (
    <tr aria-selected={isSelected || undefined} {...open}>
      {columns.map((column) => (
        <td key={column.id} class={cellClass(column)}>
          {column.render(row)}
        </td>
      ))}
    </tr>
  );
}

function skeletonRows<Row>(columns: readonly Column<Row>[], count: number) {
  return Array.from({ length: count }, (_, index) => (
    <tr key={index}>
      {columns.map((column) => (
        <td key={column.id} class={cellClass(column)}>
          <Skeleton />
        </td>
      ))}
    </tr>
  ));
}

function cellClass<Row>({ align, isWideOnly, isRoomyOnly }: Column<Row>): string {
  const room = isRoomyOnly ? ' cell-roomy' : isWideOnly ? ' cell-wide' : '';
  return `${align === 'right' ? 'cell-right' : ''}${room}`.trim();
}
