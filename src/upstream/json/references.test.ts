import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { NameTable } from './name-table.ts';
import { MAX_NAMES, peekFields } from './peek-fields.ts';
import { peekReferences } from './references.ts';

function peek(format: ProviderFormat, request: unknown) {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  return peekReferences(format, Buffer.from(text));
}

test('a self-contained request has no references', () => {
  const text = 'what is a "file_id", a "previous_response_id", a "fileUri" or an "image_url"?';
  for (const format of ['anthropic', 'openai', 'gemini'] as const)
    assert.deepEqual(peek(format, { messages: [{ role: 'user', content: text }] }), {
      isUnbounded: false,
      images: 0,
      mayCacheForAnHour: false,
      hasMedia: false,
      hasAudio: false,
    });
});

test('a file reference is unbounded', () => {
  const isUnbounded = (format: ProviderFormat, request: unknown) =>
    peek(format, request).isUnbounded;
  assert.ok(isUnbounded('openai', { input: [{ type: 'input_file', file_id: 'file_1' }] }));
  assert.ok(isUnbounded('gemini', { contents: [{ parts: [{ fileData: { fileUri: 'x' } }] }] }));
  assert.ok(isUnbounded('anthropic', { content: [{ source: { type: 'file', file_id: 'f' } }] }));
});

test('a document by URL is unbounded, an inline text is not', () => {
  const document = (source: object) => ({ content: [{ type: 'document', source }] });
  const remote = document({ type: 'url', url: 'https://example.com/a.pdf' });
  assert.equal(peek('anthropic', remote).isUnbounded, true);
  const text = document({ type: 'text', media_type: 'text/plain', data: 'AA' });
  assert.equal(peek('anthropic', text).isUnbounded, false);
});

test('inline pages and videos are unbounded, because they have more tokens than bytes', () => {
  const claude = (media_type: string) =>
    peek('anthropic', { content: [{ source: { type: 'base64', media_type, data: 'AA' } }] });
  assert.equal(claude('application/pdf').isUnbounded, true);
  assert.deepEqual([claude('image/png').isUnbounded, claude('image/png').images], [false, 1]);
  for (const [inline, mime] of [
    ['inlineData', 'mimeType'],
    ['inline_data', 'mime_type'],
  ] as const) {
    const part = (type: string) =>
      peek('gemini', { contents: [{ parts: [{ [inline]: { [mime]: type, data: 'AA' } }] }] });
    assert.equal(part('video/mp4').isUnbounded, true);
    assert.equal(part('application/pdf').isUnbounded, true);
    assert.deepEqual([part('image/png').isUnbounded, part('image/png').images], [false, 1]);
    assert.deepEqual([part('audio/flac').isUnbounded, part('audio/flac').images], [true, 0]);
    assert.equal(part('text/csv').isUnbounded, false);
  }
  const file = {
    type: 'input_file',
    filename: 'a.pdf',
    file_data: 'data:application/pdf;base64,A',
  };
  assert.deepEqual(
    [peek('openai', { input: [file] }).isUnbounded, peek('openai', { input: [file] }).stored],
    [true, undefined],
  );
});

test('sound of an earlier answer is stored and unbounded; the settings of a voice are neither', () => {
  const earlier = peek('openai', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] });
  assert.deepEqual([earlier.stored, earlier.isUnbounded], ['audio', true]);
  const voice = peek('openai', { audio: { voice: 'alloy', format: 'wav' } });
  assert.deepEqual([voice.stored, voice.isUnbounded], [undefined, false]);
});

test('image URLs are counted', () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  assert.ok(peek('openai', { content: [image, image] }).images >= 2);
});

test('an escaped name counts like the name', () => {
  assert.ok(peek('openai', '{"input":[{"file\\u005fid":"f"}]}').isUnbounded);
  assert.ok(peek('gemini', '{"contents":[{"\\u0066ileUri":"f"}]}').isUnbounded);
  assert.ok(peek('anthropic', '{"messages":[{"\\u0066\\u0069le_id":"f"}]}').isUnbounded);
});

