// The public entry `spillway/client`, for pages in a browser: reads any answer of Spillway, waits, retries, queues, and follows
// jobs and build events. It talks to the application's own server, which has the key. No dependencies.

export {
  type Answer,
  buildUrl,
  type JobEstimate,
  jobUrl,
  type QueuedJob,
  type ReadOptions,
  readAnswer,
  type StreamedEvent,
} from './answer.ts';
export { countdown, formatCountdown, type WaitOptions, waitUntil } from './countdown.ts';
export { readEvents, type ServerEvent, type StreamHooks } from './event-stream.ts';
export {
  type ErrorCode,
  type ErrorParams,
  type Failure,
  type FailureContext,
  findFailure,
  readFailure,
  type SuggestedAction,
} from './failure.ts';
export { type Connection, FollowError, type FollowOptions } from './follow.ts';
export {
  type BuildEvent,
  type BuildEventFields,
  type BuildOptions,
  followBuild,
  type JobEventTypes,
  readBuildEvent,
} from './follow-build.ts';
export {
  cancelJob,
  followJob,
  type JobOptions,
  type JobProgress,
  type JobStatus,
} from './follow-job.ts';
export { type ClientOptions, type Retry, type SendOptions, send } from './send.ts';
