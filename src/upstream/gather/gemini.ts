// Assembles a streamGenerateContent stream, in which each element is a response with the next parts of its candidates.
// Adjacent parts of plain text are merged, thoughts separate from text. A part with any other field (a call, an image, a
// signature) stays unchanged.

import type { FormatGatherer } from './format-gatherer.ts';
import {
  entryAt,
  type Fields,
  inOrder,
  isRecord,
  keepLatest,
  listOf,
  newFields,
  textOf,
} from './join-fields.ts';

type Candidate = {
  readonly fields: Fields;
  readonly content: Fields;
  readonly parts: Readonly<Record<string, unknown>>[];
};

export function createGeminiGatherer(): FormatGatherer {
  const response = newFields();
  const candidates = new Map<number, Candidate>();
  let text = '';
  let isBegun = false;

  function readCandidate(given: unknown): void {
    if (!isRecord(given)) return;
    const { content, ...rest } = given;
    const candidate = entryAt(candidates, given['index'], newCandidate);
    keepLatest(candidate.fields, rest);
    if (!isRecord(content)) return;
    const { parts, ...about } = content;
    keepLatest(candidate.content, about);
    for (const part of listOf(parts)) {
      if (!isRecord(part)) continue;
      addPart(candidate.parts, part);
      if ((given['index'] ?? 0) === 0 && part['thought'] !== true) text += textOf(part['text']);
    }
  }

  return {
    read({ candidates: given, ...rest }) {
      isBegun = true;
      keepLatest(response, rest);
      listOf(given).forEach(readCandidate);
    },
    text: () => text,
    answer() {
      if (!isBegun) return undefined;
      const finished = inOrder(candidates).map(finishedCandidate);
      return finished.length === 0 ? response : { candidates: finished, ...response };
    },
  };
}

function newCandidate(): Candidate {
  return { fields: newFields(), content: newFields(), parts: [] };
}

function addPart(
  parts: Readonly<Record<string, unknown>>[],
  part: Readonly<Record<string, unknown>>,
): void {
  const last = parts.at(-1);
  if (!isPlainText(part)) parts.push(part);
  else if (last && isPlainText(last) && (last['thought'] === true) === (part['thought'] === true))
    parts[parts.length - 1] = { ...last, text: textOf(last['text']) + textOf(part['text']) };
  // An empty part accompanies the finish reason.
  else if (part['text'] !== '') parts.push(part);
}

function isPlainText(part: Readonly<Record<string, unknown>>): boolean {
  if (typeof part['text'] !== 'string') return false;
  return Object.keys(part).every((name) => name === 'text' || name === 'thought');
}

/** A candidate that was blocked before its first token has no content. */
function finishedCandidate({ fields, content, parts }: Candidate): Fields {
  const hasContent = parts.length > 0 || Object.keys(content).length > 0;
  return hasContent ? { content: { parts, ...content }, ...fields } : fields;
}
