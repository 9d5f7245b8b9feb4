// Recognises the replies that matter by their bytes: RabbitMQ's publisher confirm, and PostgreSQL's completion of a
// write and commit. Pure. A reply split across two chunks may be missed; the next one is found.

/** basic.ack: a broker sends it only to confirm publishes. */
const CONFIRM_METHOD = Buffer.from([0, 60, 0, 80]);
const METHOD_FRAME = 1;
/** Type, channel and size of a frame come before the method. */
const FRAME_HEAD_BYTES = 7;

export function isConfirm(bytes: Buffer): boolean {
  for (let at = 0; at + FRAME_HEAD_BYTES + CONFIRM_METHOD.length <= bytes.length; ) {
    const method = bytes.subarray(at + FRAME_HEAD_BYTES);
    if (bytes[at] === METHOD_FRAME && method.indexOf(CONFIRM_METHOD) === 0) return true;
    // The frame's end is one byte more.
    at += FRAME_HEAD_BYTES + bytes.readUInt32BE(at + 3) + 1;
  }
  return false;
}

const COMMAND_COMPLETE = 'C'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
/** ReadyForQuery outside a transaction: all earlier work is committed. */
const IDLE = 'I'.charCodeAt(0);
const WRITTEN = /^(?:COMMIT|(?:INSERT 0|UPDATE|DELETE) [1-9])/;

export function isCommitted(bytes: Buffer): boolean {
  let hasWritten = false;
  for (let at = 0; at + 5 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at + 1);
    const body = bytes.subarray(at + 5, at + 1 + length);
    if (bytes[at] === COMMAND_COMPLETE && WRITTEN.test(body.toString('latin1'))) hasWritten = true;
    if (bytes[at] === READY_FOR_QUERY && body[0] === IDLE && hasWritten) return true;
    at += 1 + length;
  }
  return false;
}
