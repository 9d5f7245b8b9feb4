import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillwayError } from '../../../errors/spillway-error.ts';
import { NO_USAGE, type Usage } from '../../../kernel/usage.ts';
import type { CallTranslation } from '../../translate/call-translation.ts';
import { chargeAnswer, chargeFailed, chargeFailure, chargeLeft } from './charge-attempt.ts';

const REPORTED: Usage = { ...NO_USAGE, inputTokens: 70, outputTokens: 30 };
const NO_REFERENCES = {
  isUnbounded: false,
  images: 0,
  mayCacheForAnHour: false,
  hasMedia: false,
  hasAudio: false,
};
const UNARY = {
  body: Buffer.alloc(400),
  charge: 'input_and_output',
  isStream: false,
  operation: 'messages',
  translation: undefined,
  stated: { features: undefined, references: NO_REFERENCES },
} as const;
const STREAM = { ...UNARY, isStream: true };
const SENT = { reservedNanos: 9_000_000 };
const CUT = new SpillwayError('NETWORK_TIMEOUT', 'cut', { params: { phase: 'lost' } });

function answered(usage: Usage | undefined, streamed: number, received = 0) {
  return {
    reportedUsage: () => usage,
    streamedBytes: () => streamed,
    receivedBytes: () => received,
    unusableAnswer: () => undefined,
  };
}

function counts({ usage, isEstimated }: { usage: Usage; isEstimated: boolean }) {
  return [usage.inputTokens, usage.outputTokens, isEstimated];
}

test('a complete answer is charged by its usage, else by an estimate', () => {
  assert.deepEqual(counts(chargeAnswer(UNARY, REPORTED, 4000)), [70, 30, false]);
  assert.deepEqual(counts(chargeAnswer(UNARY, undefined, 4000)), [100, 1000, true]);
  const embeddings = { ...UNARY, charge: 'input' } as const;
  assert.deepEqual(counts(chargeAnswer(embeddings, undefined, 4000)), [100, 0, true]);
  const free = { ...UNARY, charge: 'nothing' } as const;
  assert.deepEqual(counts(chargeAnswer(free, REPORTED, 4000)), [0, 0, false]);
});

test('a stream that reports no output is charged by its streamed content', () => {
  const inputOnly = { ...REPORTED, outputTokens: 0 };
  const withMissing = { ...inputOnly, missing: { input: false, output: true } };
  assert.deepEqual(counts(chargeAnswer(STREAM, withMissing, 80)), [70, 20, true]);
  assert.deepEqual(counts(chargeAnswer(STREAM, inputOnly, 0)), [70, 0, false]);
});

test('vectors are no output, also where their answer is cut', () => {
  const embeddings = { ...UNARY, charge: 'input' } as const;
  const cut = chargeFailure(embeddings, answered(undefined, 0, 80_000), CUT, false);
  assert.deepEqual(counts(cut), [100, 0, true]);
});

test('a missing count is estimated, and a reported one is not', () => {
  const noInput = { ...REPORTED, inputTokens: 0, missing: { input: true, output: false } };
  assert.deepEqual(counts(chargeAnswer(UNARY, noInput, 4000)), [100, 30, true]);
  const noOutput = { ...REPORTED, outputTokens: 0, missing: { input: false, output: true } };
  assert.deepEqual(counts(chargeAnswer(UNARY, noOutput, 4000)), [70, 1000, true]);
  const outcome = { kind: 'reported', usage: noOutput } as const;
  assert.deepEqual(counts(chargeLeft(STREAM, answered(undefined, 80), SENT, outcome)), [
    70,
    20,
    true,
  ]);
});

test('a caller that left pays the reported usage, else the streamed part', () => {
  const outcome = { kind: 'reported', usage: REPORTED } as const;
  assert.deepEqual(counts(chargeLeft(STREAM, answered(undefined, 0), SENT, outcome)), [
    70,
    30,
    false,
  ]);
  const unknown = { kind: 'unknown' } as const;
  assert.deepEqual(counts(chargeLeft(STREAM, answered(undefined, 200), SENT, unknown)), [
    100,
    50,
    true,
  ]);
  const refused = chargeLeft(STREAM, answered(undefined, 0), SENT, { kind: 'refused' });
  assert.deepEqual(counts(refused), [0, 0, false]);
});

test('a caller that left a unary call pays at least the reservation', () => {
  const charged = chargeLeft(UNARY, answered(undefined, 0), SENT, { kind: 'unknown' });
  assert.deepEqual([...counts(charged), charged.leastNanos], [100, 0, true, 9_000_000]);
});

