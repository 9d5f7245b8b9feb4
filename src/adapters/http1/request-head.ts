// Serialises the head of a request, up to the length of its body. It adds only the headers that HTTP itself needs, and refuses
// characters that could end a line early: a model name from a caller must not smuggle a second request. The requests of an
// origin repeat each other, so that comparing with the last one replaces checking and composing.

/** Names and values of the headers alternate. */
type Head = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
};

export class RequestHeads {
  readonly #host: string;
  #last: { readonly request: Head; readonly bytes: Buffer } | undefined;

  constructor(host: string) {
    this.#host = host;
  }

  /** The lines before `content-length`. Throws TypeError on an invalid path or header. */
  bytesOf({ method, path, headers }: Head): Buffer {
    const last = this.#last;
    if (last && isSame(last.request, method, path, headers)) return last.bytes;
    if (!path.startsWith('/') || NOT_IN_A_PATH.test(path))
      throw new TypeError('the request path contains characters that cannot be sent');
    let head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: keep-alive\r\n`;
    for (let at = 0; at < headers.length; at += 2)
      head += fieldLine(headers[at] ?? '', headers[at + 1] ?? '');
    const bytes = Buffer.from(head, 'latin1');
    this.#last = { request: { method, path, headers: [...headers] }, bytes };
    return bytes;
  }
}

function isSame(last: Head, method: string, path: string, headers: readonly string[]): boolean {
  if (last.method !== method || last.path !== path) return false;
  if (last.headers.length !== headers.length) return false;
  for (let at = 0; at < headers.length; at += 1) if (headers[at] !== last.headers[at]) return false;
  return true;
}

function fieldLine(name: string, value: string): string {
  if (NOT_IN_A_NAME.test(name) || NOT_IN_A_VALUE.test(value))
    throw new TypeError('a request header contains characters that cannot be sent');
  return `${name}: ${value}\r\n`;
}

const NOT_IN_A_PATH = /[^\x21-\x7e]/;
const NOT_IN_A_NAME = /^$|[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a tab is the one control character a value may have
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
