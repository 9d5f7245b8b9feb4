// The admin API for commands: over HTTP if a server is running, else the same endpoints on the store, which is opened
// for the duration of the command. Every failure is one sentence.

import { z } from 'zod';
import { findServer, type ServerLocation } from '../app/find-server.ts';
import { loadConfig } from '../config/load-config.ts';
import type { ErrorCode } from '../errors/codes.ts';
import type { InProcessRequest } from '../http/in-process.ts';
import { type Log, reasonOf } from '../kernel/log.ts';
import { refusedValue } from './allowed-values.ts';
import { type CliContext, CliFailure, EXIT } from './command.ts';

export type AdminRequest = InProcessRequest & {
  /** Call as the organisation `default` instead of as an operator. */
  readonly isCaller?: boolean;
  /** The command's own sentences for error codes. */
  readonly errorTexts?: Readonly<Partial<Record<ErrorCode, string>>>;
};

export type AdminApi = {
  /** False: no server is running, and the store was opened. */
  readonly isServer: boolean;
  /** Resolves to the JSON of the response, or undefined without one. Throws CliFailure for every error response. */
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
  const location = findServer(config);
  if (location.url !== undefined && (await isSpillway(location.url)))
    return work(overHttp(location.url, location));
  // Imported on demand: a command does not need the store while a server runs.
  const { openOfflineAdmin } = await import('../app/open/open-offline-admin.ts');
  const api = await openOfflineAdmin(config, logTo(context));
  try {
    return await work({
      isServer: false,
      async call(request) {
        const { status, text } = await api.call(request);
        return read(status, text, request.errorTexts);
      },
    });
  } finally {
    await api.close();
  }
}

/** Sends no key, because another program may be listening there. */
export async function isSpillway(url: string): Promise<boolean> {
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

function overHttp(url: string, { adminKey, apiKey }: ServerLocation): AdminApi {
  return {
    isServer: true,
    async call(request) {
      const key = request.isCaller ? apiKey : adminKey;
      if (key === undefined)
        throw new CliFailure(
          `The server on ${url} requires a key that is not in the data folder; set ${request.isCaller ? 'SPILLWAY_API_KEY' : 'SPILLWAY_ADMIN_KEY'}.`,
        );
      const response = await send(url, key, request);
      if (response.status === 401)
        throw new CliFailure(
          `The server on ${url} refuses this key; set ${request.isCaller ? 'SPILLWAY_API_KEY' : 'SPILLWAY_ADMIN_KEY'} to a valid one.`,
        );
      return read(response.status, await response.text(), request.errorTexts);
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
    const sentence = `The server on ${url} did not respond (${reasonOf(cause)}).`;
    throw new CliFailure(sentence, undefined, cause);
  }
}

function read(status: number, text: string, errorTexts: AdminRequest['errorTexts'] = {}): unknown {
  const body: unknown = parse(text);
  if (status < 400) return body;
  const known = refusal.safeParse(body);
  if (!known.success)
    throw new CliFailure(`The server responded with status ${status} and no reason.`);
  const { code, message, requestId, params } = known.data.error;
  const sentence = new Map(Object.entries(errorTexts)).get(code);
  if (sentence !== undefined) throw new CliFailure(sentence);
  if (params?.field !== undefined) throw new CliFailure(refusedValue(params.field), EXIT.usage);
  throw new CliFailure(`${message} (${code}, ${requestId})`);
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without a server, errors go to stderr of the command. */
function logTo(context: CliContext): Log {
  return {
    write: ({ level, message }) => {
      if (level === 'error' || level === 'critical') context.err(message);
    },
    flush: () => Promise.resolve(),
  };
}
