// A gateway whose provider answers as the test says, and the cost of single calls to it.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type Answer, ask, newTenant, usageOf } from '../../support/gateway/call-rig.ts';
import { ADMIN_KEY, openSealedRig } from '../errors/sealed-rig.ts';

/** An object is a whole answer, a list holds the events of a stream. */
export type ProviderAnswer = object | readonly (object | string)[] | Responder;
type Responder = (response: ServerResponse) => void;

export type CostRig = {
  /** Answers one call of a new organisation and returns the caller's answer and the cost in nanodollars. */
  call(path: string, body: object, answer: ProviderAnswer): Promise<Answer & { cost: number }>;
  close(): Promise<void>;
};

export async function openCostRig(): Promise<CostRig> {
  let respond: Responder = (response) => response.end();
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the provider has no port');
  const rig = await openSealedRig(`http://127.0.0.1:${address.port}`);
  return {
    async call(path, body, answer) {
      respond = responderOf(answer);
      const gateway = { url: rig.url, adminKey: ADMIN_KEY };
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000, requestsPerMinute: 1000 });
      const answered = await ask(tenant, { path, body });
      const { costUsd } = await usageOf(tenant, 1);
      return { ...answered, cost: Math.round(costUsd * 1e9) };
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
