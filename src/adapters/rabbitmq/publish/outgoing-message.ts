// A message for the broker: always persistent, always mandatory and always with an id, unlike the driver's defaults.

import type { Envelope } from 'rabbitmq-client';
import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { CarriedMessage, QueueMessage } from '../../../jobs/ports/job-queue.ts';
import { readProperties } from './message-properties.ts';

export type OutgoingMessage = {
  readonly messageId: string;
  readonly properties: Pick<
    Envelope,
    | 'contentType'
    | 'contentEncoding'
    | 'correlationId'
    | 'replyTo'
    | 'type'
    | 'appId'
    | 'timestamp'
    | 'priority'
  >;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
};

export type Address = { readonly exchange: string; readonly routingKey: string };

/** Marks Spillway's own messages; other systems may use the other properties in their own way. */
export const APP_ID = 'spillway';
export const ID_HEADER = 'x-spillway-id';
export const DELIVERIES_HEADER = 'x-spillway-deliveries';
export const DUE_HEADER = 'x-spillway-due-at';
/** The pointer beside a foreign message. */
export const JOB_HEADER = 'x-spillway-job';
export const FENCE_HEADER = 'x-spillway-fence';

/** RabbitMQ 4's default limit; the broker closes the channel on a larger message. */
const MAX_BODY_BYTES = 16 * 2 ** 20;
/** The driver truncates longer ids silently. */
const MAX_ID_BYTES = 255;

export function outgoing(given: QueueMessage, now: number): OutgoingMessage {
  const { id, body, carries } = given;
  if (carries) return carried(id, carries);
  const fits = Buffer.byteLength(id) <= MAX_ID_BYTES;
  return {
    messageId: fits ? id : id.slice(0, MAX_ID_BYTES / 5),
    properties: {
      contentType: 'application/json',
      appId: APP_ID,
      timestamp: Math.floor(now / 1000),
    },
    headers: fits ? {} : { [ID_HEADER]: id },
    body: sized(Buffer.from(body)),
  };
}

/** The foreign message as it came, with its properties and headers; the pointer of its job is added to the headers. */
function carried(id: string, { source, jobId, fence }: CarriedMessage): OutgoingMessage {
  const { messageId, headers, ...properties } = readProperties(source.properties);
  const body =
    source.base64 === undefined ? Buffer.from(source.body) : Buffer.from(source.base64, 'base64');
  return {
    messageId: messageId ?? (Buffer.byteLength(id) <= MAX_ID_BYTES ? id : jobId),
    properties,
    headers: { ...headers, [JOB_HEADER]: jobId, [FENCE_HEADER]: fence },
    body: sized(body),
  };
}

export function withHeader(message: OutgoingMessage, name: string, value: number): OutgoingMessage {
  return { ...message, headers: { ...message.headers, [name]: value } };
}

export function envelopeOf(message: OutgoingMessage, address: Address): Envelope {
  const { messageId, properties, headers } = message;
  const { exchange, routingKey } = address;
  return {
    ...properties,
    exchange,
    routingKey,
    messageId,
    headers,
    durable: true,
    mandatory: true,
  };
}

function sized(body: Buffer): Buffer {
  if (body.length <= MAX_BODY_BYTES) return body;
  throw new SpillwayError(
    'REQUEST_TOO_LARGE',
    `a message of ${body.length} bytes exceeds the ${MAX_BODY_BYTES} bytes that a queue takes`,
  );
}
