import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PartialRecorder } from './partial-recorder.ts';

test('the beginning of a stream is kept up to eight kibibytes, however it is cut into chunks', () => {
  const chunks = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 3000 }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(chunks, (texts) => {
      const recorder = new PartialRecorder();
      for (const text of texts) {
        const chunk = Buffer.from(text);
        recorder.add(chunk);
        chunk.fill(0);
      }
      const whole = texts.join('');
      assert.deepEqual(recorder.partial(), { text: whole.slice(0, 8192), bytes: whole.length });
    }),
  );
});
