// Selects the language and the time zone of a message. Uses only Intl, so browsers and servers agree. An
// unknown language or zone is not an error: it falls back to English or UTC.

/** The languages of the sentences. */
export const LOCALES = ['en', 'es', 'tr', 'de', 'fr', 'pt', 'ar', 'ja'] as const;

/** A language of the sentences. */
export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = 'en';
export const DEFAULT_TIME_ZONE = 'UTC';

/** BCP 47 lookup (RFC 4647, 3.4): `es-MX` → `es` → `en`. */
export function resolveLocale(tag: unknown): Locale {
  return lookUp(tag) ?? DEFAULT_LOCALE;
}

/** The best supported language, or undefined so that the organisation's default applies. */
export function localeFromAcceptLanguage(header: unknown): Locale | undefined {
  if (typeof header !== 'string') return undefined;
  const ranges = header.slice(0, MAX_HEADER_LENGTH).split(',').map(readRange);
  ranges.sort((a, b) => b.quality - a.quality);
  for (const { tag, quality } of ranges) {
    const locale = quality > 0 ? lookUp(tag) : undefined;
    if (locale !== undefined) return locale;
  }
  return undefined;
}

/** The language of the request, else the organisation's, else English. */
export function pickLocale(acceptLanguage: unknown, organisationLocale?: unknown): Locale {
  return localeFromAcceptLanguage(acceptLanguage) ?? resolveLocale(organisationLocale);
}

/** The zone of the request, else the organisation's, else UTC. */
export function pickTimeZone(requested: unknown, organisationZone?: unknown): string {
  return isTimeZone(requested) ? requested : resolveTimeZone(organisationZone);
}

export function isRightToLeft(locale: Locale): boolean {
  return locale === 'ar';
}

/** Accepts IANA names only: an offset such as `+02:00` does not follow summer time. */
export function isTimeZone(zone: unknown): zone is string {
  if (typeof zone !== 'string' || !ZONE_NAME.test(zone)) return false;
  const known = zoneVerdicts.get(zone);
  if (known !== undefined) return known;
  const verdict = isKnownToIntl(zone);
  if (zoneVerdicts.size < MAX_CACHED_ZONES) zoneVerdicts.set(zone, verdict);
  return verdict;
}

export function resolveTimeZone(zone: unknown): string {
  return isTimeZone(zone) ? zone : DEFAULT_TIME_ZONE;
}

const MAX_HEADER_LENGTH = 1_000;
const MAX_CACHED_ZONES = 2_000;
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

// A memo: each check constructs an Intl formatter, and callers send the same few zones.
const zoneVerdicts = new Map<string, boolean>();

function lookUp(tag: unknown): Locale | undefined {
  if (typeof tag !== 'string' || tag.length > 64) return undefined;
  const language = tag.trim().toLowerCase().split(/[-_]/, 1)[0];
  return LOCALES.find((locale) => locale === language);
}

function readRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';');
  const weight = parameters.map((part) => part.trim()).find((part) => part.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { tag: tag.trim(), quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

function isKnownToIntl(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
