// A server among others on one Redis, for the test that there is one probe at a time in all of them. It calls whenever
// its breaker lets it: while the circuit is closed every call fails, and a probe ends either way. Each probe counts
// itself in Redis while it is under way, and writes how many it found there, itself included: `probe <number>`.
// Arguments: the URL of Redis, how many probes to make.

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
  onMove: () => {},
});
const counter = new Redis(url);

let made = 0;
while (made < Number(probes)) {
  const answer = await ask(board, 'anthropic', 'us-east');
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
