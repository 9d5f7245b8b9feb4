// A message as the broker delivers it, ours or another system's, and what of it is kept when it has to come again
// later. What the broker wrote into it is not sent back to it: RabbitMQ before 4 takes `x-death` at its word and
// drops what seems to go in circles. Nor are a sender's own expiry (it would be early), its list of further
// recipients (they would get it twice) and its user (the broker refuses another's).

import { createHash } from 'node:crypto';
import type { AsyncMessage } from 'rabbitmq-client';
import type { Delivery } from '../../../jobs/ports/job-queue.ts';
import {
  APP_ID,
  DELIVERIES_HEADER,
  DUE_HEADER,
  ID_HEADER,
  type OutgoingMessage,
  withHeader,
} from '../publish/outgoing-message.ts';
import { bytesOf, contentTypeOf } from './raw-bodies.ts';

export type IncomingMessage = {
  readonly delivery: Delivery;
  /** By which it is acknowledged, on the channel that it came by. */
  readonly tag: number;
  /** When it was published, if by us. */
  readonly publishedAt: number | undefined;
  /** Not to be handled before. */
  readonly dueAt: number | undefined;
  /** It, as it is to be sent when it has to come again. */
  readonly again: () => OutgoingMessage;
};

/** Larger headers would not fit into a frame, and the driver answers that by giving up the channel. */
const MAX_HEADER_CHARACTERS = 4000;

export function readIncoming(message: AsyncMessage): IncomingMessage {
  const body = bytesOf(message);
  const headers: Readonly<Record<string, unknown>> = message.headers ?? {};
  const deliveries = deliveriesOf(message, headers);
  const delivery = new IncomingDelivery(idGiven(message, headers), body, deliveries);
  return {
    delivery,
    tag: message.deliveryTag,
    publishedAt: publishedAtOf(message),
    dueAt: numberIn(headers, DUE_HEADER),
    again: () => ({
      messageId: message.messageId ?? delivery.id,
      properties: keptProperties(message),
      headers: { ...keptHeaders(headers), [DELIVERIES_HEADER]: deliveries },
      body,
    }),
  };
}

/** For one that goes back to waiting unseen: that delivery says nothing about the message. */
export function notCounted(message: IncomingMessage): IncomingMessage {
  const deliveries = message.delivery.deliveries - 1;
  const again = () => withHeader(message.again(), DELIVERIES_HEADER, deliveries);
  return { ...message, again };
}

/**
 * Messages of other systems may have no id: the same body is then the same message. Hardly anybody asks, and hashing costs
 * more than all else that is read here, so that it is done for who does.
 */
class IncomingDelivery implements Delivery {
  readonly body: string;
  readonly deliveries: number;
  readonly #bytes: Buffer;
  #id: string | undefined;

  constructor(id: string | undefined, bytes: Buffer, deliveries: number) {
    this.#id = id;
    this.#bytes = bytes;
    this.body = bytes.toString('utf8');
    this.deliveries = deliveries;
  }

  get id(): string {
    this.#id ??= `body_${createHash('sha256').update(this.#bytes).digest('hex').slice(0, 32)}`;
    return this.#id;
  }
}

function idGiven(
  message: AsyncMessage,
  headers: Readonly<Record<string, unknown>>,
): string | undefined {
  const long = headers[ID_HEADER];
  return typeof long === 'string' ? long : message.messageId || undefined;
}

/**
 * Quorum queues count how often a message came back; classic ones only know whether it did. To that is added what
 * we counted ourselves before we published it anew.
 */
function deliveriesOf(message: AsyncMessage, headers: Readonly<Record<string, unknown>>): number {
  const before = numberIn(headers, DELIVERIES_HEADER) ?? 0;
  const cameBack = numberIn(headers, 'x-delivery-count') ?? (message.redelivered ? 1 : 0);
  return before + cameBack + 1;
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
  const kept = Object.entries(headers).filter(([name]) => !isBrokers(name));
  const size = JSON.stringify(kept).length;
  return size > MAX_HEADER_CHARACTERS ? {} : Object.fromEntries(kept);
}

function isBrokers(name: string): boolean {
  return BROKERS.has(name) || /^x-(first|last)-death-/.test(name);
}

const BROKERS: ReadonlySet<string> = new Set([
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
