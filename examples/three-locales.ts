// One error as a sentence for three readers: their language, their time zone.

import { renderError } from 'spillway/errors';

const now = Date.UTC(2026, 10, 18, 9);
const params = { resetTime: Date.UTC(2026, 10, 18, 14, 30) };
const readers = [
  { locale: 'en', timeZone: 'America/New_York' },
  { locale: 'tr', timeZone: 'Europe/Istanbul' },
  { locale: 'ja', timeZone: 'Asia/Tokyo' },
];
for (const reader of readers)
  console.log(`${reader.locale}: ${renderError('AI_LIMIT_REACHED', params, { ...reader, now })}`);
