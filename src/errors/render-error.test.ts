import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { ERROR_CODES } from './codes.ts';
import { LOCALES } from './locale.ts';
import { overrideProblem, renderError } from './render-error.ts';

// 1 March 2026, noon in UTC.
const now = Date.UTC(2026, 2, 1, 12);
const minute = 60_000;
const hour = 60 * minute;

function limit(
  resetTime: unknown,
  options: { locale?: string; timeZone?: string; now?: number } = {},
) {
  return renderError('AI_LIMIT_REACHED', { resetTime }, { locale: 'en', now, ...options });
}

suite('the reset time', () => {
  test('under an hour it is given in minutes, rounded up', () => {
    assert.match(limit(now + 12 * minute), /in 12 minutes\.$/);
    assert.match(limit(now + 11 * minute + 1), /in 12 minutes\.$/);
    assert.match(limit(now + 1), /in 1 minute\.$/);
    assert.match(limit(now + hour - 1), /in 60 minutes\.$/);
  });

  test("beyond an hour it is a clock time in the reader's zone", () => {
    assert.match(limit(now + hour, { timeZone: 'America/New_York' }), /at 8:00 AM\.$/);
    assert.match(limit(now + 3 * hour, { timeZone: 'Asia/Kolkata' }), /at 8:30 PM\.$/);
  });

  test('UTC replaces an unknown zone and is named', () => {
    assert.match(limit(now + 3 * hour), /at 3:00 PM UTC\.$/);
    assert.match(limit(now + 3 * hour, { timeZone: 'Mars/Olympus' }), /at 3:00 PM UTC\.$/);
  });

  test('the day is given if it is not today in that zone', () => {
    const late = now + 11 * hour;
    assert.match(limit(late, { timeZone: 'UTC' }), /at 11:00 PM UTC\.$/);
    assert.match(limit(late, { timeZone: 'Europe/Berlin' }), /on Monday, March 2 at 12:00 AM\.$/);
    assert.match(limit(late, { timeZone: 'Asia/Tokyo' }), /on Monday, March 2 at 8:00 AM\.$/);
    assert.match(limit(late, { timeZone: 'America/Los_Angeles' }), /at 3:00 PM\.$/);
  });

  test('the year is given if it is not the current one', () => {
    const newYear = Date.UTC(2027, 0, 1, 9);
    assert.match(
      limit(newYear, { timeZone: 'UTC' }),
      /on Friday, January 1, 2027 at 9:00 AM UTC\.$/,
    );
  });

  test('daylight-saving changes are respected', () => {
    const berlin = { locale: 'en', timeZone: 'Europe/Berlin' };
    const springForward = Date.UTC(2026, 2, 29, 1);
    assert.match(limit(springForward, { ...berlin, now: springForward - hour }), /at 3:00 AM\.$/);
    const fallBack = Date.UTC(2026, 9, 25, 1);
    assert.match(limit(fallBack, { ...berlin, now: fallBack - hour }), /at 2:00 AM\.$/);
  });

  test('a past reset says now, an unknown one says a few minutes', () => {
    assert.match(limit(now), /try again now\.$/);
    assert.match(limit(now - 1), /try again now\.$/);
    assert.match(limit(undefined), /in a few minutes\.$/);
    assert.match(limit('tomorrow'), /in a few minutes\.$/);
    assert.match(limit(Number.MAX_VALUE), /in a few minutes\.$/);
  });
});

