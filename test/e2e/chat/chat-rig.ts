// A gateway on the simulator with its own model for decisions, and calls of /api/chat.

import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

export const DECIDER = 'claude-haiku-4-5';
export const REPLIER = 'gpt-5-mini';

const FILE = `${SINGLE_ATTEMPTS}
orchestrator:
  decisionModel: anthropic/${DECIDER}
  replyModel: openai/${REPLIER}
  decisionTimeoutMs: 400
  categories:
    unspecified-low: { model: talk }
aliases:
  talk: { targets: [openai/${REPLIER}], fallbacks: [gemini/gemini-2.5-flash] }
`;

export type ChatBody = {
  readonly success: boolean;
  readonly result: {
    readonly category: string;
    readonly skills: readonly string[];
    readonly decidedBy: string;
    readonly reply?: string;
    readonly jobId?: string;
    readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
    readonly costUsd: number;
    readonly requestId: string;
  };
  readonly error: {
    readonly code: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly requestId: string;
  };
};

export type ChatResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ChatBody;
  readonly text: string;
};

export type ChatRig = {
  readonly gateway: TestGateway;
  chat(
    body: unknown,
    options?: { readonly key?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<ChatResponse>;
  admin(method: string, path: string, body?: object): Promise<unknown>;
  /** Creates an organisation; resolves to a key of it. */
  organization(id: string, terms?: object, key?: object): Promise<string>;
  read(path: string, key?: string): Promise<unknown>;
  /** The simulated providers serve again, and no limit is known. */
  recover(): Promise<void>;
};

type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export async function openChatRig(file: string = FILE): Promise<ChatRig> {
  const gateway = await startTestGateway({}, () => file);

  async function send(path: string, key: string, init: Sent = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return fetch(gateway.url + path, { ...init, headers: { ...headers, ...init.headers } });
  }

  async function admin(method: string, path: string, body?: object): Promise<unknown> {
    const init = body ? { method, body: JSON.stringify(body) } : { method };
    const text = await (await send(path, gateway.adminKey, init)).text();
    return text === '' ? undefined : JSON.parse(text);
  }

  return {
    gateway,
    admin,
    async chat(body, { key = gateway.apiKey, headers = {} } = {}) {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await send('/api/chat', key, init);
      const text = await response.text();
      const parsed: ChatBody = JSON.parse(text);
      return { status: response.status, headers: response.headers, body: parsed, text };
    },
    async organization(id, terms = {}, key = {}) {
      await admin('POST', '/admin/orgs', { id, name: id, ...terms });
      const created = await admin('POST', `/admin/orgs/${id}/keys`, key);
      return String(Reflect.get(Object(created), 'key'));
    },
    async read(path, key = gateway.apiKey) {
      return (await send(path, key)).json();
    },
    async recover() {
      gateway.simulator.resetScenario();
      gateway.simulator.clearLog();
      for (const provider of ['anthropic', 'openai', 'gemini'])
        await admin('DELETE', `/admin/limits/${provider}/us-east`);
    },
  };
}
