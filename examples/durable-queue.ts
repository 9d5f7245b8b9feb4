// Mails that must be sent although the process may die: a message is delivered until its handler acknowledges it.

import { openSqlite } from 'spillway/adapters/sqlite';

const store = await openSqlite({ file: ':memory:' });
const { queue } = store;
const sent = Promise.withResolvers<void>();
queue.consume('mails', { concurrency: 2 }, async ({ id, body, deliveries }) => {
  if (deliveries === 1) {
    console.log(`${id}: the mail server is busy`);
    return { retryAfterMs: 50 };
  }
  console.log(`${id}: sent "${body}" at delivery ${deliveries}`);
  sent.resolve();
  return 'ack';
});
await queue.publish('mails', { id: 'order-4711', body: 'Thank you' });
await sent.promise;
await store.close();
