import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MessageTally } from './message-tally.ts';

test('a message is lost until its result arrives, and a second result is a repetition', () => {
  const tally = new MessageTally();
  for (const id of ['one', 'two', 'three']) tally.expect(id);
  tally.noteResult('one', 'succeeded');
  tally.noteResult('one', 'succeeded');
  tally.noteResult('two', 'failed');
  tally.noteDeadLetter('two');
  assert.deepEqual(tally.report(), {
    succeeded: 1,
    failed: 1,
    lost: 1,
    repeated: 1,
    deadLetters: 1,
  });
  assert.equal(tally.hasAnswersFor(2), true);
  assert.equal(tally.hasAnswersFor(3), false);
});

test('the first result of a message counts', () => {
  const tally = new MessageTally();
  tally.expect('one');
  tally.noteResult('one', 'failed');
  tally.noteResult('one', 'succeeded');
  assert.deepEqual(tally.report().failed, 1);
});

test('a result with an unknown id changes nothing', () => {
  const tally = new MessageTally();
  tally.expect('one');
  const before = tally.report();
  tally.noteResult('stranger', 'succeeded');
  tally.noteDeadLetter('stranger');
  assert.deepEqual(tally.report(), before);
});

test('every message has exactly one outcome, for any results in any order', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const result = fc.tuple(id, fc.constantFrom('succeeded', 'failed', 'expired'));
  fc.assert(
    fc.property(fc.uniqueArray(id), fc.array(result), (expected, results) => {
      const tally = new MessageTally();
      for (const each of expected) tally.expect(each);
      for (const [each, status] of results) tally.noteResult(each, status);
      const { succeeded, failed, lost, repeated } = tally.report();
      assert.equal(succeeded + failed + lost, expected.length);
      const own = results.filter(([each]) => expected.includes(each));
      assert.equal(succeeded + failed + repeated, own.length);
    }),
  );
});
