// A gateway before a provider whose answers the test writes, with organisations that share its accounts.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '../../../src/app/create-gateway.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { type Caller, newTenant } from '../../support/gateway/call-rig.ts';
import { raiseLimits, TEST_ADMIN_KEY, TEST_API_KEY } from '../../support/gateway/test-gateway.ts';

export type VendorRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** Answers a request; undefined: the vendor's ordinary success. */
export type Vendor = (request: VendorRequest, response: ServerResponse) => unknown;

export type VendorRig = {
  readonly url: string;
  readonly adminKey: string;
  /** The requests that the provider received. */
  readonly received: VendorRequest[];
  answerWith(vendor: Vendor): void;
  newTenant(): Promise<Caller & { readonly organizationId: string }>;
  close(): Promise<void>;
};

const ROOMY = { requestsPerMinute: 1_000_000, monthlyBudgetUsd: 100_000 };

/** A provider whose answers the test writes. */
export type VendorServer = Pick<VendorRig, 'received' | 'answerWith'> & {
  readonly url: string;
  close(): void;
};

export async function startVendor(): Promise<VendorServer> {
  const received: VendorRequest[] = [];
  let vendor: Vendor = () => undefined;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path = '', headers } = request;
    const seen = { path, headers, body: Buffer.concat(chunks).toString() };
    received.push(seen);
    if (vendor(seen, response) === undefined) succeed(path, response);
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`,
    received,
    answerWith: (next) => void (vendor = next),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function openVendorRig(file: string): Promise<VendorRig> {
  const vendor = await startVendor();
  const base = vendor.url;
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-vendor-'));
  writeFileSync(join(dataDir, 'spillway.yaml'), file);
  const env = {
    PORT: '0',
    LOG_LEVEL: 'critical',
    SPILLWAY_DATA_DIR: dataDir,
    SPILLWAY_API_KEY: TEST_API_KEY,
    SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
    ANTHROPIC_API_KEY: 'a-key-of-anthropic',
    ANTHROPIC_BASE_URL: base,
    OPENAI_API_KEY: 'a-key-of-openai',
    OPENAI_BASE_URL: base,
    GEMINI_API_KEY: 'a-key-of-gemini',
    GEMINI_BASE_URL: base,
    // The accounts' own limits are not the subject.
    ANTHROPIC_RATE_LIMIT: '1000000',
    OPENAI_RATE_LIMIT: '1000000',
    GEMINI_RATE_LIMIT: '1000000',
  };
  const gateway = await createGateway(loadConfig({ env, cwd: dataDir }));
  const url = (await gateway.listen()) ?? '';
  await raiseLimits(url);
  return {
    url,
    adminKey: TEST_ADMIN_KEY,
    received: vendor.received,
    answerWith: vendor.answerWith,
    newTenant: () => newTenant({ url, adminKey: TEST_ADMIN_KEY }, ROOMY),
    async close() {
      await gateway.close();
      vendor.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The failure of a vendor, as JSON. */
export function refuse(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
  return true;
}

function succeed(path: string, response: ServerResponse): void {
  refuse(response, 200, successOf(path));
}

function successOf(path: string): object {
  const usage = { input_tokens: 1, output_tokens: 1 };
  if (path.includes('/messages')) {
    const content = [{ type: 'text', text: 'Hello' }];
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: 'end_turn',
      usage,
    };
  }
  const message = { role: 'assistant', content: 'Hello' };
  const counts = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  if (path.includes('/chat/'))
    return { id: 'chat_1', object: 'chat.completion', choices, usage: counts };
  const parts = [{ text: 'Hello' }];
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
}