suite('required content per code', () => {
  const say = (code: string, params: object = {}, background = false) =>
    renderError(code, params, { locale: 'en', now, background });

  test("an organisation's own limit is given in seconds when short, as a reset time when long", () => {
    const own = (retryAfterMs: number) =>
      say('RATE_LIMITED', { scope: 'organization', retryAfterMs });
    assert.match(own(11_001), /in 12 seconds\.$/);
    assert.match(own(0), /in 1 second\.$/);
    assert.match(own(600_000), /in 10 minutes\.$/);
    assert.match(own(5 * hour), /at 5:00 PM UTC\.$/);
  });

  test('other throttles say that the service is busy for a moment', () => {
    assert.match(say('RATE_LIMITED', { scope: 'provider', retryAfterMs: 9_000 }), /busy.*moment/);
    assert.match(say('RATE_LIMITED', { scope: 'system' }), /many requests.*moment/);
    assert.match(say('RATE_LIMITED'), /moment/);
  });

  test('an unavailable provider is described as overloaded, failing or known to be down', () => {
    assert.match(say('PROVIDER_UNAVAILABLE', { reason: 'overloaded' }), /high load.*a minute/);
    assert.match(say('PROVIDER_UNAVAILABLE', { reason: 'error' }), /temporary.*try again/);
    assert.match(
      say('PROVIDER_UNAVAILABLE', { reason: 'circuit_open' }),
      /unavailable.*team knows.*few minutes/,
    );
  });

  test('the other codes say what to do next', () => {
    assert.match(say('AUTH_FAILED'), /configuration problem on our side.*contact support/);
    assert.match(say('BUDGET_EXCEEDED'), /month is used up.*Upgrade.*contact/);
    assert.match(say('CONTENT_POLICY'), /rephrase/);
    assert.match(say('INVALID_REQUEST', { field: 'max_tokens' }), /max_tokens.*correct/);
    assert.match(say('INVALID_REQUEST'), /correct or rephrase/);
    assert.match(say('CONTEXT_TOO_LONG'), /shorten/);
    assert.match(say('REQUEST_TOO_LARGE'), /shorten/);
    assert.match(say('UNAUTHORIZED'), /check the key/);
    assert.match(say('FORBIDDEN'), /check the key/);
    for (const phase of ['connect', 'first_content', 'idle', 'total', 'lost']) {
      assert.match(say('NETWORK_TIMEOUT', { phase }), /split/);
    }
  });

  test("unexpected failures say that the team is notified, callers' mistakes do not", () => {
    for (const code of ['INTERNAL', 'LOOP_DETECTED', 'what is this']) {
      assert.match(say(code), /unexpected.*team has been notified/);
    }
    for (const code of ['INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND', 'UNPROCESSABLE']) {
      assert.doesNotMatch(say(code), /team/);
    }
  });

  test('a background reader learns that work is paused and when it resumes', () => {
    assert.match(
      say('AI_LIMIT_REACHED', { resetTime: now + 12 * minute }, true),
      /paused.*continue in 12 minutes/,
    );
    assert.match(
      say('RATE_LIMITED', { scope: 'provider', retryAfterMs: 1 }, true),
      /paused.*in 1 minute/,
    );
    assert.match(say('AI_LIMIT_REACHED', {}, true), /paused.*in a few minutes/);
    assert.doesNotMatch(say('CONTENT_POLICY', {}, true), /paused/);
  });
});

suite('overrides', () => {
  const say = (overrides: Record<string, string>, resetTime?: number, locale = 'en') =>
    renderError('AI_LIMIT_REACHED', { resetTime }, { locale, now, overrides });

  test('an override replaces a code, one variant, or one language of either', () => {
    assert.equal(say({ AI_LIMIT_REACHED: 'Back soon.' }), 'Back soon.');
    const overrides = {
      AI_LIMIT_REACHED: 'Back soon.',
      'AI_LIMIT_REACHED.minutes': 'Back in {minutes} min.',
      'de:AI_LIMIT_REACHED': 'Bald zurück.',
    };
    assert.equal(say(overrides, now + 5 * minute), 'Back in 5 min.');
    assert.equal(say(overrides, now + 5 * hour), 'Back soon.');
    assert.equal(say(overrides, undefined, 'de-AT'), 'Bald zurück.');
  });

  test('an override that is broken or has unknown arguments falls back to the catalogue', () => {
    assert.match(say({ AI_LIMIT_REACHED: '{minutes, plural, oops' }), /in a few minutes/);
    assert.match(say({ AI_LIMIT_REACHED: 'In {minutes}.' }), /in a few minutes/);
    assert.match(say({ AI_LIMIT_REACHED: 'x'.repeat(5_000) }), /in a few minutes/);
  });

  test('overrideProblem reports an invalid override before it is stored', () => {
    assert.equal(overrideProblem('Back in {minutes} min.'), undefined);
    assert.equal(overrideProblem('{oops'), 'not a valid ICU message');
    assert.match(overrideProblem('x'.repeat(5_000)) ?? '', /longer/);
  });
});

