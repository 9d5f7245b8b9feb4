// The first characters of a prompt for the log line of a request, for organisations that have allowed it. The body is parsed
// only then. The preview is the text of the last message of the user; tool results and images have none.

const PREVIEW_CHARACTERS = 100;

/** A larger body has no preview: parsing it would block the event loop. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Fields of the formats that hold the conversation, or the prompt as a text. */
const CONVERSATIONS = ['messages', 'contents', 'input', 'prompt'] as const;

export function promptPreview(body: Buffer): string | undefined {
  if (body.length > MAX_BODY_BYTES) return undefined;
  const request = parsed(body);
  for (const name of CONVERSATIONS) {
    const text = textOf(fieldOf(request, name));
    if (text !== undefined) return shortened(text);
  }
  return undefined;
}

function textOf(conversation: unknown): string | undefined {
  if (typeof conversation === 'string') return conversation;
  if (!Array.isArray(conversation)) return undefined;
  const own = conversation.findLast((message) => (fieldOf(message, 'role') ?? 'user') === 'user');
  return typeof own === 'string' ? own : contentOf(own);
}

/** A message has `content` (a text or parts) or `parts`; the first part with a text counts. */
function contentOf(message: unknown): string | undefined {
  const content = fieldOf(message, 'content') ?? fieldOf(message, 'parts');
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => fieldOf(part, 'text'));
  return texts.find((text) => typeof text === 'string');
}

function shortened(text: string): string {
  // The slice bounds the work on a long text.
  const start = text
    .slice(0, 4 * PREVIEW_CHARACTERS)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = GRAPHEMES.segment(start)[Symbol.iterator]().take(PREVIEW_CHARACTERS);
  return [...characters].map(({ segment }) => segment).join('');
}

/** Characters as a reader counts them: an emoji is one. */
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
