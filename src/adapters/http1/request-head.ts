// Serialises the head of a request. It adds only the headers that HTTP itself needs, and refuses characters that could
// end a line early: a model name from a caller must not smuggle a second request.

import type { UpstreamRequest } from '../../upstream/upstream.ts';

/** The head with its final empty line. Throws TypeError on an invalid path or header. */
export function requestHead(request: UpstreamRequest, host: string): string {
  const { method, path, headers, body } = request;
  if (!path.startsWith('/') || NOT_IN_A_PATH.test(path))
    throw new TypeError('the request path contains characters that cannot be sent');
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (lastSent.get(name) !== value) checkField(name, value);
    head += `${name}: ${value}\r\n`;
  }
  return body ? `${head}content-length: ${body.length}\r\n\r\n` : `${head}\r\n`;
}

/**
 * The last value of each name that passed the check. Most values repeat from request to request, and comparing two equal
 * strings is cheaper than two regular expressions.
 */
const lastSent = new Map<string, string>();
const MAX_NAMES = 100;

function checkField(name: string, value: string): void {
  if (NOT_IN_A_NAME.test(name) || NOT_IN_A_VALUE.test(value))
    throw new TypeError('a request header contains characters that cannot be sent');
  if (lastSent.size < MAX_NAMES || lastSent.has(name)) lastSent.set(name, value);
}

const NOT_IN_A_PATH = /[^\x21-\x7e]/;
const NOT_IN_A_NAME = /^$|[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a tab is the one control character a value may have
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