suite('every code in every language', () => {
  const zones = [
    'UTC',
    'Pacific/Kiritimati',
    'America/St_Johns',
    'Europe/Istanbul',
    'Asia/Kathmandu',
  ];
  // Around midnight, around the clock changes in Europe and America, and at the ends of a year.
  const instants = [
    Date.UTC(2026, 2, 8, 6, 59),
    Date.UTC(2026, 2, 29, 0, 59),
    Date.UTC(2026, 9, 25, 0, 59),
    Date.UTC(2026, 11, 31, 23, 59),
    Date.UTC(2028, 1, 28, 23, 59),
  ];

  test('renders a complete sentence in every zone at every instant', () => {
    for (const locale of LOCALES) {
      for (const code of ERROR_CODES) {
        for (const timeZone of zones) {
          for (const instant of instants) {
            const resetTime = instant + 2 * hour;
            const sentence = renderError(code, { resetTime }, { locale, timeZone, now: instant });
            assert.match(sentence, /^[^{}]{10,}[.。]\u2069?$/u);
          }
        }
      }
    }
  });

  test('ignores the text of hostile parameters', () => {
    const hostile = fc.oneof(
      fc.anything(),
      fc.record({
        resetTime: fc.oneof(fc.double(), fc.bigInt(), fc.string()),
        retryAfterMs: fc.oneof(fc.double(), fc.constant('canary')),
        scope: fc.constantFrom('canary', 'organization', '__proto__'),
        reason: fc.constantFrom('canary', 'constructor', {}),
        field: fc.oneof(fc.string(), fc.constant('<b>canary</b>'), fc.constant('{canary}')),
        phase: fc.constant({ toString: () => 'canary' }),
      }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...ERROR_CODES, 'toString', 'canary'),
        hostile,
        fc.constantFrom(...LOCALES, 'xx', '', 'constructor'),
        fc.oneof(fc.string(), fc.constant('Europe/Paris')),
        fc.double(),
        (code, params, locale, timeZone, instant) => {
          const sentence = renderError(code, params, { locale, timeZone, now: instant });
          assert.ok(sentence.length > 10);
          assert.doesNotMatch(sentence, /canary|undefined|NaN|\[object/);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('Arabic is marked right to left and isolates left-to-right text', () => {
    const sentence = renderError(
      'INVALID_REQUEST',
      { field: 'messages[0]' },
      { locale: 'ar', now },
    );
    assert.match(sentence, /^\u2067.*\u2066messages\[0\]\u2069.*\u2069$/u);
    assert.doesNotMatch(renderError('INTERNAL', {}, { locale: 'en', now }), /[\u2066-\u2069]/);
  });

  test('Arabic uses all its plural forms', () => {
    const inMinutes = (minutes: number) => limit(now + minutes * minute, { locale: 'ar' });
    assert.match(inMinutes(1), /دقيقة واحدة/);
    assert.match(inMinutes(2), /دقيقتين/);
    assert.match(inMinutes(7), /7 دقائق/);
    assert.match(inMinutes(12), /12 دقيقة/);
  });

  test("one o'clock is singular in languages that require it", () => {
    const one = { now: now + 1, timeZone: 'UTC' };
    assert.match(limit(now + 13 * hour, { ...one, locale: 'es' }), /a la 1:00 UTC/);
    assert.match(limit(now + 14 * hour, { ...one, locale: 'es' }), /a las 2:00 UTC/);
  });
});
