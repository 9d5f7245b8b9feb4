// The contract of CredentialExchange; the test of each adapter calls it with its own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  CredentialExchange,
  CredentialNews,
} from '../../src/admission/credentials/credential-exchange.ts';

export const REFUSED: CredentialNews = {
  provider: 'openai',
  account: 'default',
  isRefused: true,
  fingerprint: 'print',
};

export function credentialExchangeContract(
  adapter: string,
  open: () => Promise<CredentialExchange>,
): void {
  describe(`credential exchange on ${adapter}`, () => {
    it('delivers no news to the server that published it', async () => {
      const exchange = await open();
      const received: CredentialNews[] = [];
      await exchange.subscribe((news) => void received.push(news));
      for (let call = 0; call < 100; call += 1) exchange.publish(REFUSED);
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
