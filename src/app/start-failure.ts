// A failed start, printed as one sentence without a stack trace.

export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
