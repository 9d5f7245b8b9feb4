import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  isTimeZone,
  LOCALES,
  localeFromAcceptLanguage,
  pickLocale,
  pickTimeZone,
  resolveLocale,
} from './locale.ts';

test('an unknown region falls back to the language and an unknown language to English', () => {
  assert.equal(resolveLocale('es-MX'), 'es');
  assert.equal(resolveLocale('pt-BR'), 'pt');
  assert.equal(resolveLocale('zh-Hant-TW'), 'en');
  assert.equal(resolveLocale('AR_eg'), 'ar');
  assert.equal(resolveLocale(undefined), 'en');
});

test('the supported language with the highest weight wins, whatever the order', () => {
  assert.equal(localeFromAcceptLanguage('nl, de;q=0.5, tr;q=0.9, *;q=0.1'), 'tr');
  assert.equal(localeFromAcceptLanguage('fr-CA,fr;q=0.8,en;q=0.6'), 'fr');
  assert.equal(localeFromAcceptLanguage('ja;q=0, es'), 'es');
});

test('equal weights keep the order they were sent in', () => {
  assert.equal(localeFromAcceptLanguage('de, fr'), 'de');
});

test('a header without a supported language leaves the choice to the organisation', () => {
  assert.equal(localeFromAcceptLanguage('nl, *'), undefined);
  assert.equal(localeFromAcceptLanguage(''), undefined);
  assert.equal(pickLocale('nl', 'tr-TR'), 'tr');
  assert.equal(pickLocale('ja', 'tr'), 'ja');
  assert.equal(pickLocale(undefined, undefined), 'en');
});

test('an arbitrary header yields a supported language or none', () => {
  fc.assert(
    fc.property(fc.anything(), (header) => {
      const locale = localeFromAcceptLanguage(header);
      assert.ok(locale === undefined || LOCALES.includes(locale));
    }),
  );
});

test('time zones are IANA names', () => {
  assert.ok(isTimeZone('Europe/Istanbul'));
  assert.ok(isTimeZone('America/Argentina/Buenos_Aires'));
  assert.ok(isTimeZone('UTC'));
  for (const zone of ['+02:00', 'Mars/Olympus', '', 'Europe/Paris; DROP', 7, null]) {
    assert.equal(isTimeZone(zone), false);
  }
});

test("the request's zone wins over the organisation's, and UTC is the fallback", () => {
  assert.equal(pickTimeZone('Asia/Tokyo', 'Europe/Berlin'), 'Asia/Tokyo');
  assert.equal(pickTimeZone('nonsense', 'Europe/Berlin'), 'Europe/Berlin');
  assert.equal(pickTimeZone(undefined, 'nonsense'), 'UTC');
});
