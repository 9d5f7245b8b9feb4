// A start that cannot be: told to the operator as one sentence, without a stack trace.

export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
