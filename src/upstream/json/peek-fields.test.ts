import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NameTable } from './name-table.ts';
import {
  type JsonSpan,
  type PeekProblem,
  type PeekResult,
  peekFields,
  readBoolean,
  readInteger,
  readObject,
  readString,
} from './peek-fields.ts';

const WANTED = new NameTable(['model', 'stream', 'max_tokens', 'metadata']);

function peek(text: string): PeekResult {
  return peekFields(Buffer.from(text), WANTED);
}

function raw(text: string, name: string): string | undefined {
  const result = peek(text);
  assert.ok(result.ok);
  const span = result.fields.get(name);
  return span && Buffer.from(text).toString('utf8', span.start, span.end);
}

test('reads the wanted fields and nothing else', () => {
  const body = Buffer.from(
    '{"model":"claude-opus-4","messages":[{"content":"{\\"model\\":1}"}],"stream":true,"max_tokens":1e3,"metadata":{"user_id":"u"}}',
  );
  const result = peekFields(body, WANTED);
  assert.ok(result.ok);
  assert.equal(readString(body, result.fields.get('model')), 'claude-opus-4');
  assert.equal(readBoolean(body, result.fields.get('stream')), true);
  assert.equal(readInteger(body, result.fields.get('max_tokens')), 1000);
  assert.deepEqual(readObject(body, result.fields.get('metadata')), { user_id: 'u' });
  assert.equal(result.fields.size, 4);
});

test('reads names and values through their escapes', () => {
  const body = Buffer.from('{"mod\\u0065l":"gpt\\u002d5","\\u0073tream":false}');
  const result = peekFields(body, WANTED);
  assert.ok(result.ok);
  assert.equal(readString(body, result.fields.get('model')), 'gpt-5');
  assert.equal(readBoolean(body, result.fields.get('stream')), false);
});

test('refuses a duplicate wanted field, escaped or not', () => {
  for (const text of [
    '{"model":"cheap","model":"dear"}',
    '{"model":"cheap","mod\\u0065l":"dear"}',
    '{"\\u006d\\u006f\\u0064\\u0065\\u006c":"cheap","x":[1,2],"model":"dear"}',
  ])
    assert.deepEqual(peek(text), { ok: false, problem: 'duplicate_field', field: 'model' });
  assert.equal(peek('{"other":1,"other":2}').ok, true);
});

test('a field of a nested object is not a field of the body', () => {
  assert.equal(raw('{"a":{"model":"x"},"b":["model",{"model":2}]}', 'model'), undefined);
});

test('names the problem of a hostile body and never throws', () => {
  const corpus: [string, PeekProblem][] = [
    ['', 'truncated'],
    ['  \n', 'truncated'],
    ['[]', 'not_object'],
    ['"text"', 'not_object'],
    ['-1', 'not_object'],
    ['null', 'not_object'],
    ['\uFEFF{}', 'not_json'],
    ['<html>', 'not_json'],
    ['{} x', 'not_json'],
    ['{}{}', 'not_json'],
    ['{"model":"a"}\u0000', 'not_json'],
    ["{'model':'a'}", 'not_json'],
    ['{model:"a"}', 'not_json'],
    ['{"model":"a",}', 'not_json'],
    ['{,}', 'not_json'],
    ['{"model" "a"}', 'not_json'],
    ['{"model":}', 'not_json'],
    ['{"model":"a" "stream":true}', 'not_json'],
    ['{"model":tru}', 'not_json'],
    ['{"model":NaN}', 'not_json'],
    ['{"max_tokens":01}', 'not_json'],
    ['{"max_tokens":+1}', 'not_json'],
    ['{"max_tokens":1.}', 'not_json'],
    ['{"max_tokens":0x10}', 'not_json'],
    ['{"a":/* */1}', 'not_json'],
    ['{"a":[/* */1]}', 'not_json'],
    ['{"a":{\'b\':1}}', 'not_json'],
    ['{"mod\\xl":1}', 'not_json'],
    ['{"a":1]', 'not_json'],
    ['{', 'truncated'],
    ['{"model', 'truncated'],
    ['{"model"', 'truncated'],
    ['{"model":', 'truncated'],
    ['{"model":"a\\"}', 'truncated'],
    ['{"model":"a"', 'truncated'],
    ['{"model":"a",', 'truncated'],
    ['{"a":[1,{"b":"}]', 'truncated'],
    ['{"a":tr', 'truncated'],
    ['{"a":12', 'truncated'],
    [`{"a":${'['.repeat(1_000_000)}`, 'too_deep'],
    [`{"a":"${'\\"'.repeat(500_000)}`, 'truncated'],
    [`{"a":"${'\\'.repeat(999_999)}"}`, 'truncated'],
    [`{"max_tokens":${'1'.repeat(1000)}}`, 'not_json'],
  ];
  for (const [text, problem] of corpus) {
    const result = peek(text);
    assert.equal(result.ok ? 'accepted' : result.problem, problem, text.slice(0, 60));
  }
});

