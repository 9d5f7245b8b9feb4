// What a product reports: one event or several. All of it comes from outside and is parsed here; a wrong field is
// INVALID_REQUEST with its name, and nothing of the report is kept. Fields we do not know are left out, so that a
// product of tomorrow can speak to a gateway of today.

import { z } from 'zod';
import { SpillwayError } from '../errors/spillway-error.ts';
import { storableText } from './separate-error.ts';

export const MAX_EVENTS_AT_ONCE = 100;
const MAX_DATA = 65_536;

function text(maxLength: number) {
  return z.string().min(1).max(maxLength).transform(storableText);
}

const schema = z.object({
  type: text(100),
  data: z.unknown().refine(isBounded).optional(),
  userId: z.union([text(200), z.int().transform(String)]).nullish(),
  userVisible: z.boolean().nullish(),
  phase: text(100).nullish(),
  title: text(500).nullish(),
  description: text(5000).nullish(),
  overallProgress: z.number().min(0).max(100).nullish(),
  finished: z.boolean().nullish(),
  previewUrl: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .nullish(),
  durationSeconds: z.number().min(0).max(1_000_000_000).nullish(),
  error: z.unknown().optional(),
});

export type ReportedEvent = z.infer<typeof schema>;

export function parseReport(body: unknown): readonly ReportedEvent[] {
  if (!Array.isArray(body)) return [parseEvent(body, '')];
  if (body.length === 0 || body.length > MAX_EVENTS_AT_ONCE)
    throw malformed(body.length === 0 ? 'events' : `events.${MAX_EVENTS_AT_ONCE}`);
  return body.map((event, index) => parseEvent(event, `events[${index}]`));
}

function parseEvent(value: unknown, place: string): ReportedEvent {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join('.') ?? '';
  throw malformed([place, field].filter((part) => part !== '').join('.'));
}

function malformed(field: string): SpillwayError {
  const params = field === '' ? {} : { field };
  return new SpillwayError('INVALID_REQUEST', 'the event is malformed', { params });
}

function isBounded(data: unknown): boolean {
  return data === undefined || JSON.stringify(data).length <= MAX_DATA;
}
