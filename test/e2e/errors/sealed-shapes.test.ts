// Failures in shapes that are not the provider's own error response: an error among choices or candidates, an error
// beside an answer, a page after JSON or after a stream, bodies larger than every buffer, a success without a body, a
// redirect. Each leaves as a sealed error, and none of the provider's text reaches the caller.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { CANARIES, canariesIn, leaksIn } from './canaries.ts';
import { callThrough, FORMATS, type Format } from './failing-calls.ts';
import { openSealedRig, type SealedRig } from './sealed-rig.ts';

const SECRET = `upstream ${CANARIES.host} failed for ${CANARIES.organization}`;
const ERROR = { code: 502, type: 'server_error', message: SECRET };
const PAGE = `<html><head><style>p{color:red}</style></head><body>${SECRET}</body></html>`;
const PADDING = 'x'.repeat(600_000);

type Script = (response: ServerResponse) => void;

let script: Script = (response) => response.end();
let requests = 0;

suite('failures in other shapes', () => {
  let rig: SealedRig;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.once('end', () => script(response));
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    rig = await openSealedRig(
      `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    );
  });
  after(async () => {
    await rig.close();
    server.closeAllConnections();
    server.close();
  });

  /** Sends the answer of the script through the gateway and asserts that it arrives sealed. */
  async function assertSealed(format: Format, isStream: boolean, what: string): Promise<string> {
    requests = 0;
    const { status, headers, text } = await callThrough(rig, format, isStream);
    const seen = `${what}, ${format}: ${status} ${text.slice(0, 500)}`;
    assert.deepEqual(canariesIn(text), [], seen);
    if (status === 200) assert.match(text, /"(?:spillway_)?(?:code|reason)":"[A-Z_]+"/, seen);
    else assert.deepEqual(leaksIn(text), [], seen);
    assert.equal(headers.get('location'), null, seen);
    assert.equal(requests, 1, `${what}, ${format}: ${requests} requests`);
    const [, code = ''] = /"(?:spillway_code|reason)":"([A-Z_]+)"/.exec(text) ?? [];
    assert.notEqual(code, 'INTERNAL', seen);
    return code;
  }

  function json(body: unknown, tail = ''): Script {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body) + tail);
    };
  }

  function events(text: string): Script {
    return (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
    };
  }

  for (const format of FORMATS) {
    test(`an error inside a unary ${format} answer is sealed, small or large`, async () => {
      for (const padding of ['', PADDING]) {
        const bodies = [
          { ...ANSWERS[format], padding, error: ERROR },
          { error: { ...ERROR, padding } },
          { padding, error: ERROR },
          withMemberError(format, padding),
        ];
        for (const body of bodies) {
          script = json(body);
          const code = await assertSealed(format, false, JSON.stringify(body).slice(0, 80));
          assert.equal(code, 'PROVIDER_UNAVAILABLE');
        }
      }
    });

    test(`a page after a unary ${format} answer is sealed, small or large`, async () => {
      for (const padding of ['', PADDING]) {
        script = json({ ...ANSWERS[format], padding }, PAGE);
        assert.equal(await assertSealed(format, false, 'JSON then HTML'), 'PROVIDER_UNAVAILABLE');
        script = json({ error: ERROR, padding }, PAGE);
        await assertSealed(format, false, 'an error, then HTML');
      }
    });

    test(`a success without a body and a redirect are PROVIDER_UNAVAILABLE in ${format}, unary and streamed`, async () => {
      for (const status of [204, 205, 301, 302, 303, 304, 307, 308]) {
        script = (response) => {
          response.writeHead(status, { location: `http://${CANARIES.host}/elsewhere` });
          response.end(status < 300 || status === 304 ? undefined : PAGE);
        };
        for (const isStream of [false, true]) {
          const code = await assertSealed(format, isStream, `${status}`);
          assert.equal(code, 'PROVIDER_UNAVAILABLE', `${status}`);
        }
      }
    });

    test(`an error among the choices of a ${format} stream is sealed, before and after content`, async () => {
      for (const content of ['', CONTENT[format]]) {
        for (const error of [ERROR, { ...ERROR, padding: PADDING }]) {
          script = events(content + memberErrorEvent(format, error));
          await assertSealed(format, true, 'an error member');
          script = events(content + data({ note: 'unnamed', error }));
          await assertSealed(format, true, 'an error without a known type');
          script = events(content + data({ padding: PADDING, error }));
          await assertSealed(format, true, 'an error behind padding');
        }
      }
    });

    test(`a page or bare JSON in a ${format} stream is sealed, small or large`, async () => {
      const large = PAGE.replace('<style>', `<style>${PADDING}`);
      const bare = JSON.stringify({ error: ERROR }, undefined, 2);
      for (const content of ['', CONTENT[format]])
        for (const text of [PAGE, large, bare, `${bare}${PAGE}`, SECRET, `\n\n${PAGE}\n\n`]) {
          script = events(content + text);
          await assertSealed(
            format,
            true,
            `${content === '' ? 'no' : 'some'} content, ${text.slice(0, 40)}`,
          );
        }
    });

    // Gemini's format has no end marker: text after its last event is foreign text in the stream.
    if (format === 'gemini') continue;
    test(`text after the end of a ${format} stream is not relayed`, async () => {
      for (const tail of [PAGE, data({ error: ERROR }), `\n${SECRET}\n\n`]) {
        script = events(CONTENT[format] + END[format] + tail);
        const { status, text } = await callThrough(rig, format, true);
        assert.equal(status, 200, text);
        assert.deepEqual(canariesIn(text), [], text);
        assert.match(text, /Hello/);
        assert.doesNotMatch(text, /spillway_code/);
      }
    });
  }

  test('an error element and a page in a Gemini array stream are sealed', async () => {
    const first = JSON.stringify(ANSWERS.gemini);
    for (const text of [
      `[${first},\n{"error":${JSON.stringify(ERROR)}}]`,
      `[${first}\n${PAGE}`,
      `[${first}]${PAGE}`,
      PAGE,
    ]) {
      script = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(text);
      };
      const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
      const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
      const answer = await rig.call('POST', path, body);
      assert.deepEqual(canariesIn(answer.text), [], answer.text);
    }
  });
});

