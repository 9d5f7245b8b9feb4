// An AMQP 0-9-1 login: authenticate, open the virtual host, close. A broker that completes it is ready and
// accepts this run's password.

import { type ProbeConnection, withConnection } from './probe-connection.ts';

export type AmqpAccount = { host: string; port: number; user: string; password: string };

const START = 0x000a_000a;
const START_OK = 0x000a_000b;
const TUNE = 0x000a_001e;
const TUNE_OK = 0x000a_001f;
const OPEN = 0x000a_0028;
const OPEN_OK = 0x000a_0029;
const CLOSE = 0x000a_0032;
const CLOSE_OK = 0x000a_0033;

export async function amqpLogin({ host, port, user, password }: AmqpAccount): Promise<void> {
  await withConnection({ host, port }, async (broker) => {
    broker.send(Buffer.from('AMQP\0\0\x09\x01', 'latin1'));
    await expectMethod(broker, START);
    const noProperties = uint32(0);
    const response = Buffer.from(`\0${user}\0${password}`);
    const answer = [
      noProperties,
      short('PLAIN'),
      uint32(response.length),
      response,
      short('en_US'),
    ];
    broker.send(method(START_OK, Buffer.concat(answer)));
    broker.send(method(TUNE_OK, await expectMethod(broker, TUNE)));
    broker.send(method(OPEN, Buffer.concat([short('/'), short(''), Buffer.alloc(1)])));
    await expectMethod(broker, OPEN_OK);
    const normal = Buffer.from([0, 200]);
    broker.send(method(CLOSE, Buffer.concat([normal, short('bye'), uint32(0)])));
    await expectMethod(broker, CLOSE_OK);
  });
}

/** Reads one frame (type, channel, size, payload, end mark) and returns the method's arguments. */
async function expectMethod(broker: ProbeConnection, wanted: number): Promise<Buffer> {
  const head = await broker.receive(7);
  const body = await broker.receive(head.readUInt32BE(3) + 1);
  if (head[0] !== 1 || body.readUInt32BE(0) !== wanted) throw new Error('unexpected AMQP frame');
  return body.subarray(4, -1);
}

function method(id: number, body: Buffer): Buffer {
  const onChannelZero = Buffer.from([1, 0, 0]);
  return Buffer.concat([
    onChannelZero,
    uint32(4 + body.length),
    uint32(id),
    body,
    Buffer.from([0xce]),
  ]);
}

function short(text: string): Buffer {
  return Buffer.from([text.length, ...Buffer.from(text)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
