// What is thrown when a provider's bytes are not an HTTP answer. Nothing of them is in its message, and the connection
// they came on is not used again. The code is the one that Node's own parser gives, so that it is mapped alike.

export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
  readonly code = 'HPE_INVALID_CONSTANT';
}
