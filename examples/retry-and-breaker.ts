// A service that is overloaded for a moment: the call is retried after the stated delay, every attempt has a timeout, and
// a breaker would stop the calls if the service did not recover.

import { createServer } from 'node:http';
import { circuitBreaker, compose, retry, timeout } from 'spillway/resilience';

let requests = 0;
const service = createServer((_request, response) => {
  requests += 1;
  if (requests < 3) response.writeHead(503, { 'retry-after': '0.1' }).end();
  else response.end('recovered');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => service.once('listening', resolve));
const { port } = service.address() as { port: number };

const breaker = circuitBreaker({ failures: 5, openMs: 10_000 });
const guarded = compose(
  retry({
    overloadedBaseMs: 50,
    onRetry: ({ number, error }) => console.log(`retry ${number} after ${error.code}`),
  }),
  breaker,
  timeout({ ms: 2000 }),
);

const answer = await guarded(async (signal) => {
  const response = await fetch(`http://127.0.0.1:${port}`, { signal });
  if (!response.ok) throw response;
  return response.text();
});
console.log(`${answer} after ${requests} requests; the circuit is ${await breaker.state()}`);
service.close();
