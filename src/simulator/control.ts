// The simulator's control endpoints: set and read scenarios, read the truth log and its totals. Control
// requests are not logged, and no scenario applies to them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { InvalidInput } from './invalid-input.ts';
import { readBody } from './read-body.ts';
import type { Decider } from './scenario/decide.ts';
import { mostWithin } from './scenario/peak-window.ts';
import { PRESETS } from './scenario/presets.ts';
import type { TruthLog } from './truth/truth-log.ts';

export const CONTROL_PREFIX = '/_simulator/';

export type Controlled = { readonly decider: Decider; readonly log: TruthLog };

export type ControlRequest = {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The text of the body; empty without one. */
  readonly body: string;
};

export type ControlReply = { readonly status: number; readonly body?: unknown };

type Handler = (controlled: Controlled, query: URLSearchParams, body: string) => ControlReply;

export function isControlPath(url: string): boolean {
  return url.startsWith(CONTROL_PREFIX);
}

/** Never rejects: every failure becomes a reply. */
export async function answerControl(
  request: IncomingMessage,
  response: ServerResponse,
  controlled: Controlled,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const reply = await readBody(request).then(
    (body) => control(controlled, { method, url, body: body?.toString() ?? '' }),
    explain,
  );
  if (response.destroyed) return;
  const body = reply.body === undefined ? '' : JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Never throws: every failure becomes a reply. */
export function control(controlled: Controlled, request: ControlRequest): ControlReply {
  const { pathname, searchParams } = new URL(request.url, 'http://simulator');
  const methods = ENDPOINTS.get(pathname);
  if (!methods) return problem(404, 'NOT_FOUND', `There is no ${pathname} here.`);
  const handler = methods.get(request.method);
  if (!handler) {
    const known = [...methods.keys()].join(', ');
    return problem(405, 'INVALID_REQUEST', `${pathname} takes ${known}.`);
  }
  try {
    return handler(controlled, searchParams, request.body);
  } catch (failure) {
    return explain(failure);
  }
}

const ENDPOINTS: ReadonlyMap<string, ReadonlyMap<string, Handler>> = new Map([
  [
    '/_simulator/scenario',
    new Map<string, Handler>([
      ['GET', ({ decider }) => ({ status: 200, body: { data: decider.list() } })],
      ['PUT', setScenario],
      ['DELETE', resetScenario],
    ]),
  ],
  ['/_simulator/scenarios', new Map<string, Handler>([['GET', listPresets]])],
  [
    '/_simulator/log',
    new Map<string, Handler>([
      ['GET', readLog],
      ['DELETE', clearLog],
    ]),
  ],
  ['/_simulator/stats', new Map<string, Handler>([['GET', readStats]])],
]);

function setScenario({ decider }: Controlled, _query: URLSearchParams, body: string): ControlReply {
  decider.set(parseJson(body));
  return { status: 200, body: { data: decider.list() } };
}

function listPresets(): ControlReply {
  const data = Object.entries(PRESETS).map(([name, preset]) => ({ name, ...preset }));
  return { status: 200, body: { data } };
}

const USUAL_PAGE = 1_000;

/** Newest last. With `since`, the first page after it; without, the last page. */
function readLog({ log }: Controlled, query: URLSearchParams): ControlReply {
  const limit = wholeNumber(query, 'limit') ?? USUAL_PAGE;
  const since = wholeNumber(query, 'since');
  const all = log.entries();
  const later = since === undefined ? all : all.filter((entry) => entry.sequence > since);
  const data =
    since === undefined ? later.slice(Math.max(0, later.length - limit)) : later.slice(0, limit);
  const hasMore = since !== undefined && data.length < later.length;
  return { status: 200, body: { data, nextCursor: hasMore ? data.at(-1)?.sequence : null } };
}

/** With `windowMs`, also the peak request count per window of that length among the logged entries. */
function readStats({ log }: Controlled, query: URLSearchParams): ControlReply {
  const totals = log.totals();
  const windowMs = wholeNumber(query, 'windowMs');
  if (windowMs === undefined) return { status: 200, body: totals };
  const times = new Map<string, number[]>();
  for (const { provider, startedAt } of log.entries()) {
    const list = times.get(provider) ?? [];
    if (list.push(startedAt) === 1) times.set(provider, list);
  }
  const most = [...times].map(([provider, list]) => [provider, mostWithin(list, windowMs)]);
  return { status: 200, body: { ...totals, maxRequestsPerWindow: Object.fromEntries(most) } };
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidInput(`${name} must be a whole number, not "${text.slice(0, 40)}".`);
  return Number(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput('The scenario is not valid JSON.');
  }
}

function resetScenario({ decider }: Controlled): ControlReply {
  decider.reset();
  return { status: 204 };
}

function clearLog({ log }: Controlled): ControlReply {
  log.clear();
  return { status: 204 };
}

function explain(failure: unknown): ControlReply {
  return failure instanceof InvalidInput
    ? problem(400, 'INVALID_REQUEST', failure.message)
    : problem(500, 'INTERNAL', 'The simulator failed.');
}

function problem(status: number, code: string, message: string): ControlReply {
  return { status, body: { error: { code, message } } };
}
