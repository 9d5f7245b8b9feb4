// The error of a provider's SDK becomes a code from a closed list, with the time to come back and without any text of the
// provider.

import { createServer } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { mapProviderError } from 'spillway/errors';

// A provider whose plan is used up until a reset.
const provider = createServer((_request, response) => {
  const resetAt = Math.floor(Date.now() / 1000) + 3600;
  const message = `Claude AI usage limit reached|${resetAt}`;
  response.writeHead(429, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message } }));
}).listen(0, '127.0.0.1');
await new Promise((resolve) => provider.once('listening', resolve));
const { port } = provider.address() as { port: number };

const client = new Anthropic({
  baseURL: `http://127.0.0.1:${port}`,
  apiKey: 'none',
  maxRetries: 0,
});
try {
  await client.messages.create({
    model: 'claude-sonnet-5-5',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hello' }],
  });
} catch (error) {
  const { code, retryable, resetAt = 0 } = mapProviderError(error, { now: Date.now() });
  console.log(code, { retryable, resetsIn: `${Math.round((resetAt - Date.now()) / 60_000)} min` });
} finally {
  provider.close();
}
