// Cleans the texts of a build event for its readers: errors are removed from the data, and every text of title,
// description and data that is a raw provider failure becomes the sentence of its code. On reading and not on writing:
// rows from before the migration exist, the sentence depends on the reader, and operators keep the product's own text.
// The output of a job's model is exempt: it may discuss any error. Pure.

import { mapProviderError } from '../errors/map-provider-error.ts';
import { isProviderText } from '../errors/provider-text.ts';
import { renderError } from '../errors/render-error.ts';
import type { BuildEvent } from './build-event.ts';
import { extractError } from './extract-error.ts';
import type { EventReader } from './translate-error.ts';

export type EventTexts = {
  readonly title: string | null;
  readonly description: string | null;
  readonly data: unknown;
};

type CleanedEvent = Pick<
  BuildEvent,
  'type' | 'phase' | 'title' | 'description' | 'data' | 'error' | 'createdAt'
>;

/** `sentence` is that of the event's own error; it replaces raw texts without a recognised code. */
export function cleanTexts(
  event: CleanedEvent,
  sentence: string | undefined,
  reader: EventReader,
): EventTexts {
  const { title = null, description = null } = event;
  if (event.type === OUTPUT_TYPE) return { title, description, data: event.data };
  const { data, error } = extractError(event.data);
  // One text that is certainly a provider's failure marks the whole event as a failure; without one, no text is treated
  // as a provider's.
  if (!concernsFailure(event, data, error)) return { title, description, data };

  function replace(text: string): string {
    const { code, params } = mapProviderError(text, {
      now: event.createdAt,
      timeZone: reader.timeZone,
    });
    if (code === 'INTERNAL' && sentence !== undefined) return sentence;
    return renderError(code, params, reader);
  }

  const clean = (text: string) => (isProviderText(text, true) ? replace(text) : text);
  return {
    title: title && clean(title),
    description: description && clean(description),
    data: mapTexts(data, clean),
  };
}

/** Applies a function to every text in JSON data; field names are unchanged. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, mapTexts(field, change)]),
  );
}

/** The part of a job's output since its previous event (jobs are builds). */
const OUTPUT_TYPE = 'job.output';
const FAILURE_NAME = /fail|error|exception|crash|abort|reject|time_?out/i;

/** By its error, its type or phase, an error in its data, or one text that is certainly a provider's. */
function concernsFailure(event: CleanedEvent, data: unknown, error: unknown): boolean {
  const { type, phase = '', title = '', description = '' } = event;
  if (event.error !== undefined || error !== undefined) return true;
  if (FAILURE_NAME.test(type) || FAILURE_NAME.test(phase)) return true;
  return [title, description, ...textsIn(data)].some((text) => isProviderText(text, false));
}

function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}
