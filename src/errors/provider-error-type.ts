// The type that a provider gives its own error, such as `overloaded_error` or `RESOURCE_EXHAUSTED`, for logs. It is a name and
// never prose: a text with any other characters, or a longer one, is left out. The code of a failed connection counts too.

const NAME = /^(?:[a-z][a-z0-9_]{1,63}|[A-Z][A-Z0-9_]{1,63})$/;
const MAX_BODY_CHARACTERS = 16 * 1024;

/** `cause` is the cause of a SpillwayError: `{ status, headers, body }`, or the error of a connection. */
export function providerErrorType(cause: unknown): string | undefined {
  if (cause instanceof Error) return nameOf(fieldOf(cause, 'code'));
  const body = fieldOf(cause, 'body');
  const text = typeof body === 'string' ? body : decoded(body);
  if (text === undefined || text.length > MAX_BODY_CHARACTERS) return undefined;
  return typeIn(parsed(text));
}

/** Anthropic and OpenAI name `error.type`, Google `error.status`; a bare `code` is a name with some providers. */
function typeIn(body: unknown): string | undefined {
  const error = fieldOf(Array.isArray(body) ? body[0] : body, 'error') ?? body;
  for (const field of ['type', 'status', 'code']) {
    const name = nameOf(fieldOf(error, field));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** A body is JSON, or the event of a stream with JSON as its data. */
function parsed(text: string): unknown {
  const start = text.search(/[[{]/);
  try {
    return JSON.parse(start < 0 ? text : text.slice(start));
  } catch {
    return undefined;
  }
}

function decoded(body: unknown): string | undefined {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : undefined;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && NAME.test(value) ? value : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
