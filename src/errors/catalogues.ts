// The sentences, one JSON file per language in locales/. Imported as JSON modules, so that Node, browsers
// and bundlers all load them without I/O of ours. English is the shape the others are held to.

import en from '../../locales/en.json' with { type: 'json' };
import type { Locale } from './locale.ts';

export type MessageKey = keyof typeof en;
export type Catalogue = Readonly<Record<MessageKey, string>>;

export const CATALOGUES: Readonly<Partial<Record<Locale, Catalogue>>> = { en };

export const MESSAGE_KEYS = Object.keys(en) as readonly MessageKey[];

export function sentenceOf(locale: Locale, key: MessageKey): string {
  return CATALOGUES[locale]?.[key] ?? en[key];
}
