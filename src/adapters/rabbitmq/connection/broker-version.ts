// Reads the version of RabbitMQ from the first frame of a connection, which the broker sends before the login and the driver
// does not expose. It opens a short connection of its own, for `doctor` only. Undefined if the peer is not RabbitMQ.

import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../../kernel/clock.ts';
import { within } from './time-limit.ts';

const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\x09\x01', 'latin1');
const FRAME_HEAD_BYTES = 7;
/** Class and method number, then two bytes of protocol version. */
const BEFORE_PROPERTIES_BYTES = 6;
const FRAME_TIMEOUT_MS = 5000;

export async function readBrokerVersion(clock: Clock, url: string): Promise<string | undefined> {
  const socket = connectTo(new URL(url));
  try {
    const frame = await within(clock, FRAME_TIMEOUT_MS, firstFrame(socket), 'send its first frame');
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
  throw new Error('the connection was closed before the first frame');
}

/** Walks the table of server properties: a short name, a type letter, a length and a value. */
function versionIn(table: Buffer): string | undefined {
  const end = 4 + table.readUInt32BE(0);
  for (let at = 4; at < end; ) {
    const nameEnd = at + 1 + table.readUInt8(at);
    const name = table.toString('latin1', at + 1, nameEnd);
    const type = table.toString('latin1', nameEnd, nameEnd + 1);
    // RabbitMQ sends only strings and tables here.
    if (type !== 'S' && type !== 'F') return undefined;
    const valueEnd = nameEnd + 5 + table.readUInt32BE(nameEnd + 1);
    if (name === 'version' && type === 'S') return table.toString('utf8', nameEnd + 5, valueEnd);
    at = valueEnd;
  }
  return undefined;
}
