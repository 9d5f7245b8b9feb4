// The progress of a job, live and with its result. Events report changes; position, wait reason and result are only in
// the job itself, so the job is read after each change of state, and periodically while it waits, because its position
// changes without an event. The server stores a job's events, so the same call continues after a reload.

import { type Answer, estimateOf, type JobEstimate } from './answer.ts';
import { after } from './browser-clock.ts';
import { type Failure, findFailure } from './failure.ts';
import { type Connection, FollowError, type FollowOptions, follow } from './follow.ts';
import { type ClientOptions, send } from './send.ts';

/** The states of a job; the last four are final. */
export type JobStatus =
  | 'queued'
  | 'delayed'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'expired';

/** A snapshot of a job; it is JSON and can be stored, and `followJob` continues from it. */
export type JobProgress = JobEstimate & {
  readonly url: string;
  readonly status: JobStatus;
  /** The job has ended, and its result is known. */
  readonly isFinal: boolean;
  /** The text so far; of a succeeded job the whole text. */
  readonly output: string;
  readonly attempt: number;
  /** Why the job waits, and until when. */
  readonly waitingFor?: Failure | undefined;
  /** Why the job has failed. */
  readonly failure?: Failure | undefined;
  /** The job as the server shows it: `response`, `usage`, `costUsd`, `metadata` … */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly connection: Connection;
  readonly lastEventId: number;
};

/** The options of `followJob`. */
export type JobOptions = Omit<FollowOptions, 'after' | 'onConnection'> & {
  readonly onProgress?: (progress: JobProgress) => void;
  /** A stored snapshot of the same job, from which to continue. */
  readonly from?: JobProgress;
  /** How often a waiting job's position is read; 10 s by default. */
  readonly refreshMs?: number;
};

const REFRESH_MS = 10_000;
const FINAL_RETRIES = 8;
const STATES = /^(queued|delayed|running|succeeded|failed|cancelled|expired)$/;
const FINAL = /^(succeeded|failed|cancelled|expired)$/;

/** Resolves to the ended job; rejects with a FollowError, or with the signal's reason. */
export async function followJob(url: string, options: JobOptions = {}): Promise<JobProgress> {
  const { refreshMs = REFRESH_MS } = options;
  let progress = options.from?.url === url ? options.from : newProgress(url);
  let isReading = false;
  let isOutdated = false;
  let isOver = false;
  let cancelTimer = () => {};

  function change(fields: Partial<JobProgress>): void {
    if (isOver) return;
    progress = { ...progress, ...fields };
    options.onProgress?.(progress);
  }

  /** Reads the job; a change that arrives during the reading makes it outdated and causes another one. */
  async function refresh(): Promise<void> {
    isOutdated = true;
    if (isReading) return;
    isReading = true;
    while (isOutdated) {
      isOutdated = false;
      const read = await readJob(url, options).catch(() => undefined);
      if (read?.kind === 'answer' && !isOutdated) change(fromJob(read, progress));
    }
    isReading = false;
  }

  function schedule(): void {
    cancelTimer = after(refreshMs, () => {
      if (progress.status !== 'running') void refresh();
      schedule();
    });
  }

  function onEvent(event: Fields): boolean {
    change(fromEvent(event, progress));
    if (event['type'] !== 'output') void refresh();
    return FINAL.test(String(event['type']));
  }

  schedule();
  try {
    await follow(
      `${url}/events`,
      { onEvent },
      {
        ...options,
        after: progress.lastEventId,
        onConnection: (connection) => change({ connection }),
      },
    );
    const read = await readJob(url, options, FINAL_RETRIES);
    if (read.kind === 'failed') throw new FollowError(read.failure);
    if (read.kind === 'answer') change(fromJob(read, progress));
    return progress;
  } finally {
    isOver = true;
    cancelTimer();
  }
}

/** Cancels a job, even while it runs. */
export function cancelJob(url: string, options: ClientOptions = {}) {
  return send<Readonly<Record<string, unknown>>>(url, undefined, {
    ...options,
    base: '',
    method: 'DELETE',
  });
}

function newProgress(url: string): JobProgress {
  return {
    url,
    status: 'queued',
    isFinal: false,
    output: '',
    attempt: 0,
    connection: 'connecting',
    lastEventId: 0,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function readJob(url: string, options: ClientOptions, retries?: number): Promise<Answer<Fields>> {
  return send<Fields>(url, undefined, { ...options, base: '', retries });
}

function isStatus(value: unknown): value is JobStatus {
  return typeof value === 'string' && STATES.test(value);
}

/** Changes nothing for events other than a change of state. */
function stateOf(status: unknown): Partial<JobProgress> {
  return isStatus(status) ? { status, isFinal: FINAL.test(status) } : {};
}

function fromEvent(event: Fields, { output }: JobProgress): Partial<JobProgress> {
  const { id, type, output: added, attempt } = event;
  return {
    lastEventId: Number(id),
    // A final state is shown together with its result, when the job has been read.
    ...(FINAL.test(String(type)) ? {} : stateOf(type)),
    ...(typeof added === 'string' ? { output: output + added } : {}),
    // A new attempt's output starts over.
    ...(typeof attempt === 'number' ? { attempt, output: '' } : {}),
  };
}

/** Replaces all fields that only the job has, so that a wait that is over is no longer shown. */
function fromJob(
  { data, skewMs }: Extract<Answer<Fields>, { kind: 'answer' }>,
  progress: JobProgress,
): Partial<JobProgress> {
  const { status, output, waitingFor, error } = data;
  return {
    ...stateOf(status),
    output: typeof output === 'string' ? output : progress.output,
    details: data,
    ...estimateOf(data, skewMs),
    waitingFor: findFailure(waitingFor, { skewMs }),
    failure: findFailure(error, { skewMs }),
  };
}