test('a known name in another case is a problem', () => {
  assert.equal(peek('openai', { input: [{ File_ID: 'f' }] }).problem, 'file_id');
  assert.equal(peek('openai', '{"input":[{"f\\u0049le_id":"f"}]}').problem, 'file_id');
  assert.equal(peek('gemini', { contents: [{ fileuri: 'f' }] }).problem, 'fileUri');
});

test("the names of a tool's arguments and schema are text", () => {
  const schema = { type: 'object', properties: { file_id: {}, URL: {}, File_Id: {} } };
  const tool = { name: 't', input_schema: schema };
  const use = { type: 'tool_use', input: { URL: 'x', file_id: 'y' } };
  assert.deepEqual(peek('anthropic', { tools: [tool], messages: [{ content: [use] }] }), {
    isUnbounded: false,
    images: 0,
    mayCacheForAnHour: false,
    hasMedia: false,
    hasAudio: false,
  });
});

test('examples of arguments, schemas under every name and labels of a request are text', () => {
  const names = { fileUri: 'x', MimeType: 'x', container: 'x', URL: 'x', file_id: 'x', ttl: '1h' };
  for (const [format, body] of [
    ['anthropic', { tools: [{ name: 't', input_schema: {}, input_examples: [names] }] }],
    ['openai', { tools: [{ type: 'function', parameters: {}, output_schema: names }] }],
    ['gemini', { tools: [{ function_declarations: [{ parameters_json_schema: names }] }] }],
    ['gemini', { generation_config: { response_schema: names, response_json_schema: names } }],
    ['gemini', { generationConfig: { _responseJsonSchema: names } }],
    ['openai', { metadata: names }],
    ['openai', { input: [{ type: 'local_shell_call', action: { type: 'exec', env: names } }] }],
  ] as const) {
    const { problem, stored, isUnbounded, mayCacheForAnHour } = peek(format, body);
    const found = [problem, stored, isUnbounded, mayCacheForAnHour];
    assert.deepEqual(found, [undefined, undefined, false, false], JSON.stringify(body));
  }
});

test('the URLs of search results and citations are text, and of no type that follows', () => {
  const result = { type: 'web_search_result', url: 'https://x', title: 't', page_age: null };
  const citation = { cited_text: 'c', type: 'web_search_result_location', url: 'https://x' };
  const searched = [
    { type: 'web_search_tool_result', tool_use_id: 't', content: [result, result, result] },
    { type: 'text', text: 'Hi', citations: [citation, citation] },
  ];
  const images = (content: readonly object[] | string) =>
    peek('anthropic', typeof content === 'string' ? content : { messages: [{ content }] }).images;
  assert.equal(images(searched), 0);
  const image = { type: 'image', source: { type: 'url', url: 'https://x' } };
  assert.equal(images([...searched, image]), 1);
  assert.equal(images([image, ...searched, image]), 2);
  const turned = { type: 'image', source: { url: 'https://x', type: 'url' } };
  assert.equal(images([...searched, turned]), 1);
  const late = '{"type":"web_search_result","url":"https://x","t\\u0079pe":"url"}';
  assert.equal(images(`{"messages":[{"content":[{"type":"image","source":${late}}]}]}`), 1);
  const fetched = { type: 'web_fetch_result', url: 'https://x', content: { type: 'document' } };
  assert.equal(peek('anthropic', { content: [fetched] }).isUnbounded, false);
});

test('the one-hour cache is reported, however its lifetime is written', () => {
  const marked = (control: string) =>
    `{"system":[{"cache_control":{"type":"ephemeral"${control}}}]}`;
  assert.equal(peek('anthropic', marked('')).mayCacheForAnHour, false);
  assert.equal(peek('anthropic', marked(',"ttl":"5m"')).mayCacheForAnHour, false);
  assert.equal(peek('anthropic', marked(',"ttl":"1h"')).mayCacheForAnHour, true);
  assert.equal(peek('anthropic', marked(',"ttl":"\\u0031h"')).mayCacheForAnHour, true);
  assert.equal(peek('anthropic', marked(',"t\\u0074l":"1h"')).mayCacheForAnHour, true);
});

