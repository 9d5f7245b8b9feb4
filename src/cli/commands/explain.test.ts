import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Command } from 'commander';
import { silentProgress } from '../progress.ts';
import { registerExplain } from './explain.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'spillway-explain-'));
after(() => rmSync(FOLDER, { recursive: true }));

type Run = { readonly isStdinTerminal?: boolean; readonly stdin?: string };

async function explain(args: readonly string[], { isStdinTerminal = true, stdin = '' }: Run = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  registerExplain(program, {
    env: {},
    cwd: FOLDER,
    isStdinTerminal,
    progress: silentProgress,
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    readStdin: () => Promise.resolve(stdin),
  });
  await program.parseAsync(['explain', ...args], { from: 'user' });
  return { out, err };
}

test('a pasted error gives a code, a reason, retry advice and a sentence in the requested language', async () => {
  const { out } = await explain(['Claude AI usage limit reached|1754636400', '--locale', 'tr']);
  const printed = out.join('\n');
  assert.match(printed, /^code +AI_LIMIT_REACHED \(429\)$/m);
  assert.match(printed, /^why +text: usage limit reached$/m);
  assert.match(printed, /^retry +no, the limit resets at 2025-08-08T07:00:00.000Z$/m);
  assert.match(printed, /^sentence +Yapay zekâ hizmeti .* şimdi tekrar deneyin\.$/m);
  assert.doesNotMatch(printed, /Claude/);
});

test('a response is explained by its status, headers and body', async () => {
  const body = '{"error":{"message":"Rate limit reached","type":"requests"}}';
  writeFileSync(join(FOLDER, 'body.json'), body);
  for (const given of [body, '@body.json']) {
    const headers = ['--header', 'retry-after-ms: 250', '--header', 'x-other:1'];
    const { out } = await explain(['--status', '429', ...headers, '--body', given, '--json']);
    assert.partialDeepStrictEqual(JSON.parse(out.join('')), {
      code: 'RATE_LIMITED',
      params: { scope: 'provider', retryAfterMs: 250 },
      retryable: true,
      retryAfterMs: 250,
      status: 429,
    });
  }
});

test('a clock time is read in the given zone', async () => {
  const text = 'You’ve hit your limit, try again at Mar 3rd, 2026 9:01 AM';
  const { out } = await explain([text, '--time-zone', 'Europe/Berlin', '--json']);
  assert.equal(JSON.parse(out.join('')).resetAt, Date.UTC(2026, 2, 3, 8, 1));
});

test('standard input is explained, and no input is a usage failure', async () => {
  const { out } = await explain([], { isStdinTerminal: false, stdin: 'fetch failed' });
  assert.match(out.join('\n'), /NETWORK_TIMEOUT/);
  await assert.rejects(explain([]), { name: 'CliFailure', exitCode: 2 });
  const nothing = { isStdinTerminal: false, stdin: '\n' };
  await assert.rejects(explain([], nothing), { name: 'CliFailure', exitCode: 2 });
});

test('invalid options are refused', async () => {
  for (const args of [
    ['x', '--status', 'soon'],
    ['x', '--header', 'nothing'],
    ['x', '--time-zone', 'Mars/Olympus'],
  ]) {
    await assert.rejects(explain(args), { name: 'CommanderError' });
  }
});

const CORPUS = [
  {
    id: 'a',
    status: 429,
    headers: { 'Retry-After': '2' },
    body: '',
    expect: expected('RATE_LIMITED', 2_000),
  },
  {
    id: 'b',
    status: null,
    headers: {},
    body: 'usage limit reached|1760000400',
    expect: expected('AI_LIMIT_REACHED', null, 1_760_000_400_000),
  },
  {
    id: 'c',
    status: 400,
    body: { error: 'nonsense' },
    expect: { ...expected('CONTENT_POLICY'), codeAccept: ['INVALID_REQUEST'] },
  },
  { id: 'd', body: 'fetch failed', expect: expected('INTERNAL') },
];

function expected(code: string, retryAfterMs: number | null = null, resetAt: number | null = null) {
  return { code, retryable: code === 'RATE_LIMITED', retryAfterMs, resetAt };
}

test('a corpus is mapped line by line and scored, with the misses', async () => {
  writeFileSync(
    join(FOLDER, 'corpus.jsonl'),
    CORPUS.map((line) => JSON.stringify(line)).join('\n'),
  );
  const { out, err } = await explain(['--corpus', 'corpus.jsonl']);
  assert.deepEqual(
    out.slice(0, 4).map((line) => JSON.parse(line)),
    [
      { id: 'a', code: 'RATE_LIMITED', retryable: true, retryAfterMs: 2_000, resetAt: null },
      {
        id: 'b',
        code: 'AI_LIMIT_REACHED',
        retryable: false,
        retryAfterMs: null,
        resetAt: 1_760_000_400_000,
      },
      { id: 'c', code: 'INVALID_REQUEST', retryable: false, retryAfterMs: null, resetAt: null },
      { id: 'd', code: 'NETWORK_TIMEOUT', retryable: true, retryAfterMs: null, resetAt: null },
    ],
  );
  assert.match(out[4] ?? '', /expected code +2 of 4 \(50\.0 %\)/);
  assert.match(out[4] ?? '', /accepted one +3 of 4/);
  assert.match(out[4] ?? '', /stated delays +1 of 1 exact\nstated resets +1 of 1 exact/);
  assert.match(out[4] ?? '', /misses\n {2}d: code NETWORK_TIMEOUT, expected INTERNAL$/);
  assert.deepEqual(err, []);
});

test('with --json the score of a corpus goes to stderr', async () => {
  writeFileSync(
    join(FOLDER, 'corpus.jsonl'),
    CORPUS.map((line) => JSON.stringify(line)).join('\n'),
  );
  const { out, err } = await explain(['--corpus', 'corpus.jsonl', '--json']);
  assert.equal(out.length, 4);
  assert.match(err.join('\n'), /misses/);
});

test('without expectations there is no score', async () => {
  writeFileSync(join(FOLDER, 'plain.jsonl'), '{"id":"x","status":503}\n\n');
  assert.deepEqual((await explain(['--corpus', 'plain.jsonl'])).out, [
    '{"id":"x","code":"PROVIDER_UNAVAILABLE","retryable":true,"retryAfterMs":null,"resetAt":null}',
  ]);
});

test('a byte order mark and CRLF are not part of a line', async () => {
  writeFileSync(
    join(FOLDER, 'marked.jsonl'),
    '\ufeff{"id":"x","status":401}\r\n{"status":402}\r\n',
  );
  assert.equal((await explain(['--corpus', 'marked.jsonl'])).out.length, 2);
});

test('an unreadable file or a line that is not an object fails with one sentence', async () => {
  await assert.rejects(explain(['--corpus', 'missing.jsonl']), {
    name: 'CliFailure',
    exitCode: 1,
    message: 'missing.jsonl cannot be read.',
  });
  await assert.rejects(explain(['--body', '@missing.json']), { name: 'CliFailure', exitCode: 1 });
  writeFileSync(join(FOLDER, 'broken.jsonl'), '{"id":"x"}\nnot json\n');
  await assert.rejects(explain(['--corpus', 'broken.jsonl']), /Line 2 of broken\.jsonl/);
});
