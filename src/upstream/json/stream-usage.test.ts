import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editBody } from './edit-body.ts';
import { NameTable } from './name-table.ts';
import { peekFields } from './peek-fields.ts';
import { askForStreamUsage } from './stream-usage.ts';

function asking(text: string): string {
  const body = Buffer.from(text);
  const peeked = peekFields(body, new NameTable(['stream_options']), true);
  assert.ok(peeked.ok);
  const answer = askForStreamUsage(body, peeked.fields.get('stream_options'));
  if (answer.kind === 'edit') return editBody(body, [answer.edit]).toString();
  return answer.kind === 'asked' ? text : answer.problem;
}

test('a request without options gets them, and every other byte stays', () => {
  assert.equal(
    asking(' { "a" : "\\u00fc" } '),
    ' {"stream_options":{"include_usage":true}, "a" : "\\u00fc" } ',
  );
});

test('options keep their other fields', () => {
  const on = '"include_usage":true';
  assert.equal(asking('{"stream_options":null}'), `{"stream_options":{${on}}}`);
  assert.equal(asking('{"stream_options":{ }}'), `{"stream_options":{ ${on}}}`);
  assert.equal(
    asking('{"a":1,"stream_options":{"include_obfuscation":false}}'),
    `{"a":1,"stream_options":{${on},"include_obfuscation":false}}`,
  );
  for (const off of ['false', 'null'])
    assert.equal(
      asking(`{"stream_options":{"x":1,"include_usage": ${off} }}`),
      '{"stream_options":{"x":1,"include_usage": true }}',
    );
  assert.equal(
    asking('{"stream_options":{"include_us\\u0061ge":false}}'),
    '{"stream_options":{"include_us\\u0061ge":true}}',
  );
});

test('a request that asks for its usage is not edited', () => {
  const text = '{"stream_options":{"include_usage":true}}';
  assert.equal(asking(text), text);
});

test('options that parsers read differently are a problem', () => {
  assert.equal(asking('{"stream_options":1}'), 'wrong_type');
  assert.equal(asking('{"stream_options":{"include_usage":"yes"}}'), 'wrong_type');
  assert.equal(
    asking('{"stream_options":{"include_usage":true,"include_usage":false}}'),
    'duplicate_field',
  );
  assert.equal(asking('{"stream_options":{"Include_Usage":false}}'), 'other_case');
});
