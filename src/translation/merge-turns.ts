// Some vendors want turns that alternate; callers of other formats need not send them so.

import type { Turn } from './neutral-request.ts';

/** Neighbouring turns of one role become one. */
export function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role === turn.role)
      merged[merged.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] };
    else merged.push(turn);
  }
  return merged;
}
