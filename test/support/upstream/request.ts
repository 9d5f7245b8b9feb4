// Sends one request over an `Upstream` and resolves with its response, or rejects with its failure.

import type { Upstream, UpstreamCall, UpstreamRequest } from '../../../src/upstream/upstream.ts';

export type RequestOptions = {
  readonly path?: string;
  readonly headers?: string[];
  readonly body?: string;
  readonly onCall?: (call: UpstreamCall) => void;
};

export type Response = { readonly status: number; readonly body: string };

export function requestTo(origin: string, options: RequestOptions = {}): UpstreamRequest {
  const { path = '/v1/x', headers = [], body = '{}' } = options;
  return { origin, path, method: 'POST', headers, body: Buffer.from(body) };
}

export function send(
  upstream: Upstream,
  origin: string,
  options: RequestOptions = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let body = '';
    const call = upstream.send(requestTo(origin, options), {
      onHead(given) {
        status = given;
      },
      onData(chunk) {
        body += chunk.toString('latin1');
      },
      onEnd: () => resolve({ status, body }),
      onFailure: reject,
    });
    options.onCall?.(call);
  });
}
