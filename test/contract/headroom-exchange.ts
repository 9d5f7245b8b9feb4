// What every HeadroomExchange promises to the server that uses it. The test of each adapter calls this with its own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HeadroomExchange, HeadroomNews } from '../../src/admission/headroom-exchange.ts';

export function newsOf(remaining: number, readAt: number, model = 'gpt-5'): HeadroomNews {
  const place = { provider: 'openai', account: 'default', region: 'us-east', model };
  const requests = { limit: 1000, remaining, resetAt: readAt + 60_000 };
  return { place, gauges: { requests, tokens: { ...requests, resetAt: undefined } }, readAt };
}

export function headroomExchangeContract(
  adapter: string,
  open: () => Promise<HeadroomExchange>,
): void {
  describe(`headroom exchange on ${adapter}`, () => {
    it('never hears itself, and never waits', async () => {
      const exchange = await open();
      const heard: HeadroomNews[] = [];
      await exchange.listen((news) => void heard.push(news));
      for (let call = 0; call < 100; call += 1) exchange.tell(newsOf(call, Date.now()));
      await exchange.close();
      assert.deepEqual(heard, []);
    });

    it('is closed as often as one likes', async () => {
      const exchange = await open();
      await exchange.close();
      await exchange.close();
    });
  });
}
