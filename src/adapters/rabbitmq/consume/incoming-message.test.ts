import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { AsyncMessage } from 'rabbitmq-client';
import { notCounted, readIncoming } from './incoming-message.ts';

function delivered(more: Partial<AsyncMessage>): AsyncMessage {
  return {
    consumerTag: 'c',
    deliveryTag: 1,
    exchange: '',
    redelivered: false,
    routingKey: 'q',
    body: Buffer.from('Grüße'),
    ...more,
  };
}

function nameOf(body: string): string {
  return `body_${createHash('sha256').update(body).digest('hex').slice(0, 32)}`;
}

test('a message without an id is named by its bytes, and has that name when it comes again', () => {
  for (const messageId of [undefined, '']) {
    const { delivery } = readIncoming(delivered(messageId === undefined ? {} : { messageId }));
    assert.equal(delivery.id, nameOf('Grüße'));
    assert.equal(delivery.id, nameOf('Grüße'));
  }
  assert.equal(readIncoming(delivered({})).again().messageId, nameOf('Grüße'));
  assert.equal(notCounted(readIncoming(delivered({}))).again().messageId, nameOf('Grüße'));
});

test('the name of a message stays once it is told, and no other message has it', () => {
  const body = Buffer.from('first');
  const { delivery, again } = readIncoming(delivered({ body }));
  assert.equal(delivery.id, nameOf('first'));
  body.write('other');
  assert.equal(delivery.id, nameOf('first'));
  assert.equal(again().messageId, nameOf('first'));
  assert.notEqual(readIncoming(delivered({ body })).delivery.id, delivery.id);
});

test('an id that was given is taken as it is, the long one before the short one', () => {
  assert.equal(readIncoming(delivered({ messageId: 'm' })).delivery.id, 'm');
  const headers = { 'x-spillway-id': 'the whole of it' };
  const both = readIncoming(delivered({ messageId: 'the', headers }));
  assert.equal(both.delivery.id, 'the whole of it');
  assert.equal(both.again().messageId, 'the');
});
