// The properties of a foreign message that are stored with its job and sent on with it. They are JSON in the store, so they
// are parsed when they come back.

import { z } from 'zod';

const text = z.string().optional().catch(undefined);

const properties = z.object({
  messageId: text,
  contentType: text,
  contentEncoding: text,
  correlationId: text,
  replyTo: text,
  type: text,
  appId: text,
  timestamp: z.number().optional().catch(undefined),
  priority: z.number().optional().catch(undefined),
  headers: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

export type MessageProperties = z.infer<typeof properties>;

export function readProperties(stored: unknown): MessageProperties {
  return properties.safeParse(stored).data ?? {};
}

/** Without absent values, so that most messages store little. */
export function writeProperties(
  given: MessageProperties,
): Readonly<Record<string, unknown>> | undefined {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}
