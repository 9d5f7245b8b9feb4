// A failed start, printed as one sentence without a stack trace.

/** A store or a service that a gateway needs cannot be used; `message` is one sentence that says which and why. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
