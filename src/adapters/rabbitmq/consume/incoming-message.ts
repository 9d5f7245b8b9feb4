// A delivered message, Spillway's or another system's, and the copy of it that is published for a later delivery. The copy
// leaves out the broker's own headers: RabbitMQ before 4 trusts `x-death` and drops messages that seem to cycle. It also
// leaves out the sender's expiry (it would end too early), its CC list (those queues would get it twice) and its user id (the
// broker refuses another user's).

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { AsyncMessage } from 'rabbitmq-client';
import type { Delivery, MessageSource } from '../../../jobs/ports/job-queue.ts';
import { writeProperties } from '../publish/message-properties.ts';
import {
  APP_ID,
  DELIVERIES_HEADER,
  DUE_HEADER,
  FENCE_HEADER,
  ID_HEADER,
  JOB_HEADER,
  type OutgoingMessage,
  withHeader,
} from '../publish/outgoing-message.ts';
import { bytesOf, contentTypeOf } from './raw-bodies.ts';

export type IncomingMessage = {
  readonly delivery: IncomingDelivery;
  /** The delivery tag, valid on the channel of the delivery. */
  readonly tag: number;
  /** Undefined for messages of other systems. */
  readonly publishedAt: number | undefined;
  /** The handler must not run before this timestamp. */
  readonly dueAt: number | undefined;
  /** The copy for a later delivery. */
  readonly copy: () => OutgoingMessage;
};

/** Larger headers do not fit into a frame, and the driver closes the channel. */
const MAX_HEADER_CHARACTERS = 4000;

export function readIncoming(message: AsyncMessage): IncomingMessage {
  const body = bytesOf(message);
  const headers: Readonly<Record<string, unknown>> = message.headers ?? {};
  const deliveries = deliveriesOf(message, headers);
  const delivery = new IncomingDelivery(message, statedId(message, headers), body, deliveries);
  return {
    delivery,
    tag: message.deliveryTag,
    publishedAt: publishedAtOf(message),
    dueAt: numberIn(headers, DUE_HEADER),
    copy: () => ({
      messageId: message.messageId ?? delivery.id,
      properties: keptProperties(message),
      headers: { ...keptHeaders(headers), [DELIVERIES_HEADER]: deliveries },
      body,
    }),
  };
}

/** Takes back the count of a delivery that did not reach the handler. */
export function uncounted(message: IncomingMessage): IncomingMessage {
  const deliveries = message.delivery.deliveries - 1;
  const copy = () => withHeader(message.copy(), DELIVERIES_HEADER, deliveries);
  return { ...message, copy };
}

/**
 * A message of another system may have no id; then the hash of the body is its id. The hash is computed on first use, because
 * few callers read the id and it costs more than the rest of the parsing.
 */
class IncomingDelivery implements Delivery {
  readonly body: string;
  readonly deliveries: number;
  readonly pointer?: { readonly jobId: string; readonly fence: number };
  /** Set by a transactional consumer. */
  replaceBy?: NonNullable<Delivery['replaceBy']>;
  readonly #message: AsyncMessage;
  readonly #bytes: Buffer;
  #id: string | undefined;

  constructor(message: AsyncMessage, id: string | undefined, bytes: Buffer, deliveries: number) {
    this.#message = message;
    this.#id = id;
    const pointer = pointerIn(message.headers ?? {});
    if (pointer) this.pointer = pointer;
    this.#bytes = bytes;
    this.body = bytes.toString('utf8');
    this.deliveries = deliveries;
  }

  get id(): string {
    this.#id ??= `body_${createHash('sha256').update(this.#bytes).digest('hex').slice(0, 32)}`;
    return this.#id;
  }

  /** Read for foreign messages only: pointers are most of the deliveries. */
  get source(): MessageSource {
    const { messageId } = this.#message;
    const headers = keptHeaders(this.#message.headers ?? {});
    const properties = writeProperties({
      ...keptProperties(this.#message),
      messageId,
      headers: Object.keys(headers).length === 0 ? undefined : headers,
    });
    return {
      body: this.body,
      ...(!isUtf8(this.#bytes) && { base64: this.#bytes.toString('base64') }),
      ...(properties && { properties }),
    };
  }
}

function pointerIn(headers: Readonly<Record<string, unknown>>): Delivery['pointer'] {
  const jobId = headers[JOB_HEADER];
  const fence = numberIn(headers, FENCE_HEADER);
  return typeof jobId === 'string' && fence !== undefined ? { jobId, fence } : undefined;
}

function statedId(
  message: AsyncMessage,
  headers: Readonly<Record<string, unknown>>,
): string | undefined {
  const long = headers[ID_HEADER];
  return typeof long === 'string' ? long : message.messageId || undefined;
}

/**
 * Quorum queues count redeliveries; classic queues only flag one. The header adds the deliveries of earlier copies.
 */
function deliveriesOf(message: AsyncMessage, headers: Readonly<Record<string, unknown>>): number {
  const before = numberIn(headers, DELIVERIES_HEADER) ?? 0;
  const redeliveries = numberIn(headers, 'x-delivery-count') ?? (message.redelivered ? 1 : 0);
  return before + redeliveries + 1;
}

function publishedAtOf({ appId, timestamp }: AsyncMessage): number | undefined {
  return appId === APP_ID && timestamp !== undefined ? timestamp * 1000 : undefined;
}

function keptProperties(message: AsyncMessage): OutgoingMessage['properties'] {
  const { contentEncoding, correlationId, replyTo, type, appId, timestamp, priority } = message;
  const contentType = contentTypeOf(message);
  return { contentType, contentEncoding, correlationId, replyTo, type, appId, timestamp, priority };
}

function keptHeaders(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(headers).filter(([name]) => !isBrokerHeader(name));
  const size = JSON.stringify(kept).length;
  return size > MAX_HEADER_CHARACTERS ? {} : Object.fromEntries(kept);
}

function isBrokerHeader(name: string): boolean {
  return BROKER_HEADERS.has(name) || /^x-(first|last)-death-/.test(name);
}

const BROKER_HEADERS: ReadonlySet<string> = new Set([
  'x-death',
  'x-delivery-count',
  'x-acquired-count',
  'CC',
  'BCC',
  DUE_HEADER,
  DELIVERIES_HEADER,
]);

function numberIn(headers: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = headers[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
