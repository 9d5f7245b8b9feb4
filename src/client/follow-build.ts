// The events of a product's long-running work, typed, live and resumed.

import { type Failure, findFailure } from './failure.ts';
import { type FollowOptions, follow } from './follow.ts';

/** The events that Spillway itself writes for a job; the job's id is the build id. */
export type JobEventTypes = {
  'job.submitted': unknown;
  'job.queued': unknown;
  'job.delayed': unknown;
  'job.running': unknown;
  'job.output': { readonly output?: string };
  'job.succeeded': unknown;
  'job.failed': unknown;
  'job.cancelled': unknown;
  'job.expired': unknown;
};

/** `type` decides the type of `data`; `Types` names the product's own events. */
export type BuildEvent<Types extends object = Record<string, unknown>> = {
  [Type in keyof Types & string]: BuildEventFields & {
    readonly type: Type;
    readonly data: Types[Type];
  };
}[keyof Types & string];

/** The fields of every build event. */
export type BuildEventFields = {
  readonly id: number;
  readonly buildId: string;
  readonly userId: string | null;
  /** Epoch milliseconds of this device's clock. */
  readonly createdAt: number;
  readonly userVisible: boolean;
  readonly phase: string | null;
  readonly title: string | null;
  readonly description: string | null;
  /** 0 to 100. */
  readonly overallProgress: number | null;
  readonly finished: boolean;
  readonly previewUrl: string | null;
  readonly durationSeconds: number | null;
  readonly failure: Failure | null;
};

/** The options of `followBuild`. */
export type BuildOptions<Types extends object = Record<string, unknown>> = FollowOptions & {
  readonly onEvent?: (event: BuildEvent<Types>) => void;
};

/** Resolves to the last event, with `finished`; rejects with a FollowError, or with the signal's reason. */
export async function followBuild<Types extends object = Record<string, unknown>>(
  url: string,
  options: BuildOptions<Types> = {},
): Promise<BuildEvent<Types> | undefined> {
  let last: BuildEvent<Types> | undefined;
  function onEvent(fields: Readonly<Record<string, unknown>>, skewMs: number): boolean {
    last = readBuildEvent<Types>(fields, skewMs);
    options.onEvent?.(last);
    return last.finished;
  }
  await follow(url, { onEvent }, options);
  return last;
}

/** Reads one event in the server's form, for pages that list events themselves. */
export function readBuildEvent<Types extends object = Record<string, unknown>>(
  fields: Readonly<Record<string, unknown>>,
  skewMs = 0,
): BuildEvent<Types> {
  const { createdAt, previewUrl, error } = fields;
  // With the classic field names the time is in ISO format.
  const at = Number(typeof createdAt === 'string' ? Date.parse(createdAt) : createdAt) - skewMs;
  const event = {
    ...fields,
    createdAt: at,
    // A page may render it as a link, and schemes other than HTTP's could run scripts.
    previewUrl: /^(https?:\/\/|\/(?!\/))/i.test(String(previewUrl)) ? previewUrl : null,
    failure: findFailure(error, { since: at, skewMs }) ?? null,
  };
  // The product declares the types of its own events.
  return event as unknown as BuildEvent<Types>;
}
