// The steps of a tried request, in order, as sentences: from the log entries that the request caused and from the record of
// its failed attempts. Only fields of allow-lists are used. Pure.

import type { LogEntry } from '../../kernel/log.ts';
import type { RequestRecord } from '../../upstream/request-records.ts';
import type { TryStep } from '../api/try-it.ts';

export type TriedEntry = LogEntry & { readonly atMs: number };

export type TriedRequest = {
  readonly model: string;
  readonly startedAt: number;
  readonly entries: readonly TriedEntry[];
  readonly failure: RequestRecord | undefined;
  readonly status: number;
  readonly code: string | null;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
};

export function trySteps(tried: TriedRequest): readonly TryStep[] {
  const first: TryStep[] = [
    { atMs: 0, status: 'good', text: 'Admitted as the organisation default.' },
    { atMs: 0, status: 'good', text: `Looked up the targets of ${tried.model}.` },
  ];
  const between = [...failedAttempts(tried), ...tried.entries.flatMap(entryStep)];
  return [
    ...first,
    ...between.toSorted((one, other) => one.atMs - other.atMs),
    ...answerSteps(tried),
  ];
}

function failedAttempts({ failure, startedAt }: TriedRequest): TryStep[] {
  return (failure?.attempts ?? []).flatMap(({ number, provider, model, code, ...times }) => [
    {
      atMs: Math.max(0, times.startedAt - startedAt),
      status: 'unknown' as const,
      text: `Sent attempt ${number} to ${provider ?? 'a provider'}${model === undefined ? '' : `, ${model}`}.`,
    },
    {
      atMs: Math.max(0, times.endedAt - startedAt),
      status: 'bad' as const,
      text: `Attempt ${number} failed: ${code}.`,
    },
  ]);
}

function entryStep({ type, message, metadata = {}, atMs }: TriedEntry): TryStep[] {
  const provider = textOf(metadata['provider']);
  if (type === 'ai_limit') {
    const until = textOf(metadata['resetTimeISO']);
    const text = `Learnt the limit of ${provider}${until === '' ? '' : ` until ${until}`}; every server knows it.`;
    return [{ atMs, status: 'degraded', text }];
  }
  if (/^retry \d/.test(message))
    return [
      {
        atMs,
        status: 'degraded',
        text: `Waits ${Math.round(Number(metadata['waitMs'] ?? 0))} ms, then ${message}.`,
      },
    ];
  if (type === 'capacity') return [{ atMs, status: 'degraded', text: capitalised(message) }];
  if (type !== 'request' || metadata['code'] !== 'OK') return [];
  const spent = `${textOf(metadata['inputTokens'])} input and ${textOf(metadata['outputTokens'])} output tokens, $${textOf(metadata['costUsd'])}`;
  return [
    {
      atMs,
      status: 'good',
      text: `${provider} answered with ${textOf(metadata['model'])}.`,
    },
    { atMs, status: 'good', text: `Charged ${spent}.` },
  ];
}

function answerSteps({ status, code, durationMs, firstByteMs }: TriedRequest): TryStep[] {
  const begun: TryStep[] =
    firstByteMs === null || code !== null
      ? []
      : [{ atMs: firstByteMs, status: 'good', text: 'The first content reached the caller.' }];
  const text =
    code === null
      ? `Answered ${status}.`
      : `Answered ${status} with the code ${code} and a sentence in the caller's language.`;
  return [...begun, { atMs: durationMs, status: code === null ? 'good' : 'bad', text }];
}

function capitalised(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
