// Renders a code and its parameters as one sentence for a person. Total: wrong parameter types, an unknown
// code, locale or zone, or a broken override yield a plainer sentence, never an exception. Only allow-listed
// parameters appear.

import { IntlMessageFormat } from 'intl-messageformat';
import { CATALOGUES } from './catalogues.ts';
import { chooseMessage, type MessageArguments } from './choose-message.ts';
import type { ErrorCode } from './codes.ts';
import { isRightToLeft, type Locale, resolveLocale, resolveTimeZone } from './locale.ts';

/** The options of `renderError`: language, time zone and the present time. */
export type RenderOptions = {
  readonly locale?: string;
  readonly timeZone?: string;
  readonly now: number;
  /**
   * An organisation's own messages, in ICU MessageFormat, by message key, by code, or by `locale:` and
   * either.
   */
  readonly overrides?: Readonly<Record<string, string>>;
  /** The reader's work runs in the background: a limit pauses it instead of refusing it. */
  readonly background?: boolean;
};

/** A code with its parameters as one sentence for a person. Never throws. */
export function renderError(
  code: ErrorCode | (string & {}),
  params: unknown,
  options: RenderOptions,
): string {
  const locale = resolveLocale(options.locale);
  const timeZone = resolveTimeZone(options.timeZone);
  const isBackground = options.background === true;
  const chosen = chooseMessage(code, params, { locale, timeZone, now: options.now, isBackground });
  const sentence =
    overridden(options.overrides, locale, chosen) ??
    format(CATALOGUES[locale][chosen.key], locale, chosen.args);
  return isRightToLeft(locale) ? `${RIGHT_TO_LEFT_ISOLATE}${sentence}${POP_ISOLATE}` : sentence;
}

/** Why a text cannot be used as an override, or undefined if it can. */
export function overrideProblem(text: string): string | undefined {
  if (text.length > MAX_OVERRIDE_LENGTH) return `longer than ${MAX_OVERRIDE_LENGTH} characters`;
  try {
    compile(text, 'en');
    return undefined;
  } catch {
    return 'not a valid ICU message';
  }
}

const RIGHT_TO_LEFT_ISOLATE = '\u2067';
const POP_ISOLATE = '\u2069';
const MAX_OVERRIDE_LENGTH = 2_000;
const MAX_CACHED_MESSAGES = 1_000;

type Chosen = ReturnType<typeof chooseMessage>;

// An override may name arguments that this message does not have; then the catalogue's message is used.
function overridden(
  overrides: RenderOptions['overrides'],
  locale: Locale,
  { key, family, args }: Chosen,
): string | undefined {
  if (overrides === undefined || overrides === null) return undefined;
  for (const name of [`${locale}:${key}`, `${locale}:${family}`, key, family]) {
    const text = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
    if (typeof text !== 'string' || text.length > MAX_OVERRIDE_LENGTH) continue;
    try {
      return format(text, locale, args);
    } catch {
      continue;
    }
  }
  return undefined;
}

function format(text: string, locale: Locale, args: MessageArguments): string {
  return String(compile(text, locale).format(args));
}

// A memo of parsed messages: parsing costs a hundred times as much as formatting.
const cache = new Map<string, IntlMessageFormat>();

function compile(text: string, locale: Locale): IntlMessageFormat {
  const key = `${locale} ${text}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const message = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  if (cache.size < MAX_CACHED_MESSAGES) cache.set(key, message);
  return message;
}
