// A streamed call over a connection of its own, which the test can cut.

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Caller } from './call-rig.ts';

export type OpenedStream = { readonly caller: ClientRequest; readonly status: number | undefined };

/** Resolves when the first content, or the refusal, has arrived. */
export async function openStream({ url, apiKey }: Caller, body: string): Promise<OpenedStream> {
  const caller = openRequest(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    agent: false,
  });
  caller.on('error', () => {});
  caller.end(body);
  const [response] = (await once(caller, 'response')) as [IncomingMessage];
  await once(response, 'data');
  return { caller, status: response.statusCode };
}
