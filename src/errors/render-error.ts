// One sentence for a person, from a code and its parameters. It is total: parameters of the wrong kind, an
// unknown code, locale, zone or a broken override give a plainer sentence, never an exception, and nothing
// but allow-listed parameters can be spoken.

import { IntlMessageFormat } from 'intl-messageformat';
import { CATALOGUES } from './catalogues.ts';
import { chooseMessage, type MessageArguments } from './choose-message.ts';
import type { ErrorCode } from './codes.ts';
import { isRightToLeft, type Locale, resolveLocale, resolveTimeZone } from './locale.ts';

export type RenderOptions = {
  readonly locale?: string;
  readonly timeZone?: string;
  readonly now: number;
  /** An organisation's own sentences, in ICU MessageFormat, by message key, code, or `locale:` and either. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** The reader's work runs in the background: while a limit holds it is paused, not refused. */
  readonly background?: boolean;
};

export function renderError(
  code: ErrorCode | (string & {}),
  params: unknown,
  options: RenderOptions,
): string {
  const locale = resolveLocale(options.locale);
  const timeZone = resolveTimeZone(options.timeZone);
  const isBackground = options.background === true;
  const chosen = chooseMessage(code, params, { locale, timeZone, now: options.now, isBackground });
  const spoken =
    overridden(options.overrides, locale, chosen) ??
    format(CATALOGUES[locale][chosen.key], locale, chosen.args);
  return isRightToLeft(locale) ? `${RIGHT_TO_LEFT_ISOLATE}${spoken}${POP_ISOLATE}` : spoken;
}

/** Why a text cannot be an organisation's sentence, or undefined when it can. */
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
const MAX_REMEMBERED_MESSAGES = 1_000;

type Chosen = ReturnType<typeof chooseMessage>;

// An override may name arguments this situation does not have; the catalogue's sentence is right then.
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

// A pure memo of parsed messages; parsing costs a hundred times what formatting does.
const remembered = new Map<string, IntlMessageFormat>();

function compile(text: string, locale: Locale): IntlMessageFormat {
  const key = `${locale} ${text}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const message = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  if (remembered.size < MAX_REMEMBERED_MESSAGES) remembered.set(key, message);
  return message;
}
