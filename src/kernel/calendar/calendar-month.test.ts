import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { calendarMonth, createMonthCache, isWithin } from './calendar-month.ts';

const ZONES = [
  'UTC',
  'America/Havana',
  'America/New_York',
  'America/St_Johns',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Europe/Istanbul',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];
const HOUR_MS = 3_600_000;
const zone = fc.constantFrom(...ZONES);
const moment = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) });

test('a timestamp lies in its month, and the month has 28 to 31 days, give or take daylight saving', () => {
  const property = fc.property(moment, zone, (at, timeZone) => {
    const month = calendarMonth(at, timeZone);
    assert.ok(isWithin(month, at));
    const days = (month.endsAt - month.startsAt) / (24 * HOUR_MS);
    // Samoa has no 30 December 2011.
    assert.ok(days > 27.9 && days < 31.1, `${days} days`);
  });
  fc.assert(property);
});

test('consecutive months have no gap and no overlap', () => {
  const property = fc.property(moment, zone, (at, timeZone) => {
    const month = calendarMonth(at, timeZone);
    const next = calendarMonth(month.endsAt, timeZone);
    assert.equal(next.startsAt, month.endsAt);
    assert.equal(next.number, month.number % 100 === 12 ? month.number + 89 : month.number + 1);
    assert.deepEqual(calendarMonth(month.endsAt - 1, timeZone), month);
    assert.deepEqual(calendarMonth(month.startsAt, timeZone), month);
  });
  fc.assert(property);
});

test('a month begins at local midnight, even where midnight is repeated or skipped', () => {
  const start = (iso: string, timeZone: string) =>
    new Date(calendarMonth(Date.parse(iso), timeZone).startsAt).toISOString();
  assert.equal(start('2026-11-15T12:00:00Z', 'Asia/Kolkata'), '2026-10-31T18:30:00.000Z');
  // In Havana the first hour of 1 November 2026 comes twice.
  assert.equal(start('2026-11-01T05:30:00Z', 'America/Havana'), '2026-11-01T04:00:00.000Z');
  // In Cairo the last hour of 31 October 2024 does.
  assert.equal(start('2024-10-31T21:30:00Z', 'Africa/Cairo'), '2024-09-30T21:00:00.000Z');
  assert.equal(start('2024-10-31T22:00:00Z', 'Africa/Cairo'), '2024-10-31T22:00:00.000Z');
  // In Asuncion 1 October 2017 began at one o'clock.
  assert.equal(start('2017-10-01T05:00:00Z', 'America/Asuncion'), '2017-10-01T04:00:00.000Z');
});

test('a cached month equals the computed one', () => {
  const monthAt = createMonthCache();
  const property = fc.property(moment, zone, (at, timeZone) => {
    assert.deepEqual(monthAt(at, timeZone), calendarMonth(at, timeZone));
  });
  fc.assert(property);
});

test('a zone that does not exist is refused', () => {
  assert.throws(() => calendarMonth(0, 'Mars/Olympus'), RangeError);
});
