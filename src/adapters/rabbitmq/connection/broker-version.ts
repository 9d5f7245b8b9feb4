// Which version of RabbitMQ this is: the broker says so in its first frame, before anybody has logged in, and the
// driver does not pass it on. A short conversation of its own, for an operator's question and not for the way of
// a message. Undefined when whoever answers is no RabbitMQ.

import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../../kernel/clock.ts';
import { within } from './time-limit.ts';

const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\x09\x01', 'latin1');
const FRAME_HEAD_BYTES = 7;
/** The method's number, then the two bytes of the protocol's version. */
const BEFORE_PROPERTIES_BYTES = 6;
const ANSWER_WITHIN_MS = 5000;

export async function readBrokerVersion(clock: Clock, url: string): Promise<string | undefined> {
  const socket = connectTo(new URL(url));
  try {
    const frame = await within(clock, ANSWER_WITHIN_MS, firstFrame(socket), 'introduce itself');
    return versionIn(frame.subarray(BEFORE_PROPERTIES_BYTES));
  } finally {
    socket.destroy();
  }
}

function connectTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  return protocol === 'amqps:'
    ? connectTls({ host, servername: host, port: Number(port || 5671) })
    : connectPlain({ host, port: Number(port || 5672) });
}

async function firstFrame(socket: Socket): Promise<Buffer> {
  socket.write(PROTOCOL_HEADER);
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    const size = received.length < FRAME_HEAD_BYTES ? Infinity : received.readUInt32BE(3);
    if (received.length >= FRAME_HEAD_BYTES + size)
      return received.subarray(FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + size);
  }
  throw new Error('the connection was closed before anything was said');
}

/** Walks the table of properties: a short name, a letter for the type, a value with its length before it. */
function versionIn(table: Buffer): string | undefined {
  const end = 4 + table.readUInt32BE(0);
  for (let at = 4; at < end; ) {
    const nameEnd = at + 1 + table.readUInt8(at);
    const name = table.toString('latin1', at + 1, nameEnd);
    const type = table.toString('latin1', nameEnd, nameEnd + 1);
    // Texts and tables are all that RabbitMQ puts here.
    if (type !== 'S' && type !== 'F') return undefined;
    const valueEnd = nameEnd + 5 + table.readUInt32BE(nameEnd + 1);
    if (name === 'version' && type === 'S') return table.toString('utf8', nameEnd + 5, valueEnd);
    at = valueEnd;
  }
  return undefined;
}
