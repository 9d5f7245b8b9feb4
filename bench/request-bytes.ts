// The request of a benchmark on the wire: an Anthropic Messages call with a JSON body of 1 KiB.

import { MODEL } from './programs/fixed-answers.ts';
import type { Subject } from './subject.ts';

const BODY_BYTES = 1_024;

export function requestBytes(subject: Subject, isStream: boolean): string {
  const body = requestBody(isStream);
  const headers = {
    host: `127.0.0.1:${subject.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    accept: isStream ? 'text/event-stream' : 'application/json',
    'anthropic-version': '2023-06-01',
    'user-agent': 'spillway-bench',
    ...subject.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `POST /v1/messages HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function requestBody(isStream: boolean): string {
  const write = (content: string) =>
    JSON.stringify({
      model: MODEL,
      max_tokens: 256,
      ...(isStream ? { stream: true } : {}),
      messages: [{ role: 'user', content }],
    });
  return write('Describe a spillway.  '.repeat(60).slice(0, BODY_BYTES - write('').length));
}
