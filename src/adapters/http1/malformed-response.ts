// The error for bytes that are not an HTTP response. Its message contains none of them. The code is that of Node's own
// parser, so that the error mapping treats both alike.

export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
  readonly code = 'HPE_INVALID_CONSTANT';
}
