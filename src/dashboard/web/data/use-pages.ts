// A list of the API with its keyset pages: the first page stays fresh, "Show more" appends the next one. A new path (a
// filter has changed) starts again with the first page.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageOf } from '../../api/page-of.ts';
import { failureText, getJson } from '../app/api-client.ts';
import { type ResourceOptions, useResource } from '../app/use-resource.ts';
import { notifyFailure } from '../ui/toast.tsx';
import { keepEqualRows } from './is-equal.ts';
import { mergePages } from './pages.ts';
import { withParam } from './query.ts';

export type Pages<Row> = {
  /** Undefined while the first page loads. */
  readonly rows: readonly Row[] | undefined;
  readonly failure: string | undefined;
  /** Undefined on the last page. */
  readonly more: (() => void) | undefined;
  readonly isLoadingMore: boolean;
  /** The pages read so far. */
  readonly pageCount: number;
  readonly reload: () => void;
};

export type PagesOptions<Row> = Omit<ResourceOptions, 'subject'> & {
  readonly cursorName?: string;
  /** True for the first row past the end of the list. */
  readonly until?: ((row: Row) => boolean) | undefined;
};

type Later<Row> = {
  readonly path: string | undefined;
  readonly rows: readonly Row[];
  readonly pageCount: number;
  /** Undefined: no later page was read yet. */
  readonly cursor: string | null | undefined;
};

export function usePages<Row>(
  path: string | undefined,
  keyOf: (row: Row) => string,
  options: PagesOptions<Row> = {},
): Pages<Row> {
  const first = useResource<PageOf<Row>>(path, {
    ...options,
    ...(path === undefined ? {} : { subject: path }),
  });
  const [later, setLater] = useState<Later<Row>>(noLaterPages(path));
  const [isLoadingMore, setIsLoadingMore] = useState(false);
  useEffect(() => setLater(noLaterPages(path)), [path]);
  const isCurrent = later.path === path;
  const cursor = isCurrent && later.cursor !== undefined ? later.cursor : first.data?.nextCursor;

  const readMore = async (after: string): Promise<void> => {
    if (path === undefined) return;
    setIsLoadingMore(true);
    try {
      const next = withParam(path, options.cursorName ?? 'cursor', after);
      const page = await getJson<PageOf<Row>>(next);
      setLater((known) =>
        known.path === path
          ? {
              path,
              rows: [...known.rows, ...page.data],
              pageCount: known.pageCount + 1,
              cursor: page.nextCursor,
            }
          : known,
      );
    } catch (error) {
      notifyFailure(failureText(error));
    } finally {
      setIsLoadingMore(false);
    }
  };
  const shown = useRef<readonly Row[]>([]);
  const rows = first.data && mergePages(first.data.data, isCurrent ? later.rows : [], keyOf);
  const end = options.until && rows ? rows.findIndex(options.until) : -1;
  const within = end < 0 ? rows : rows?.slice(0, end);
  const kept = within && keepEqualRows(shown.current, within, keyOf);
  shown.current = kept ?? [];
  return {
    rows: kept,
    failure: first.failure,
    more: cursor && end < 0 ? () => void readMore(cursor) : undefined,
    isLoadingMore,
    pageCount: 1 + (isCurrent ? later.pageCount : 0),
    reload: first.reload,
  };
}

function noLaterPages(path: string | undefined): Later<never> {
  return { path, rows: [], pageCount: 0, cursor: undefined };
}
