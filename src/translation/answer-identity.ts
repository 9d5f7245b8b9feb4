// The ids that the caller sees. Spillway makes them: a provider's id would show which vendor served the request, and
// call ids derived from positions, for formats without ids, would repeat from turn to turn, so that clients would take
// two calls for the same one.

import type { AnswerPart, NeutralAnswer, NeutralEvent, StartedPart } from './neutral-answer.ts';

export type AnswerIdentity = {
  /** Unique, without the prefix of a vendor. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

export function identifyAnswer(
  answer: NeutralAnswer,
  { id, createdAt }: AnswerIdentity,
): NeutralAnswer {
  const parts = answer.parts.map((part, index) => withId(part, id, index));
  return { ...answer, id, createdAt, parts };
}

export function identifyEvent(
  event: NeutralEvent,
  { id, createdAt }: AnswerIdentity,
): NeutralEvent {
  switch (event.kind) {
    case 'start':
      return { ...event, id, createdAt };
    case 'part_start':
      return { ...event, part: withId(event.part, id, event.index) };
    case 'part_end':
      return { ...event, part: withId(event.part, id, event.index) };
    case 'delta':
    case 'end':
      return event;
  }
}

/** OpenAI accepts ids of at most 40 characters. */
const CALL_ID_LENGTH = 20;

function withId<T extends AnswerPart | StartedPart>(part: T, id: string, index: number): T {
  return part.kind === 'tool_call'
    ? { ...part, id: `${id.slice(-CALL_ID_LENGTH)}_${index}` }
    : part;
}