test('a cut call is charged for its known usage, a failed call costs nothing', () => {
  assert.deepEqual(counts(chargeFailure(STREAM, answered(REPORTED, 40), CUT, true)), [
    70,
    30,
    true,
  ]);
  const begun = { ...REPORTED, outputTokens: 1 };
  assert.deepEqual(counts(chargeFailure(STREAM, answered(begun, 0), CUT, false)), [70, 1, true]);
  assert.deepEqual(counts(chargeFailure(UNARY, answered(undefined, 0, 80), CUT, false)), [
    100,
    20,
    true,
  ]);
  assert.deepEqual(counts(chargeFailure(UNARY, answered(undefined, 0), CUT, false)), [0, 0, false]);
  const failed = new SpillwayError('PROVIDER_UNAVAILABLE', 'overloaded');
  assert.deepEqual(counts(chargeFailure(STREAM, answered(begun, 0), failed, false)), [0, 0, false]);
});

test('requested tiers and tools are charged where the answer does not report them', () => {
  const tool = { field: 'tools[0].x', maxUses: undefined, isFree: false, model: undefined };
  const features = {
    tiers: [{ field: 'service_tier', tier: 'priority' }],
    tools: [
      { ...tool, kind: 'web_search', isReported: true },
      { ...tool, kind: 'google_search', isReported: false },
    ],
    outputs: [],
  };
  const plan = { ...UNARY, stated: { ...UNARY.stated, features } };
  const silent = chargeAnswer(plan, REPORTED, 0).usage;
  assert.deepEqual([silent.tiers, silent.unconfirmedTiers], [undefined, features.tiers]);
  assert.deepEqual(silent.extras?.toolUses, { google_search: 1 });
  const standard = { ...REPORTED, tiers: { service_tier: 'standard' } };
  assert.deepEqual(chargeAnswer(plan, standard, 0).usage.tiers, { service_tier: 'standard' });
});

test('a tier that Gemini does not report is the requested one, unless another vendor may have served', () => {
  const features = { tiers: [{ field: 'serviceTier', tier: 'flex' }], tools: [], outputs: [] };
  const gemini = {
    ...UNARY,
    operation: 'generate',
    stated: { ...UNARY.stated, features },
  } as const;
  assert.deepEqual(chargeAnswer(gemini, REPORTED, 0).usage.tiers, { service_tier: 'flex' });
  const translation = {} as CallTranslation;
  const foreign = chargeAnswer({ ...gemini, translation }, REPORTED, 0).usage;
  assert.deepEqual([foreign.tiers, foreign.unconfirmedTiers], [undefined, features.tiers]);
});

test('cache writes of a chat request for an hour are charged as such', () => {
  const written = { ...REPORTED, cacheWriteTokens: 40 };
  const references = { ...NO_REFERENCES, mayCacheForAnHour: true };
  const plan = { ...UNARY, operation: 'chat', stated: { ...UNARY.stated, references } } as const;
  const { cacheWriteTokens, cacheWrite1hTokens } = chargeAnswer(plan, written, 0).usage;
  assert.deepEqual([cacheWriteTokens, cacheWrite1hTokens], [0, 40]);
  assert.equal(chargeAnswer({ ...plan, operation: 'messages' }, written, 0).usage, written);
  assert.equal(chargeAnswer({ ...UNARY, operation: 'chat' }, written, 0).usage, written);
});

test('a refusal with status 200 is charged by the usage that it reports', () => {
  const policy = new SpillwayError('CONTENT_POLICY', 'refused');
  for (const hasContent of [false, true])
    for (const plan of [UNARY, STREAM])
      assert.deepEqual(counts(chargeFailure(plan, answered(REPORTED, 0), policy, hasContent)), [
        70,
        30,
        false,
      ]);
  assert.deepEqual(counts(chargeFailure(UNARY, answered(undefined, 0), policy, false)), [
    0,
    0,
    false,
  ]);
});

test('an answer that the caller cannot get is charged by its report, else an estimate or the reservation', () => {
  const error = new SpillwayError('PROVIDER_UNAVAILABLE', 'the answer has another form');
  const unusable = (usage: Usage | undefined, outputBytes: number, isRead = true) => ({
    ...answered(undefined, 0),
    unusableAnswer: () => ({ usage, outputBytes, isRead }),
  });
  for (const plan of [UNARY, STREAM])
    for (const charge of [
      (attempt: ReturnType<typeof unusable>) => chargeFailed(plan, attempt, SENT, error, false),
      (attempt: ReturnType<typeof unusable>) =>
        chargeLeft(plan, attempt, SENT, { kind: 'refused', error }),
    ]) {
      assert.deepEqual(counts(charge(unusable(REPORTED, 4000))), [70, 30, false]);
      assert.deepEqual(counts(charge(unusable(undefined, 4000))), [100, 1000, true]);
      const unread = charge(unusable(undefined, 0, false));
      assert.deepEqual([...counts(unread), unread.leastNanos], [100, 0, true, 9_000_000]);
    }
});
