// How operators' commands reach the gateway: over HTTP where a server is running, else through the same
// endpoints on the store, opened for as long as the command lasts. A command need not know which it was. What
// goes wrong is one sentence.

import { z } from 'zod';
import { findServer, type ServerClue } from '../app/find-server.ts';
import { loadConfig } from '../config/load-config.ts';
import type { ErrorCode } from '../errors/codes.ts';
import type { InProcessRequest } from '../http/in-process.ts';
import type { Log } from '../kernel/log.ts';
import { type CliContext, CliFailure } from './command.ts';

export type AdminRequest = InProcessRequest & {
  /** As the organisation `default` instead of as an operator. */
  readonly isCaller?: boolean;
  /** What a refusal means here, in the command's own words. */
  readonly sayings?: Readonly<Partial<Record<ErrorCode, string>>>;
};

export type AdminApi = {
  /** False: no server is running, the store was opened. */
  readonly isServer: boolean;
  /** The answer's JSON; undefined when it has none. Throws CliFailure for every refusal. */
  call(request: AdminRequest): Promise<unknown>;
};

export type AdminOptions = { readonly config?: string; readonly json?: boolean };

const ANSWER_TIMEOUT_MS = 30_000;
const PROBE_TIMEOUT_MS = 3000;

export async function withAdmin<T>(
  context: CliContext,
  options: AdminOptions,
  work: (admin: AdminApi) => Promise<T>,
): Promise<T> {
  const config = loadConfig({ env: context.env, cwd: context.cwd, configFile: options.config });
  const clue = findServer(config);
  if (clue.url !== undefined && (await isOurs(clue.url))) return work(overHttp(clue.url, clue));
  // Loaded here, so that a command beside a running server starts without the store's weight.
  const { openOfflineAdmin } = await import('../app/open/open-offline-admin.ts');
  const api = await openOfflineAdmin(config, logTo(context));
  try {
    return await work({
      isServer: false,
      async call(request) {
        const { status, text } = await api.call(request);
        return read(status, text, request.sayings);
      },
    });
  } finally {
    await api.close();
  }
}

/** Asked without a key: what listens there may be somebody else's program, and then learns nothing. */
export async function isOurs(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(`${url}/health/live`, { signal, redirect: 'error' });
    return liveAnswer.safeParse(await response.json()).success;
  } catch {
    return false;
  }
}

const liveAnswer = z.object({ status: z.string() });

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    requestId: z.string(),
    params: z.object({ field: z.string().optional() }).optional(),
  }),
});

function overHttp(url: string, { adminKey, apiKey }: ServerClue): AdminApi {
  return {
    isServer: true,
    async call(request) {
      const key = request.isCaller ? apiKey : adminKey;
      if (key === undefined)
        throw new CliFailure(
          `The server on ${url} asks for a key that is not in the data folder; set ${request.isCaller ? 'SPILLWAY_API_KEY' : 'SPILLWAY_ADMIN_KEY'}.`,
        );
      const response = await send(url, key, request);
      if (response.status === 401)
        throw new CliFailure(
          `The server on ${url} does not take this key; set ${request.isCaller ? 'SPILLWAY_API_KEY' : 'SPILLWAY_ADMIN_KEY'} to one it takes.`,
        );
      return read(response.status, await response.text(), request.sayings);
    },
  };
}

async function send(url: string, key: string, request: AdminRequest): Promise<Response> {
  try {
    return await fetch(`${url}${request.path}`, {
      method: request.method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(request.body && { 'content-type': 'application/json' }),
      },
      ...(request.body && { body: JSON.stringify(request.body) }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      redirect: 'error',
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliFailure(`The server on ${url} did not answer (${reason}).`, undefined, cause);
  }
}

function read(status: number, text: string, sayings: AdminRequest['sayings'] = {}): unknown {
  const body: unknown = parse(text);
  if (status < 400) return body;
  const known = refusal.safeParse(body);
  if (!known.success) throw new CliFailure(`The server answered ${status} without saying why.`);
  const { code, message, requestId, params } = known.data.error;
  const said = new Map(Object.entries(sayings)).get(code);
  if (said !== undefined) throw new CliFailure(said);
  if (params?.field !== undefined)
    throw new CliFailure(`The value of ${params.field} is not one that is allowed.`);
  throw new CliFailure(`${message} (${code}, ${requestId})`);
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without a server its log has no reader; what failed is told to the person who asked. */
function logTo(context: CliContext): Log {
  return {
    write: ({ level, message }) => {
      if (level === 'error' || level === 'critical') context.err(message);
    },
    flush: () => Promise.resolve(),
  };
}
