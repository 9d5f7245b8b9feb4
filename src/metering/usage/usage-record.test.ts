import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  decodeUsageRecord,
  encodeUsageRecord,
  type UsageRecord,
  usageRecordId,
} from './usage-record.ts';

const count = fc.maxSafeNat();
const text = fc.string({ unit: 'binary' });
const optionalText = fc.option(text, { nil: undefined });
const anyRecord: fc.Arbitrary<UsageRecord> = fc.record({
  id: text,
  requestId: text,
  attempt: count,
  organizationId: text,
  keyId: text,
  userId: optionalText,
  provider: text,
  model: text,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  cacheWrite1hTokens: count,
  reasoningTokens: count,
  costNanos: count,
  category: optionalText,
  latencyMs: count,
  status: text,
  streamed: fc.boolean(),
  estimated: fc.boolean(),
  createdAt: count,
});

test('a record decodes unchanged from one line', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const line = encodeUsageRecord(record);
      assert.ok(!/[\r\n]/.test(line));
      assert.deepEqual(decodeUsageRecord(line), { ...record });
    }),
  );
});

test('a line from before the last optional fields existed decodes without them', () => {
  const [record] = fc.sample(anyRecord, { numRuns: 1, seed: 1 });
  assert.ok(record);
  const values = JSON.parse(encodeUsageRecord({ ...record, firstContentMs: 7 })) as unknown[];
  assert.equal(values.at(-1), 7);
  assert.deepEqual(decodeUsageRecord(JSON.stringify(values.slice(0, -1))), { ...record });
  assert.equal(decodeUsageRecord(JSON.stringify(values.slice(0, -3))), undefined);
  assert.equal(decodeUsageRecord(JSON.stringify([...values, 1])), undefined);
});

test('a torn line decodes to nothing', () => {
  fc.assert(
    fc.property(anyRecord, fc.nat(), (record, cut) => {
      const line = encodeUsageRecord(record);
      assert.equal(decodeUsageRecord(line.slice(0, cut % line.length)), undefined);
    }),
  );
});

test('a line with a value of the wrong kind decodes to nothing', () => {
  const [record] = fc.sample(anyRecord, { numRuns: 1, seed: 1 });
  assert.ok(record);
  const values = JSON.parse(encodeUsageRecord(record)) as unknown[];
  for (let index = 0; index < values.length; index += 1) {
    for (const wrong of [[], {}, true, -1, 1.5, 'wrong', 9007199254740993n.toString()]) {
      if (typeof wrong === 'string' && typeof values[index] === 'string') continue;
      if (typeof wrong === 'string' && (index === 6 || index === 16)) continue;
      const line = JSON.stringify(values.with(index, wrong));
      assert.equal(
        decodeUsageRecord(line),
        undefined,
        `value ${index} as ${JSON.stringify(wrong)}`,
      );
    }
  }
});

test('decoding never throws on arbitrary text', () => {
  for (const line of ['', 'null', '[]', '{}', '[1]', '[2,3', '\u0000', 'x'.repeat(1000)])
    assert.equal(decodeUsageRecord(line), undefined);
  fc.assert(fc.property(fc.json(), (line) => decodeUsageRecord(line) === undefined));
});

test('the id of an attempt is a function of the request and its number', () => {
  assert.equal(usageRecordId('req_1', 2), 'req_1.2');
});
