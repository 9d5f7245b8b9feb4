// Replaces every message of one queue by a message on another until it is killed: node forward-child.ts URL FROM TO

import { openRabbitQueue } from '../../../src/adapters/rabbitmq/open-rabbit-queue.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';

const [url = '', from = '', to = ''] = process.argv.slice(2);
const queue = await openRabbitQueue({
  url,
  queueType: 'classic',
  clock: systemClock,
  log: silentLog,
});
const options = { concurrency: 32, isTransactional: true };
let forwarded = 0;
queue.consume(from, options, async ({ id, source, replaceBy }) => {
  const carries = source && { source, jobId: `job-${id}`, fence: 1 };
  await replaceBy?.(to, { id, body: '', ...(carries && { carries }) });
  forwarded += 1;
  process.stdout.write(`${forwarded}\n`);
  return 'ack';
});
