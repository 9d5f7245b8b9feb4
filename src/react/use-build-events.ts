// The events of a build, live, newest last. A reader that stays for hours keeps a bounded number of them.

import { useEffect, useState } from 'react';
import {
  type BuildEvent,
  type ClientOptions,
  type Connection,
  type Failure,
  FollowError,
  followBuild,
} from '../client/index.ts';

/** The result of `useBuildEvents`. */
export type BuildEvents<Types extends object = Record<string, unknown>> = {
  /** The latest events, in order. */
  readonly events: readonly BuildEvent<Types>[];
  readonly isFinished: boolean;
  readonly connection: Connection;
  /** Why the events cannot be read; a failure of the build itself is in its event. */
  readonly failure: Failure | undefined;
};

const MAX_EVENTS = 500;
const NONE = {
  events: [],
  isFinished: false,
  connection: 'connecting',
  failure: undefined,
} as const;

/** `url` comes from `buildUrl`; undefined follows nothing. The options of the first rendering apply. */
export function useBuildEvents<Types extends object = Record<string, unknown>>(
  url: string | undefined,
  options: Pick<ClientOptions, 'headers' | 'fetch' | 'sentence'> = {},
): BuildEvents<Types> {
  const [shown, setShown] = useState<{ url: string; build: BuildEvents<Types> }>();
  const [settings] = useState(options);

  useEffect(() => {
    if (url === undefined) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    let build: BuildEvents<Types> = NONE;
    function change(fields: Partial<BuildEvents<Types>>): void {
      if (signal.aborted || url === undefined) return;
      build = { ...build, ...fields };
      setShown({ url, build });
    }
    followBuild<Types>(url, {
      ...settings,
      signal,
      onConnection: (connection) => change({ connection }),
      onEvent: (event) => change({ events: [...build.events, event].slice(-MAX_EVENTS) }),
    })
      .then(() => change({ isFinished: true }))
      .catch((error: unknown) => {
        if (error instanceof FollowError) change({ failure: error.failure });
      });
    return () => leaving.abort();
  }, [url, settings]);

  // The events of another build are not shown.
  return shown && shown.url === url ? shown.build : NONE;
}
