// The failure of a chat's own call, as the caller gets it: the error with the facts for its headers.

import type { FailedRequest } from '../serve/reply.ts';

export class CallFailed extends Error {
  readonly failure: FailedRequest;

  constructor(failure: FailedRequest) {
    super(failure.error.message);
    this.failure = failure;
  }
}