test('a document by URL is unbounded when its type is escaped', () => {
  const text = '{"content":[{"type":"d\\u006fcument","source":{"type":"url","url":"https://x"}}]}';
  assert.ok(peek('anthropic', text).isUnbounded);
});

test('a request with more names than any API has is refused', () => {
  const names = Array.from({ length: MAX_NAMES }, (_, index) => `"a${index}":1`).join();
  const body = Buffer.from(`{"messages":[{${names}}]}`);
  assert.equal(peekReferences('openai', body).hasTooManyNames, true);
  assert.equal(peekFields(Buffer.from(`{${names},"b":1}`), new NameTable(['b'])).ok, false);
});

test('an object within many others is read for its id a bounded number of times', () => {
  const open = '{"messages":[{"audio":{"format":"wav"}}';
  const nested = `,${'{"container":{"audio":'.repeat(40)}{}${'}}'.repeat(40)}`;
  const few = Buffer.from(`${open}]}`);
  const many = Buffer.from(`${open}${nested.repeat(20)}]}`);
  assert.equal(peekReferences('openai', few).stored, undefined);
  assert.notEqual(peekReferences('openai', many).stored, undefined);
});

test('an object whose end is out of reach counts as one with an id', () => {
  const audio = (bytes: number) =>
    Buffer.from(`{"messages":[{"audio":{"format":"${'x'.repeat(bytes)}"}}]}`);
  assert.equal(peekReferences('openai', audio(1000)).stored, undefined);
  assert.equal(peekReferences('openai', audio(20_000)).stored, 'audio');
});

test('the schemas of listed tools of an MCP server are text to the model', () => {
  const properties = { file_id: { type: 'string' }, Video: { type: 'string' } };
  const tools = [{ name: 'read', input_schema: { type: 'object', properties } }];
  const listed = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools };
  const { stored, problem, isUnbounded } = peek('openai', { input: [listed] });
  assert.deepEqual([stored, problem, isUnbounded], [undefined, undefined, false]);
});

test('a cache of an hour is found in a chat request, too', () => {
  const mayCache = (ttl: string) =>
    peek('openai', { messages: [{ content: [{ cache_control: { type: 'ephemeral', ttl } }] }] })
      .mayCacheForAnHour;
  assert.deepEqual([mayCache('5m'), mayCache('1h')], [false, true]);
  const options = { prompt_cache_options: { mode: 'explicit', ttl: '30m' } };
  assert.equal(peek('openai', options).mayCacheForAnHour, false);
});

test('a document or a video in the place of an image is unbounded', () => {
  const isUnbounded = (image_url: unknown) =>
    peek('openai', { messages: [{ content: [{ type: 'image_url', image_url }] }] }).isUnbounded;
  assert.equal(isUnbounded({ url: 'https://example.com/a.png', detail: 'high' }), false);
  assert.equal(isUnbounded({ detail: 'high', url: 'data:image/png;base64,AA' }), false);
  assert.equal(isUnbounded('data:image/png;base64,AA'), false);
  assert.equal(isUnbounded({ url: 'data:application/pdf;base64,AA' }), true);
  assert.equal(isUnbounded({ detail: 'high', url: 'DATA:video/mp4;base64,AA' }), true);
  assert.equal(isUnbounded('data:application/pdf;base64,AA'), true);
  const escaped = (text: string) => peek('openai', `{"m":[{"image_url":${text}}]}`).isUnbounded;
  assert.equal(escaped('{"ur\\u006c":"d\\u0061ta:application/pdf;base64,AA"}'), true);
  assert.equal(escaped('{"url":"data:application\\/pdf;base64,AA"}'), true);
  assert.equal(escaped('{"url":"https:\\/\\/example.com\\/a.png"}'), false);
});
