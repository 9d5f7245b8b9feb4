// A server of a cluster on one Redis, for the test that the cluster makes one probe at a time. It calls whenever its
// breaker allows: each call of the closed circuit fails, and a probe ends at random. Each probe counts itself in Redis
// while it runs and writes the number of probes in flight, itself included: `probe <number>`.
// Arguments: the URL of Redis, the number of probes to make.

import { Redis } from 'ioredis';
import { openRedisBreakerBoard } from '../../src/adapters/redis/breakers/breaker-board.ts';
import { openRedis } from '../../src/adapters/redis/connection/open-redis.ts';
import { sleep, systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { ask } from './breaker-board.ts';

const [url = '', probes = '0'] = process.argv.slice(2);
const link = openRedis({ url, clock: systemClock, log: silentLog });
await link.ready(5000);
const board = await openRedisBreakerBoard({
  link,
  clock: systemClock,
  rules: { failures: 3, windowMs: 60_000, ratio: 0.5, openMs: 10, successesToClose: 3 },
  keyPrefix: 'children:',
  newProbeId: () => newId('att'),
  longestCallMs: 60_000,
  onTransition: () => {},
});
const counter = new Redis(url);

let made = 0;
while (made < Number(probes)) {
  const answer = await ask(board, { provider: 'anthropic', region: 'us-east' });
  if (!answer.isAllowed) await sleep(systemClock, 1);
  else if (answer.pass.probe === undefined) board.report(answer.pass, 'failure');
  else {
    made += 1;
    process.stdout.write(`probe ${await counter.incr('children:under-way')}\n`);
    await sleep(systemClock, Math.random() * 5);
    await counter.decr('children:under-way');
    board.report(answer.pass, Math.random() < 0.7 ? 'success' : 'failure');
  }
  await board.settled();
}
await board.close();
await link.close();
counter.disconnect();
