// Reads an endpoint for a component: at once, when its path changes, every `refreshMs`, and when `revision` changes. The
// previous answer stays while the next one is read, so that a page never blinks; a path of another subject starts empty. A
// hidden page does not refresh. Failures stay in `failure` until a reading succeeds.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { failureText, getJson } from './api-client.ts';
import { after, refreshNow } from './browser-clock.ts';

export type Resource<T> = {
  readonly data: T | undefined;
  readonly failure: string | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

export type ResourceOptions = {
  readonly refreshMs?: number;
  /** A value of the live state: the endpoint is read again when it changes. */
  readonly revision?: string | number | null | undefined;
  /**
   * While a new path with the same subject loads, the previous answer stays; by default the subject is the path without
   * its query.
   */
  readonly subject?: string;
};

/** Reads nothing while `path` is undefined. */
export function useResource<T>(
  path: string | undefined,
  options: ResourceOptions = {},
): Resource<T> {
  const subject = options.subject ?? path?.split('?', 1)[0];
  const [answer, setAnswer] = useState<{ readonly subject: string; readonly data: T }>();
  const [failure, setFailure] = useState<string>();
  const [isLoading, setIsLoading] = useState(path !== undefined);
  const [turn, setTurn] = useState(0);
  const { refreshMs, revision } = options;
  const isFirst = useRef(true);

  useEffect(() => {
    if (path === undefined) return undefined;
    const abort = new AbortController();
    let cancel = (): void => {};
    const again = (): void => {
      if (refreshMs !== undefined) cancel = after(refreshMs, read);
    };
    function read(): void {
      // A page in the background sends no requests; it catches up when it is shown.
      if (document.hidden && !isFirst.current) return again();
      isFirst.current = false;
      setIsLoading(true);
      getJson<T>(path ?? '', abort.signal)
        .then((data) => {
          refreshNow();
          setAnswer({ subject: subject ?? '', data });
          setFailure(undefined);
        })
        .catch((error: unknown) => !abort.signal.aborted && setFailure(failureText(error)))
        .finally(() => {
          if (abort.signal.aborted) return;
          setIsLoading(false);
          again();
        });
    }
    read();
    return () => {
      abort.abort();
      cancel();
    };
  }, [path, refreshMs, revision, turn]);

  const reload = useCallback(() => setTurn((value) => value + 1), []);
  const data = answer?.subject === subject ? answer?.data : undefined;
  return { data, failure, isLoading, reload };
}
