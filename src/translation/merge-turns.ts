// Some vendors require alternating turns; callers of other formats may repeat a role.

import type { Turn, TurnPart } from './neutral-request.ts';

/** Neighbouring turns of one role become one, in time linear in the number of parts. */
export function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: { readonly role: Turn['role']; readonly parts: TurnPart[] }[] = [];
  for (const { role, parts } of turns) {
    const last = merged.at(-1);
    const into = last?.role === role ? last.parts : [];
    if (last?.parts !== into) merged.push({ role, parts: into });
    for (const part of parts) into.push(part);
  }
  return merged;
}
