// The parts that a model's turn may contain. No vendor accepts images or documents in the model's turns, although some
// formats can express them.

import type { Fields } from './fields.ts';
import type { Losses } from './losses.ts';
import type { TurnPart } from './neutral-request.ts';

/** False for an image or a document, which is dropped as `from`. */
export function isOwnWord({ kind }: TurnPart, from: Fields, losses: Losses): boolean {
  if (kind !== 'image' && kind !== 'document') return true;
  losses.drop(from.path(kind));
  return false;
}