test('nesting is skipped up to the maximum depth and is a problem beyond it', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.equal(raw(`{"a":${nested(199)},"model":"m"}`, 'model'), '"m"');
  for (const depth of [200, 1_000_000]) {
    const result = peekFields(Buffer.from(`{"a":${nested(depth)},"model":"m"}`), WANTED);
    assert.deepEqual(result, { ok: false, problem: 'too_deep' });
  }
});

test('skips a string of megabytes full of escapes', () => {
  const image = `${'iVBORw0KGgo'.repeat(400_000)}\\\\\\"${'\\"'.repeat(100_000)}\\\\`;
  assert.equal(raw(`{"a":[{"data":"${image}"}],"b":"${image}","model":"m"}`, 'model'), '"m"');
});

test('readers return undefined for values of another type', () => {
  const body = Buffer.from(
    '{"model":1,"stream":"true","max_tokens":1.5,"metadata":[],"a":"bad \\x","b":9007199254740993}',
  );
  const result = peekFields(body, new NameTable([...WANTED.names, 'a', 'b']));
  assert.ok(result.ok);
  assert.equal(readString(body, result.fields.get('model')), undefined);
  assert.equal(readBoolean(body, result.fields.get('stream')), undefined);
  assert.equal(readInteger(body, result.fields.get('max_tokens')), undefined);
  assert.equal(readInteger(body, result.fields.get('stream')), undefined);
  assert.equal(readObject(body, result.fields.get('metadata')), undefined);
  assert.equal(readString(body, result.fields.get('a')), undefined);
  assert.equal(readInteger(body, result.fields.get('b')), undefined);
  assert.equal(readString(body, undefined), undefined);
  assert.equal(readObject(body, undefined), undefined);
});

const jsonObject = fc.dictionary(
  fc.oneof(fc.constantFrom(...WANTED.names), fc.string({ unit: 'binary' })),
  fc.jsonValue({ depthSize: 'small', noUnicodeString: false }),
  { noNullPrototype: true },
);
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** Writes the object with arbitrary white space, and each character of a name escaped or not. */
function layOut(value: unknown, gap: string, hasEscapedNames: boolean): string {
  if (Array.isArray(value))
    return `[${gap}${value.map((item) => layOut(item, gap, hasEscapedNames)).join(`${gap},${gap}`)}${gap}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, item]) =>
      `${hasEscapedNames ? escaped(name) : JSON.stringify(name)}${gap}:${gap}${layOut(item, gap, hasEscapedNames)}`,
  );
  return `${gap}{${gap}${members.join(`${gap},${gap}`)}${gap}}${gap}`;
}

function escaped(name: string): string {
  let text = '';
  for (let index = 0; index < name.length; index += 1)
    text += `\\u${name.charCodeAt(index).toString(16).padStart(4, '0')}`;
  return `"${text}"`;
}

test('agrees with JSON.parse on any object in any layout', () => {
  fc.assert(
    fc.property(jsonObject, space, fc.boolean(), (value, gap, hasEscapedNames) => {
      const body = Buffer.from(layOut(value, gap, hasEscapedNames));
      const expected: unknown = JSON.parse(body.toString());
      const result = peekFields(body, WANTED);
      assert.ok(result.ok);
      for (const name of WANTED.names) {
        const span: JsonSpan | undefined = result.fields.get(name);
        const seen: unknown = span && JSON.parse(body.toString('utf8', span.start, span.end));
        assert.deepEqual(seen, (expected as Record<string, unknown>)[name]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('every prefix of a valid object is truncated and every trailing byte is refused', () => {
  fc.assert(
    fc.property(
      jsonObject,
      fc.nat(),
      fc.constantFrom('}', ',', '"', 'x', '{}'),
      (value, cut, tail) => {
        const body = Buffer.from(JSON.stringify(value));
        const part = peekFields(body.subarray(0, cut % body.length), WANTED);
        assert.equal(part.ok ? 'accepted' : part.problem, 'truncated');
        const longer = peekFields(Buffer.concat([body, Buffer.from(tail)]), WANTED);
        assert.equal(longer.ok ? 'accepted' : longer.problem, 'not_json');
      },
    ),
    { numRuns: 1000 },
  );
});

test('never throws on arbitrary bytes', () => {
  const soup = fc.array(fc.constantFrom(...'{}[]",:\\ \n0-9.eEtrufalsn'.split('')), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      fc.oneof(
        soup.map((parts) => `{${parts.join('')}`),
        fc.string(),
      ),
      (text) => {
        peek(text);
      },
    ),
    { numRuns: 5000 },
  );
});

test('a name in another case is a problem of a request, and no problem of a response', () => {
  const cases = ['{"Model":"x"}', '{"MODEL":"x"}', '{"mod\\u0045l":"x"}', '{"max_to\u212aens":1}'];
  for (const text of cases) {
    const body = Buffer.from(text);
    const peeked = peekFields(body, new NameTable(['model', 'max_tokens']), true);
    assert.ok(!peeked.ok && peeked.problem === 'other_case', text);
    assert.ok(peekFields(body, new NameTable(['model', 'max_tokens'])).ok);
  }
  const model = peekFields(
    Buffer.from('{"models":1,"mode_":2,"mo@el":3}'),
    new NameTable(['model']),
    true,
  );
  assert.ok(model.ok);
});
