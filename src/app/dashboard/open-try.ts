// "Try it": a real request in this process as the organisation `default`, through the same path as a caller's. Requests run one
// at a time, because a scenario of the simulator applies to every request. After a scenario the earlier scenarios are
// restored and the limits that this request taught are cleared, so that other requests do not meet them.

import { DEFAULT_ORGANIZATION_ID } from '../../admission/organization.ts';
import type { OrganizationStore } from '../../admission/organization-store.ts';
import type { TryAnswer, TryRequest } from '../../dashboard/api/try-it.ts';
import { type TriedEntry, trySteps } from '../../dashboard/readings/try-steps.ts';
import { isRightToLeft, resolveLocale } from '../../errors/locale.ts';
import { renderError } from '../../errors/render-error.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { makeOwnCall, type OwnOutcome } from '../../flow/chat/own-call.ts';
import type { NativeRequest } from '../../flow/serve/native-request.ts';
import type { ServeCallParts } from '../../flow/serve/serve-call.ts';
import type { SimulatorControl } from '../../http/routes/simulator.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { createMutex } from '../../metering/usage/mutex.ts';
import { isSameCircuit } from '../../resilience/circuit-key.ts';
import type { RequestRecords } from '../../upstream/request-records.ts';
import { operatorPrincipal } from '../operator-principal.ts';
import { playScenario } from './play-scenario.ts';
import { renderOutcome, tryEndpoint } from './try-request.ts';

export type TryContext = {
  readonly serve: ServeCallParts;
  readonly records: Pick<RequestRecords, 'find'>;
  readonly organizations: Pick<OrganizationStore, 'find'>;
  readonly simulator: SimulatorControl | undefined;
};

export type SendTry = (request: TryRequest, signal: AbortSignal) => Promise<TryAnswer>;

const DEFAULT_LOCALES = ['en', 'de', 'ja'];

export function openTry(context: TryContext): SendTry {
  const inTurn = createMutex();
  return (request, signal) =>
    inTurn(async () => {
      const restore = playScenario(context.simulator, request.scenario);
      try {
        return await send(context, request, signal);
      } finally {
        restore();
      }
    });
}

async function send(
  context: TryContext,
  tried: TryRequest,
  signal: AbortSignal,
): Promise<TryAnswer> {
  const { clock } = context.serve;
  const request = await nativeRequest(context, tried);
  const startedAt = clock.now();
  const entries: TriedEntry[] = [];
  const timing = { firstByteMs: null as number | null };
  const elapsed = () => Math.round((clock.monotonic() - request.startedAtMs) * 10) / 10;
  const log = captureLog(context.serve.log, request.id, (entry) =>
    entries.push({ ...entry, atMs: elapsed() }),
  );
  const outcome = await makeOwnCall({ ...context.serve, log }, request, signal);
  const durationMs = elapsed();
  const answer = renderOutcome(tried.format, request.id, outcome, clock.now());
  const failure = await context.records.find(request.id);
  const { status, code } = answer;
  const facts = { model: tried.model, startedAt, entries, failure, status, code, durationMs };
  if (tried.scenario !== undefined) await clearTaughtLimits(context.serve, request.id);
  return {
    ...answer,
    requestId: request.id,
    durationMs,
    ...timing,
    sentences: sentencesFor(tried, outcome, clock.now()),
    steps: trySteps({ ...facts, ...timing }),
  };
}

async function nativeRequest(
  { serve, organizations }: TryContext,
  tried: TryRequest,
): Promise<NativeRequest> {
  const organization = await organizations.find(DEFAULT_ORGANIZATION_ID);
  if (!organization) throw new SpillwayError('NOT_FOUND', 'there is no organisation default');
  return {
    ...tryEndpoint(tried),
    id: newId('req'),
    principal: operatorPrincipal(organization),
    headers: { 'content-type': 'application/json' },
    correlationId: undefined,
    startedAtMs: serve.clock.monotonic(),
  };
}

/** A log that also collects the entries of one request. */
function captureLog(
  log: Log,
  requestId: string,
  collect: (entry: Parameters<Log['write']>[0]) => void,
): Log {
  return {
    write(entry) {
      log.write(entry);
      if (entry.requestId === requestId) collect(entry);
    },
    flush: () => log.flush(),
  };
}

async function clearTaughtLimits(
  { limits, breakers }: Pick<ServeCallParts, 'limits' | 'breakers'>,
  requestId: string,
): Promise<void> {
  const taught = (await limits.list()).filter((limit) => limit.requestId === requestId);
  for (const limit of taught) {
    await limits.clear(limit);
    await breakers.clearLimit(limit);
  }
  const open = (await breakers.list()).filter(({ key }) =>
    taught.some((limit) => isSameCircuit(key, limit)),
  );
  for (const { key } of open) await breakers.reset(key);
}

function sentencesFor(
  { locales = DEFAULT_LOCALES }: TryRequest,
  outcome: OwnOutcome,
  now: number,
): TryAnswer['sentences'] {
  if (outcome.kind === 'answered') return [];
  const { code, params, resetAt } = outcome.failure.error;
  const known = resetAt === undefined ? params : { resetTime: resetAt, ...params };
  return locales.map((tag) => {
    const locale = resolveLocale(tag);
    return {
      locale,
      language: new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale,
      direction: isRightToLeft(locale) ? 'rtl' : 'ltr',
      text: renderError(code, known, { locale, now }),
    };
  });
}
