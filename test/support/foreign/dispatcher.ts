// A dispatcher of an existing system, as such systems write it: it consumes the raw queue, counts per minute, and sends the
// message on to the provider's queue, or to a delay queue that dead-letters into it. It knows nothing of Spillway.

import { type ConsumeMessage, connect } from 'amqplib';

const env = (name: string): string => process.env[name] ?? '';
const [raw, target] = [env('RAW_ANALYSIS_QUEUE'), env('GEMINI_QUEUE')];
const limit = Number(env('GEMINI_RATE_LIMIT'));
const delayMs = Number(env('RATE_LIMIT_DELAY_MS'));
const delayed = `${target}-delayed-${delayMs}ms`;

const connection = await connect(env('RABBITMQ_URL'));
const channel = await connection.createConfirmChannel();
for (const queue of [raw, target]) await channel.assertQueue(queue, { durable: true });
await channel.assertQueue(delayed, {
  durable: true,
  arguments: {
    'x-message-ttl': delayMs,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': target,
  },
});
await channel.prefetch(10);

const sentAt: number[] = [];
function isAllowed(): boolean {
  while ((sentAt[0] ?? Number.POSITIVE_INFINITY) <= Date.now() - 60_000) sentAt.shift();
  if (sentAt.length >= limit) return false;
  sentAt.push(Date.now());
  return true;
}

async function dispatch(message: ConsumeMessage): Promise<void> {
  const { contentType } = message.properties;
  channel.sendToQueue(isAllowed() ? target : delayed, message.content, {
    persistent: true,
    contentType,
  });
  await channel.waitForConfirms();
  channel.ack(message);
}

await channel.consume(raw, (message) => {
  if (message) void dispatch(message);
});
process.stdout.write('ready\n');

process.once('SIGTERM', () => {
  void channel.close().then(() => connection.close());
});
