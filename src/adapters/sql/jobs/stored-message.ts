// The stored text of a job's message. A foreign message is stored as it was delivered. The fields that its body has under
// Spillway's own names (jobs/intake/fields-in-body.ts) are not stored a second time, but parsed from the body when the message
// is read.

import type { JobMessage } from '../../../jobs/model/job-message.ts';

export function toStoredText(message: JobMessage): string {
  const { inBody = [] } = message;
  if (inBody.length === 0) return JSON.stringify(message);
  const leftOut = Object.fromEntries(inBody.map((name) => [name, undefined]));
  return JSON.stringify({ ...message, ...leftOut });
}

export function fromStoredText(text: string): JobMessage {
  const message: JobMessage = JSON.parse(text);
  const { inBody = [], source } = message;
  if (!source || inBody.length === 0) return message;
  const fields: JobMessage = JSON.parse(source.body);
  return { ...message, ...Object.fromEntries(inBody.map((name) => [name, fields[name]])) };
}
