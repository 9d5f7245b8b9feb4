import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { createRedactor, REDACTED } from './redact.ts';

const CONFIGURED = 'my-own-provider-key/with"quote';
const redact = createRedactor([CONFIGURED, 'tiny']);

const SHAPED: Readonly<Record<string, string>> = {
  'an OpenAI key': 'sk-proj-Ab12Cd34Ef56Gh78Ij90',
  'an old OpenAI key': 'sk-Ab12Cd34Ef56Gh78Ij90',
  'an Anthropic key': 'sk-ant-api03-Ab12_Cd34-Ef56',
  'a key of ours': 'sk-spill-0123456789abcdefABCDEF0123456789abcdef',
  'a Google key': 'AIzaSyA1b2C3d4E5f6G7h8I9j0',
  'a Google token': 'ya29.a0AfH6SMB-x_y_z0123456',
  'an AWS key id': 'AKIAIOSFODNN7EXAMPLE',
  'a Groq key': 'gsk_Ab12Cd34Ef56Gh78',
  'an xAI key': 'xai-Ab12Cd34Ef56Gh78',
  'a JSON Web Token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w',
};

const NAMED = [
  (secret: string) => `authorization: Bearer ${secret}`,
  (secret: string) => `Authorization: Basic ${secret}`,
  (secret: string) => `https://host/v1/models?key=${secret}&alt=sse`,
  (secret: string) => `x-api-key: ${secret}`,
  (secret: string) => `{"x-goog-api-key":"${secret}"}`,
  (secret: string) => `{\\"apiKey\\": \\"${secret}\\"}`,
  (secret: string) => `aws_secret_access_key = ${secret}`,
  (secret: string) => `https://admin:${secret}@internal.host/`,
  (secret: string) => `Incorrect API key provided: ${secret}. You can find yours at`,
  (secret: string) => `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
];

const secretText = fc
  .array(fc.constantFrom(...'abcdefghkmnpqrstuvwxyzABCDEFGH0123456789_'.split('')), {
    minLength: 12,
    maxLength: 60,
  })
  .map((letters) => letters.join(''));

suite('removes secrets', () => {
  for (const [name, secret] of Object.entries(SHAPED)) {
    test(`${name}, in any position`, () => {
      fc.assert(
        fc.property(fc.string(), fc.string(), (before, after) => {
          assert.ok(!redact(`${before} "${secret}" ${after}`).includes(secret));
        }),
      );
    });
  }

  test('a configured key, plain, in JSON, in an address and cut by the bound', () => {
    for (const spelt of [
      CONFIGURED,
      JSON.stringify(CONFIGURED).slice(1, -1),
      encodeURIComponent(CONFIGURED),
    ]) {
      assert.equal(redact(`refused ${spelt}, sorry`), `refused ${REDACTED}, sorry`);
    }
    assert.equal(redact(`refused ${CONFIGURED.slice(0, 9)}`), `refused ${REDACTED}`);
  });

  test('any configured key in arbitrary text', () => {
    fc.assert(
      fc.property(secretText, fc.string(), fc.string(), (secret, before, after) => {
        assert.ok(!createRedactor([secret])(before + secret + after).includes(secret));
      }),
    );
  });

  test('any value under a name that announces a secret', () => {
    fc.assert(
      fc.property(secretText, fc.constantFrom(...NAMED), fc.string(), (secret, name, around) => {
        assert.ok(!redact(`${around} ${name(secret)} ${around}`).includes(secret));
      }),
    );
  });

  test('text without secrets is unchanged, and redaction is idempotent', () => {
    const text = '{"error":{"type":"overloaded_error","message":"Overloaded, task-force 9"}}';
    assert.equal(redact(text), text);
    fc.assert(fc.property(fc.string(), (text) => assert.equal(redact(redact(text)), redact(text))));
  });
});
