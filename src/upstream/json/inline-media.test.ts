import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { peekReferences } from './references.ts';

const DATA = 'QUJD'.repeat(100);

function mediaIn(format: ProviderFormat, body: object | string): number {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return peekReferences(format, Buffer.from(text)).mediaBytes ?? 0;
}

const anthropic = (source: object | string) =>
  `{"messages":[{"content":[{"type":"image","source":${typeof source === 'string' ? source : JSON.stringify(source)}}]}]}`;
const gemini = (inlineData: object) => ({ contents: [{ parts: [{ inlineData }] }] });
const openai = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

test('the data of an image or a document in the form of the SDKs is measured', () => {
  const url = `data:image/png;base64,${DATA}`;
  const pdf = `data:application/pdf;base64,${DATA}`;
  for (const [format, body, bytes] of [
    ['anthropic', anthropic({ type: 'base64', media_type: 'image/png', data: DATA }), 400],
    ['anthropic', anthropic({ type: 'base64', data: DATA, media_type: 'application/pdf' }), 400],
    ['anthropic', anthropic({ media_type: 'image/png', data: DATA, type: 'base64' }), 400],
    ['anthropic', anthropic(`{ "media_type" : "image/png" ,\n "data" : "${DATA}" }`), 400],
    ['gemini', gemini({ mimeType: 'image/png', data: DATA }), 400],
    ['gemini', gemini({ data: DATA, mimeType: 'video/mp4' }), 400],
    ['gemini', gemini({ mimeType: 'image/png', displayName: 'a', data: DATA }), 400],
    ['openai', openai({ type: 'image_url', image_url: { url } }), url.length],
    ['openai', openai({ type: 'image_url', image_url: { detail: 'high', url } }), url.length],
    ['openai', { input: [{ content: [{ type: 'input_image', image_url: url }] }] }, url.length],
    ['openai', openai({ type: 'file', file: { filename: 'a', file_data: pdf } }), pdf.length],
    ['openai', openai({ type: 'input_audio', input_audio: { format: 'wav', data: DATA } }), 400],
  ] as const)
    assert.equal(mediaIn(format, body), bytes, JSON.stringify(body).slice(0, 200));
});

test('text in the place of media stays text', () => {
  for (const [format, body] of [
    ['anthropic', anthropic({ type: 'text', media_type: 'text/plain', data: DATA })],
    ['anthropic', anthropic(`{"media_type":"image/png"},{"data":"${DATA}"}`)],
    ['anthropic', anthropic(`{"data":"${DATA}"},{"media_type":"image/png"}`)],
    ['anthropic', anthropic(`{"text":"${DATA}","media_type":"image/png"}`)],
    ['anthropic', anthropic(`{"text":"\\"data\\":\\"${DATA}","media_type":"image/png"}`)],
    ['anthropic', anthropic(`{"x\\"data":"${DATA}","media_type":"image/png"}`)],
    ['anthropic', anthropic(`{"media_type":"image/png","x":{"data":"${DATA}"}}`)],
    ['anthropic', anthropic(`{"media_type":"image/png","x":"${'y'.repeat(400)}","data":"a"}`)],
    ['gemini', gemini({ mimeType: 'text/plain', data: DATA })],
    ['openai', openai({ type: 'image_url', image_url: { url: `https://example.com/${DATA}` } })],
    ['openai', openai({ type: 'image_url', image_url: DATA })],
    ['openai', openai({ type: 'file', file: { file_data: `data:text/plain;base64,${DATA}` } })],
    ['openai', openai({ type: 'text', text: `data:image/png;base64,${DATA}` })],
    ['openai', openai({ type: 'x', x: { url: `data:image/png;base64,${DATA}` } })],
  ] as const)
    assert.equal(mediaIn(format, body), 0, JSON.stringify(body).slice(0, 200));
});

test('data whose type a later field changes is text', () => {
  const [image, text] = ['"mimeType":"image/png"', '"mimeType":"text/plain"'];
  for (const inline of [
    `${image},${text},"data":"${DATA}"`,
    `${image},"data":"${DATA}",${text}`,
    `${image},"data":"${DATA}","x":"y",${text}`,
    `"data":"${DATA}",${image},"x":"y",${text}`,
    `${image},"data":"${DATA}","mime\\u0054ype":"text/plain"`,
    `${image},"data":"${DATA}","mimetype":"text/plain"`,
    `${image},"data":"${DATA}","mime_type":"text/plain"`,
    `${image},"data":"${DATA}","x":{},${text}`,
    `"data":"AAAA",${image},"data":"${DATA}"`,
  ]) {
    const bytes = mediaIn('gemini', `{"contents":[{"parts":[{"inlineData":{${inline}}}]}]}`);
    assert.equal(bytes, 0, inline.slice(0, 100));
  }
});

test('a cut body and objects within objects have no measured media', () => {
  assert.equal(mediaIn('openai', '{"image_url":'.repeat(50_000)), 0);
  assert.equal(mediaIn('anthropic', '{"media_type":"image/png","data":"QUJD'), 0);
});
