// A request as it goes over the wire. Nothing is added to its headers but what HTTP itself needs. What could end a line
// early is refused: a request is one request, whatever a caller put into a model's name.

import type { UpstreamRequest } from '../../upstream/upstream.ts';

/** The head, with the empty line that ends it; throws where a part of it could not be told from the rest. */
export function requestHead(request: UpstreamRequest, host: string): string {
  const { method, path, headers, body } = request;
  if (!path.startsWith('/') || NOT_IN_A_PATH.test(path)) throw new TypeError('the path is none');
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (NOT_IN_A_NAME.test(name) || NOT_IN_A_VALUE.test(value))
      throw new TypeError('a header cannot be sent');
    head += `${name}: ${value}\r\n`;
  }
  return body ? `${head}content-length: ${body.length}\r\n\r\n` : `${head}\r\n`;
}

const NOT_IN_A_PATH = /[^\x21-\x7e]/;
const NOT_IN_A_NAME = /^$|[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a tab is the one control character a value may have
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
