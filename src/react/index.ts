// The public entry `spillway/react`: hooks on top of `spillway/client`. React 18 or newer is a peer; there is no other
// dependency. The hooks also render on a server: effects run only in browsers.

export { type BuildEvents, useBuildEvents } from './use-build-events.ts';
export { type FollowedJob, type UseJobOptions, useJob } from './use-job.ts';
export { type RetryCountdown, useRetryCountdown } from './use-retry-countdown.ts';
export { type ShownError, useSpillwayError } from './use-spillway-error.ts';
