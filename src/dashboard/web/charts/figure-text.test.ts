import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clockText,
  countdownText,
  countText,
  dayText,
  durationText,
  exactTimeText,
  moneyText,
  nearTimeText,
  percentText,
  rateText,
} from './figure-text.ts';

const AT = Date.UTC(2026, 10, 14, 14, 20, 5);

test('a duration shows its two largest units', () => {
  const texts = [0, 340, 1234, 59_900, 252_000, 11_100_000, 187_200_000].map(durationText);
  assert.deepEqual(texts, [
    '0 ms',
    '340 ms',
    '1.2 s',
    '59 s',
    '4 min 12 s',
    '3 h 5 min',
    '2 d 4 h',
  ]);
});

test('a countdown rounds up and reaches zero only when the time is over', () => {
  const texts = [-5, 0, 1, 9000, 252_000, 3_909_000, 187_200_000].map(countdownText);
  assert.deepEqual(texts, ['0:00', '0:00', '0:01', '0:09', '4:12', '1:05:09', '2 d 4 h']);
});

test('an amount below a cent keeps two significant digits', () => {
  const texts = [0, 0.0000001, 0.00012, 0.0031, 0.05, 1234.5, 250_000].map(moneyText);
  assert.deepEqual(texts, [
    '$0.00',
    '< $0.000001',
    '$0.00012',
    '$0.0031',
    '$0.05',
    '$1,234.50',
    '$250K',
  ]);
});

test('counts above ten thousand are compact and small rates keep a decimal', () => {
  assert.deepEqual([9999, 12_345, 3_200_000].map(countText), ['9,999', '12.3K', '3.2M']);
  assert.deepEqual([0.44, 12.4].map(rateText), ['0.4', '12']);
  assert.deepEqual([0, 0.0004, 0.051, 0.92].map(percentText), ['0 %', '< 0.1 %', '5.1 %', '92 %']);
});

test('a time within half a day has no date', () => {
  assert.equal(clockText(AT, 'UTC'), '14:20:05');
  assert.equal(dayText(AT, 'UTC'), '14 Nov');
  assert.equal(exactTimeText(AT, 'UTC'), '14 Nov 2026, 14:20:05');
  assert.equal(nearTimeText(AT, AT - 3_600_000, 'UTC'), '14:20:05');
  assert.equal(nearTimeText(AT, AT - 90_000_000, 'UTC'), '14 Nov, 14:20');
});
