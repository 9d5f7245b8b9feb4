// Reads a foreign message as the fields of a job. Producers name their fields as they like: the configuration states
// the paths of the id, the images and the other fields, and a template composes the prompt of a message without one. A
// field that is not configured, or is absent in the message, is read under Spillway's own name.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { type JobMessage, parseJobMessage } from '../model/job-message.ts';

/** Paths such as `order.id` or `photos[].url`; `[]` reads the rest of the path in each item of a list. */
export type RawMessageFields = {
  readonly id?: string | undefined;
  readonly organization?: string | undefined;
  readonly user?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly prompt?: string | undefined;
  readonly images?: string | undefined;
  /** The prompt of a message without one; `{{path}}` is replaced by a field, `{{path|text}}` by `text` if it is absent. */
  readonly promptTemplate?: string | undefined;
};

export type ReadRawMessage = (body: unknown) => JobMessage;

/** The reader throws INVALID_REQUEST for a message that cannot become a job. */
export function createReadRawMessage(fields: RawMessageFields = {}): ReadRawMessage {
  return (body) => {
    if (!isRecord(body)) throw new SpillwayError('INVALID_REQUEST', 'the message is not an object');
    const renamed = { ...body, ...renamedFields(fields, body) };
    const message = parseJobMessage(withPrompt(renamed, fields.promptTemplate, body));
    if (message.id !== undefined) return message;
    throw new SpillwayError('INVALID_REQUEST', 'the message has no id');
  };
}

function renamedFields(fields: RawMessageFields, body: Fields): Fields {
  const { id, organization, user, provider, model, prompt, images } = fields;
  const found = {
    ...(id && { AnalysisId: textOf(valueAt(body, id)) }),
    ...(organization && { organizationId: textOf(valueAt(body, organization)) }),
    ...(user && { userId: textOf(valueAt(body, user)) }),
    ...(provider && { provider: valueAt(body, provider) }),
    ...(model && { model: valueAt(body, model) }),
    ...(prompt && { prompt: valueAt(body, prompt) }),
    ...(images && { images: listOf(valueAt(body, images)) }),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => isPresent(value)));
}

function withPrompt(renamed: Fields, template: string | undefined, body: Fields): Fields {
  const isComplete = isPresent(renamed['prompt']) || isPresent(renamed['request']);
  if (template === undefined || isComplete) return renamed;
  return { ...renamed, prompt: render(template, body) };
}

const PLACEHOLDER = /\{\{\s*([^{}|\s]+)\s*(?:\|([^{}]*))?\}\}/g;

function render(template: string, body: Fields): string {
  return template.replaceAll(PLACEHOLDER, (_, path: string, fallback: string | undefined) => {
    const value = valueAt(body, path);
    if (isPresent(value)) return typeof value === 'string' ? value : JSON.stringify(value);
    if (fallback !== undefined) return fallback;
    const reason = `the message has no field ${path}, which the prompt template names`;
    throw new SpillwayError('INVALID_REQUEST', reason);
  });
}

type Fields = Readonly<Record<string, unknown>>;

function valueAt(value: unknown, path: string): unknown {
  const [head = '', ...rest] = path.split('.');
  const name = head.endsWith('[]') ? head.slice(0, -2) : head;
  const found = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  const tail = rest.join('.');
  if (name !== head) {
    if (!Array.isArray(found)) return undefined;
    return found.map((item) => (tail === '' ? item : valueAt(item, tail))).filter(isPresent);
  }
  return tail === '' ? found : valueAt(found, tail);
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Producers use numbers as ids. */
function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function listOf(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value;
}