const ANSWERS = {
  anthropic: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello' }],
    usage: { input_tokens: 3, output_tokens: 2 },
  },
  openai: {
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  },
} as const;

/** Anthropic's format has no list of choices. */
function withMemberError(format: Format, padding: string): object {
  const error = { ...ERROR, padding };
  if (format === 'anthropic') return { type: 'error', error, usage: ANSWERS.anthropic.usage };
  if (format === 'openai')
    return { ...ANSWERS.openai, choices: [{ ...ANSWERS.openai.choices[0], error }] };
  return { ...ANSWERS.gemini, candidates: [{ ...ANSWERS.gemini.candidates[0], error }] };
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function named(value: { readonly type: string }): string {
  return `event: ${value.type}\n${data(value)}`;
}

const DELTA = {
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'Hello' },
};

const CONTENT = {
  anthropic: named(DELTA),
  openai: data({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] }),
  gemini: data({ candidates: [{ content: { parts: [{ text: 'Hello' }] }, index: 0 }] }),
} as const;

const END = {
  anthropic: named({ type: 'message_stop' }),
  openai: 'data: [DONE]\n\n',
  gemini: data({ candidates: [{ finishReason: 'STOP', index: 0 }] }),
} as const;

function memberErrorEvent(format: Format, error: object): string {
  if (format === 'anthropic') return `event: overloaded\n${data({ error })}`;
  return format === 'openai'
    ? data({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', error }] })
    : data({ candidates: [{ index: 0, finishReason: 'OTHER', error }] });
}
