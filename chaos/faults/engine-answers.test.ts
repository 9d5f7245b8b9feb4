import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isCommitted, isConfirm } from './engine-answers.ts';

function frame(type: number, payload: readonly number[]): Buffer {
  const head = Buffer.from([type, 0, 1, 0, 0, 0, payload.length]);
  return Buffer.concat([head, Buffer.from(payload), Buffer.from([0xce])]);
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const complete = (tag: string) => message('C', Buffer.from(`${tag}\0`));
const ready = (state: string) => message('Z', Buffer.from(state));
const ACK = [0, 60, 0, 80, 0, 0, 0, 0, 0, 0, 0, 1, 0];
const DELIVER = [0, 60, 0, 60, 1, 2, 3];

suite('answers of engines', () => {
  test('a confirm is found among other frames', () => {
    assert.equal(isConfirm(Buffer.concat([frame(1, DELIVER), frame(1, ACK)])), true);
    assert.equal(isConfirm(frame(1, ACK)), true);
  });

  test('a delivery with content that looks like a confirm is not a confirm', () => {
    assert.equal(isConfirm(Buffer.concat([frame(1, DELIVER), frame(3, ACK)])), false);
    assert.equal(isConfirm(Buffer.from([8, 0])), false);
  });

  test('a write counts once it is committed', () => {
    assert.equal(isCommitted(Buffer.concat([complete('INSERT 0 1'), ready('I')])), true);
    assert.equal(isCommitted(Buffer.concat([complete('COMMIT'), ready('I')])), true);
    assert.equal(isCommitted(Buffer.concat([complete('UPDATE 12'), ready('T')])), false);
  });

  test('a read, or a write without rows, does not count', () => {
    assert.equal(isCommitted(Buffer.concat([complete('SELECT 3'), ready('I')])), false);
    assert.equal(isCommitted(Buffer.concat([complete('UPDATE 0'), ready('I')])), false);
    assert.equal(isCommitted(ready('I')), false);
  });
});
