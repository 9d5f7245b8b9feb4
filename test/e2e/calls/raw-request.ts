// Requests whose path and method reach the server exactly as given; `fetch` would change them.

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type SendRaw = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<RawAnswer>;

/** Sends with the key of the gateway. */
export function rawSender({
  url,
  apiKey,
}: {
  readonly url: string;
  readonly apiKey: string;
}): SendRaw {
  const { hostname, port } = new URL(url);
  return (method, path, body, headers = {}) => {
    const text = body && JSON.stringify(body);
    const own = {
      authorization: `Bearer ${apiKey}`,
      ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { hostname, port, path, method, agent: false, headers: { ...own, ...headers } },
        (response) => {
          let received = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            received += chunk;
          });
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: received,
            }),
          );
        },
      );
      request.on('error', reject);
      request.end(text);
    });
  };
}

export function errorOf({ body }: RawAnswer): Record<string, unknown> {
  return Object(Object(JSON.parse(body)).error);
}
