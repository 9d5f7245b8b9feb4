// A gateway whose provider answers as the test says, and the cost of single calls to it.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import {
  type Answer,
  ask,
  type Caller,
  newTenant,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { ADMIN_KEY, openSealedRig } from '../errors/sealed-rig.ts';

/** An object is a whole answer, a list holds the events of a stream. */
export type ProviderAnswer = object | readonly (object | string)[] | Responder;
type Responder = (response: ServerResponse) => void;

export type CostRig = {
  /** Answers one call of a new organisation and returns the caller's answer and the cost in nanodollars. */
  call(path: string, body: object, answer: ProviderAnswer): Promise<Answer & { cost: number }>;
  /** The cost of a stream whose caller leaves at its first bytes; the provider sends the rest after that. */
  leave(path: string, body: object, first: Events, rest: Events): Promise<number>;
  close(): Promise<void>;
};

type Events = readonly object[];

export async function openCostRig(): Promise<CostRig> {
  let respond: Responder = (response) => response.end();
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the provider has no port');
  const rig = await openSealedRig(`http://127.0.0.1:${address.port}`);
  const tenant = () =>
    newTenant(
      { url: rig.url, adminKey: ADMIN_KEY },
      { monthlyBudgetUsd: 1000, requestsPerMinute: 1000 },
    );
  const costOf = async (caller: Caller) => Math.round((await usageOf(caller, 1)).costUsd * 1e9);
  return {
    async call(path, body, answer) {
      respond = responderOf(answer);
      const caller = await tenant();
      const answered = await ask(caller, { path, body });
      return { ...answered, cost: await costOf(caller) };
    },
    async leave(path, body, first, rest) {
      const leaving = new AbortController();
      respond = (response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.write(first.map(eventOf).join(''));
        leaving.signal.addEventListener('abort', () => {
          // A provider that is done before the gateway has noticed the departure changes nothing.
          setTimeout(() => response.end(rest.map(eventOf).join('')), 50);
        });
      };
      const caller = await tenant();
      const { body: events } = await fetch(rig.url + path, {
        method: 'POST',
        headers: { 'x-api-key': caller.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: leaving.signal,
      });
      await events?.getReader().read();
      leaving.abort();
      return costOf(caller);
    },
    async close() {
      await rig.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

function responderOf(answer: ProviderAnswer): Responder {
  if (typeof answer === 'function') return answer as Responder;
  const isStream = Array.isArray(answer);
  const text = isStream ? answer.map(eventOf).join('') : JSON.stringify(answer);
  return (response) => {
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.end(text);
  };
}

function eventOf(data: object | string): string {
  if (typeof data === 'string') return `data: ${data}\n\n`;
  const { type } = data as { readonly type?: string };
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
}
