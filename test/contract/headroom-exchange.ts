// The contract of HeadroomExchange; the test of each adapter calls it with its own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HeadroomExchange, HeadroomReading } from '../../src/admission/headroom-exchange.ts';

export function readingOf(remaining: number, readAt: number, model = 'gpt-5'): HeadroomReading {
  const key = { provider: 'openai', account: 'default', region: 'us-east', model };
  const requests = { limit: 1000, remaining, resetAt: readAt + 60_000 };
  return { key, gauges: { requests, tokens: { ...requests, resetAt: undefined } }, readAt };
}

export function headroomExchangeContract(
  adapter: string,
  open: () => Promise<HeadroomExchange>,
): void {
  describe(`headroom exchange on ${adapter}`, () => {
    it('delivers no reading to the server that published it', async () => {
      const exchange = await open();
      const received: HeadroomReading[] = [];
      await exchange.subscribe((reading) => void received.push(reading));
      for (let call = 0; call < 100; call += 1) exchange.publish(readingOf(call, Date.now()));
      await exchange.close();
      assert.deepEqual(received, []);
    });

    it('tolerates repeated close', async () => {
      const exchange = await open();
      await exchange.close();
      await exchange.close();
    });
  });
}
