// Parses a product's report: one event or several. A wrong field gives INVALID_REQUEST with its name, and nothing of
// the report is stored. Unknown fields are dropped, so that a newer product can report to an older gateway. Each field
// may have its classic name instead; if both names are present, the current one counts.

import { z } from 'zod';
import { SpillwayError } from '../errors/spillway-error.ts';
import { CLASSIC_NAMES } from './event-fields.ts';
import { storableText } from './extract-error.ts';

export const MAX_EVENTS_PER_REPORT = 100;
const MAX_DATA_CHARACTERS = 65_536;

function text(maxLength: number) {
  return z.string().min(1).max(maxLength).transform(storableText);
}

/** For /openapi.json: a pattern of most HTTP URLs. The parser accepts every HTTP URL. */
const URL_HINT = {
  format: undefined,
  pattern: '^https?://([a-z0-9]+[.])+[a-z]{2,20}(:[1-9][0-9]{0,3})?(/[!-~]*)?$',
};

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
    .meta(URL_HINT)
    .nullish(),
  durationSeconds: z.number().min(0).max(1_000_000_000).nullish(),
  error: z.unknown().optional(),
});

const { type, data, phase, title, description, ...sameNames } = schema.shape;
const classicSchema = z.object({
  eventType: type,
  eventData: data,
  eventPhase: phase,
  eventTitle: title,
  eventDescription: description,
  ...sameNames,
});

/** One event or a list of events, for /openapi.json. */
export const reportBody = z.union([
  schema,
  classicSchema,
  z
    .array(z.union([schema, classicSchema]))
    .min(1)
    .max(MAX_EVENTS_PER_REPORT),
]);

export type ReportedEvent = z.infer<typeof schema>;

export function parseReport(body: unknown): readonly ReportedEvent[] {
  if (!Array.isArray(body)) return [parseEvent(body, '')];
  if (body.length === 0 || body.length > MAX_EVENTS_PER_REPORT)
    throw malformed(body.length === 0 ? 'events' : `events.${MAX_EVENTS_PER_REPORT}`);
  return body.map((event, index) => parseEvent(event, `events[${index}]`));
}

function parseEvent(value: unknown, place: string): ReportedEvent {
  const { event, given } = withCurrentNames(value);
  const parsed = schema.safeParse(event);
  if (parsed.success) return parsed.data;
  const [name = '', ...rest] = parsed.error.issues[0]?.path.map(String) ?? [];
  const field = [given.get(name) ?? name, ...rest].join('.');
  throw malformed([place, field].filter((part) => part !== '').join('.'));
}

/** The event under its current names, and the classic names that it came with, for error messages. */
function withCurrentNames(value: unknown): {
  readonly event: unknown;
  readonly given: ReadonlyMap<string, string>;
} {
  const given = new Map<string, string>();
  if (typeof value !== 'object' || value === null) return { event: value, given };
  const event: Record<string, unknown> = { ...value };
  for (const [classic, current] of Object.entries(CLASSIC_NAMES)) {
    if (event[classic] === undefined || event[current] !== undefined) continue;
    event[current] = event[classic];
    given.set(current, classic);
  }
  return { event, given };
}

function malformed(field: string): SpillwayError {
  const params = field === '' ? {} : { field };
  return new SpillwayError('INVALID_REQUEST', 'the event is malformed', { params });
}

function isBounded(data: unknown): boolean {
  return data === undefined || JSON.stringify(data).length <= MAX_DATA_CHARACTERS;
}
