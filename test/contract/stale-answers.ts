// The contract of the port StaleAnswers. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { StaleAnswers } from '../../src/admission/stale-answers.ts';
import type { StoredAnswer } from '../../src/admission/stored-answer.ts';

export type OpenedStaleAnswers = { readonly answers: StaleAnswers; close(): Promise<void> };

/** The retention with which the adapter is opened. */
export const CONTRACT_RETENTION_MS = 10_000;
const NOW = 1_900_000_000_000;

function answer(text: string): StoredAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from([...Buffer.from(text), 0, 255]),
  };
}

export function staleAnswersContract(
  adapter: string,
  open: () => Promise<OpenedStaleAnswers>,
): void {
  describe(`stale answers on ${adapter}`, () => {
    let opened: OpenedStaleAnswers;
    let answers: StaleAnswers;
    before(async () => {
      opened = await open();
      ({ answers } = opened);
    });
    after(() => opened.close());

    it('returns the last stored answer, byte for byte, with its timestamp', async () => {
      await answers.keep('acme', 'a', answer('old'), NOW);
      await answers.keep('acme', 'a', answer('new'), NOW + 5);
      const found = await answers.find('acme', 'a', NOW);
      assert.deepEqual(found, { ...answer('new'), storedAt: NOW + 5 });
    });

    it('finds no answer of another request or another organisation', async () => {
      await answers.keep('acme', 'b', answer('mine'), NOW);
      assert.equal(await answers.find('acme', 'other', NOW), undefined);
      assert.equal(await answers.find('globex', 'b', NOW), undefined);
    });

    it('finds no answer older than requested', async () => {
      await answers.keep('acme', 'c', answer('old'), NOW);
      assert.equal(await answers.find('acme', 'c', NOW + 1), undefined);
      assert.ok(await answers.find('acme', 'c', NOW));
    });

    it('pruning deletes every expired answer and no other', async () => {
      const later = NOW + 2 * CONTRACT_RETENTION_MS;
      await answers.deleteExpired(later);
      for (let each = 0; each < 250; each += 1)
        await answers.keep('acme', `many-${each}`, answer('x'), NOW);
      await answers.keep('acme', 'young', answer('y'), later);
      assert.equal(await answers.deleteExpired(later), 250);
      assert.ok(await answers.find('acme', 'young', NOW));
      assert.equal(await answers.find('acme', 'many-0', 0), undefined);
    });
  });
}
