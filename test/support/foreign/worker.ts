// A worker of an existing system, as such systems write it: it consumes the provider's queue one message at a time, calls the
// provider, publishes the result and acknowledges. It knows nothing of Spillway.

import { type ConsumeMessage, connect } from 'amqplib';

const env = (name: string): string => process.env[name] ?? '';
const [source, results, dead] = [env('GEMINI_QUEUE'), env('RESULTS_QUEUE'), env('DLQ_QUEUE')];
const url = `${env('GEMINI_BASE_URL')}/v1beta/models/${env('MODEL')}:generateContent`;

const connection = await connect(env('RABBITMQ_URL'));
const channel = await connection.createConfirmChannel();
for (const queue of [source, results, dead]) await channel.assertQueue(queue, { durable: true });
await channel.prefetch(1);

async function analyse(prompt: string): Promise<unknown> {
  const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: prompt }] }] });
  const headers = { 'content-type': 'application/json', 'x-goog-api-key': env('GEMINI_API_KEY') };
  const response = await fetch(url, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`the provider answered ${response.status}`);
  return response.json();
}

async function work(message: ConsumeMessage): Promise<void> {
  const text = message.content.toString('utf8');
  try {
    const { AnalysisId, prompt } = JSON.parse(text);
    const result = { AnalysisId, by: 'foreign', result: await analyse(prompt) };
    channel.sendToQueue(results, Buffer.from(JSON.stringify(result)), { persistent: true });
  } catch (cause) {
    const letter = JSON.stringify({ body: text, error: String(cause) });
    channel.sendToQueue(dead, Buffer.from(letter), { persistent: true });
  }
  await channel.waitForConfirms();
  channel.ack(message);
}

let working = Promise.resolve();
const { consumerTag } = await channel.consume(source, (message) => {
  if (message) working = work(message);
});
process.stdout.write('ready\n');

async function stop(): Promise<void> {
  await channel.cancel(consumerTag);
  await working;
  await channel.close();
  await connection.close();
}
process.once('SIGTERM', () => void stop());
