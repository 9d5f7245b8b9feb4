import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { AsyncMessage } from 'rabbitmq-client';
import { readIncoming, uncounted } from './incoming-message.ts';

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

test('a message without an id gets the hash of its body as id, also in its copy', () => {
  for (const messageId of [undefined, '']) {
    const { delivery } = readIncoming(delivered(messageId === undefined ? {} : { messageId }));
    assert.equal(delivery.id, nameOf('Grüße'));
    assert.equal(delivery.id, nameOf('Grüße'));
  }
  assert.equal(readIncoming(delivered({})).copy().messageId, nameOf('Grüße'));
  assert.equal(uncounted(readIncoming(delivered({}))).copy().messageId, nameOf('Grüße'));
});

test('the derived id is stable and differs between bodies', () => {
  const body = Buffer.from('first');
  const { delivery, copy } = readIncoming(delivered({ body }));
  assert.equal(delivery.id, nameOf('first'));
  body.write('other');
  assert.equal(delivery.id, nameOf('first'));
  assert.equal(copy().messageId, nameOf('first'));
  assert.notEqual(readIncoming(delivered({ body })).delivery.id, delivery.id);
});

test('a stated id is used, the long one before the short one', () => {
  assert.equal(readIncoming(delivered({ messageId: 'm' })).delivery.id, 'm');
  const headers = { 'x-spillway-id': 'the whole of it' };
  const both = readIncoming(delivered({ messageId: 'the', headers }));
  assert.equal(both.delivery.id, 'the whole of it');
  assert.equal(both.copy().messageId, 'the');
});
