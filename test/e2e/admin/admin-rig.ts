// A gateway in this process with the simulator as its provider and its own data folder, and a function to
// call it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, type Gateway } from '../../../src/app/create-gateway.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { withSimulator } from '../../../src/config/providers/simulator-stand-in.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
};

export type Call = {
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

export type AdminRig = {
  readonly gateway: Gateway;
  readonly url: string;
  readonly dataDir: string;
  /** With the admin key by default. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  close(): Promise<void>;
};

export async function openAdminRig(): Promise<AdminRig> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-admin-'));
  const simulator = await startSimulator({ clock: systemClock });
  const env = { SPILLWAY_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'critical' };
  const config = withSimulator(loadConfig({ env, cwd: dataDir }), simulator.url);
  const gateway = await createGateway(config);
  const url = (await gateway.listen()) ?? '';
  return {
    gateway,
    url,
    dataDir,
    call: (method, path, call = {}) =>
      send(url, method, path, { key: gateway.identity.adminKey, ...call }),
    async close() {
      await gateway.close();
      await simulator.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

async function send(url: string, method: string, path: string, call: Call): Promise<Answer> {
  const body = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
