// The message catalogues: one JSON file per language in locales/, imported as JSON modules so that Node,
// browsers and bundlers load them without I/O. The English keys define the type of every other catalogue.

import ar from '../../locales/ar.json' with { type: 'json' };
import de from '../../locales/de.json' with { type: 'json' };
import en from '../../locales/en.json' with { type: 'json' };
import es from '../../locales/es.json' with { type: 'json' };
import fr from '../../locales/fr.json' with { type: 'json' };
import ja from '../../locales/ja.json' with { type: 'json' };
import pt from '../../locales/pt.json' with { type: 'json' };
import tr from '../../locales/tr.json' with { type: 'json' };
import type { Locale } from './locale.ts';

export type MessageKey = keyof typeof en;
export type Catalogue = Readonly<Record<MessageKey, string>>;

export const CATALOGUES: Readonly<Record<Locale, Catalogue>> = { en, es, tr, de, fr, pt, ar, ja };

export const MESSAGE_KEYS = Object.keys(en) as readonly MessageKey[];
