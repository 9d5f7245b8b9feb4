import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { Journal } from '../usage/journal.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import { createMeter, type Meter } from './meter.ts';
import { createPriceBook } from './price-book.ts';
import { createWorstCase } from './worst-case.ts';

/** Records its calls; the test decides when a record is written. */
class HeldJournal implements Journal<UsageRecord> {
  readonly waiting: { record: UsageRecord; onWritten: () => void }[] = [];
  canWrite = true;
  append(record: UsageRecord, onWritten: () => void): void {
    this.waiting.push({ record, onWritten });
  }
  isWritable(): boolean {
    return this.canWrite;
  }
  oldest(): readonly UsageRecord[] {
    return [];
  }
  release(): void {}
  backlog(): number {
    return this.waiting.length;
  }
  async close(): Promise<void> {}
}

test('the caller and the drain are notified when the journal has the record, not before', () => {
  const { meter, journal, woken } = rig();
  let isWritten = false;
  meter.record(usageRecord('a'), () => {
    isWritten = true;
  });
  assert.equal(isWritten, false);
  assert.equal(journal.waiting[0]?.record.id, 'a');
  // Woken earlier, the drain could find an empty journal and miss the record.
  assert.equal(woken(), 0);
  journal.waiting[0]?.onWritten();
  assert.deepEqual([isWritten, woken()], [true, 1]);
});

test('the meter is ready while the journal can be written', () => {
  const { meter, journal } = rig();
  assert.equal(meter.isReady(), true);
  journal.canWrite = false;
  assert.equal(meter.isReady(), false);
});

test('usage is priced by the price book, and an unknown model has no price', () => {
  const { meter } = rig();
  const usage = { ...NO_USAGE, inputTokens: 1000, outputTokens: 500 };
  const now = createTestClock().now();
  assert.equal(meter.isPriced('openai', 'gpt-5-mini'), true);
  assert.equal(
    meter.costNanos('openai', 'gpt-5-mini', usage),
    createPriceBook().costNanos('openai', 'gpt-5-mini', usage, now),
  );
  assert.ok(meter.costNanos('openai', 'gpt-5-mini', usage) > 0);
  assert.equal(meter.isPriced('openai', 'a-model-of-nobody'), false);
});

function rig(): { meter: Meter; journal: HeldJournal; woken: () => number } {
  const journal = new HeldJournal();
  let wakes = 0;
  const meter = createMeter({
    journal,
    prices: createPriceBook(),
    worstCase: createWorstCase(),
    clock: createTestClock(),
    onRecorded: () => {
      wakes += 1;
    },
  });
  return { meter, journal, woken: () => wakes };
}
