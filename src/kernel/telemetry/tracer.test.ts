import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatTraceParent, parseTraceParent } from './tracer.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a traceparent is read and written alike', () => {
  const text = `00-${TRACE}-${SPAN}-01`;
  const context = parseTraceParent(text);
  assert.deepEqual(context, { traceId: TRACE, spanId: SPAN, isSampled: true });
  assert.equal(context && formatTraceParent(context), text);
  assert.equal(parseTraceParent(`00-${TRACE}-${SPAN}-00`)?.isSampled, false);
  assert.ok(parseTraceParent(`01-${TRACE}-${SPAN}-03-later-versions-add-fields`));
});

test('a text that is no traceparent gives none', () => {
  const wrong = [
    undefined,
    ['a'],
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
  ];
  for (const text of wrong) assert.equal(parseTraceParent(text), undefined);
  fc.assert(fc.property(fc.string(), (text) => parseTraceParent(text) === undefined));
});
