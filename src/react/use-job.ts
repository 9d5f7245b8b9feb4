// The live progress of a job. With a storage key the page remembers the job for its tab and shows it again after a reload.

import { useCallback, useEffect, useState } from 'react';
import {
  cancelJob,
  type Failure,
  FollowError,
  followJob,
  type JobOptions,
  type JobProgress,
} from '../client/index.ts';

/** The result of `useJob`. */
export type FollowedJob = {
  /** Undefined without a job, and before its first state is known. */
  readonly job: JobProgress | undefined;
  /** Why the job cannot be followed. */
  readonly failure: Failure | undefined;
  /** Follows the job at this address; undefined forgets the present one. */
  readonly follow: (url: string | undefined) => void;
  /** Cancels the job, even while it runs. */
  readonly cancel: () => Promise<void>;
};

/** The options of `useJob`. */
export type UseJobOptions = Pick<JobOptions, 'headers' | 'fetch' | 'sentence' | 'refreshMs'> & {
  /** The key of `sessionStorage` under which the job's address is stored. */
  readonly storageKey?: string;
};

type Shown = { readonly url: string; readonly job?: JobProgress; readonly failure?: Failure };

/** The options of the first rendering apply. */
export function useJob(initialUrl?: string, options: UseJobOptions = {}): FollowedJob {
  const { storageKey } = options;
  const [url, setUrl] = useState(initialUrl);
  const [shown, setShown] = useState<Shown>();
  const [settings] = useState(options);

  const follow = useCallback(
    (next: string | undefined) => {
      remember(storageKey, next);
      setUrl(next);
    },
    [storageKey],
  );

  // After hydration, so that the first rendering equals the server's.
  useEffect(() => {
    const next = initialUrl ?? remembered(storageKey);
    if (next !== undefined) follow(next);
  }, [initialUrl, storageKey, follow]);

  useEffect(() => {
    if (url === undefined) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const onProgress = (job: JobProgress) => {
      if (!signal.aborted) setShown({ url, job });
    };
    followJob(url, { ...settings, signal, onProgress }).catch((error: unknown) => {
      if (!signal.aborted && error instanceof FollowError)
        setShown({ url, failure: error.failure });
    });
    return () => leaving.abort();
  }, [url, settings]);

  const cancel = useCallback(async () => {
    if (url === undefined) return;
    const answer = await cancelJob(url, settings);
    if (answer.kind === 'failed') setShown((shown) => ({ url, ...shown, failure: answer.failure }));
  }, [url, settings]);

  // The state of another job is not shown.
  const { job, failure } = shown && shown.url === url ? shown : {};
  return { job, failure, follow, cancel };
}

/** Storage may be forbidden; the job is then shown until the next reload. */
function remembered(key: string | undefined): string | undefined {
  try {
    return (key && sessionStorage.getItem(key)) || undefined;
  } catch {
    return undefined;
  }
}

function remember(key: string | undefined, url: string | undefined): void {
  if (key === undefined) return;
  try {
    if (url === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, url);
  } catch {
    // Storage may be forbidden.
  }
}
