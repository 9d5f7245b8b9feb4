import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOG_LEVELS, type LogLevel } from '../../kernel/log.ts';
import { createStdoutLog } from './log.ts';

test('an entry is one JSON line with the documented field names', async () => {
  const { lines, log } = rig('info');
  log.write({
    level: 'warn',
    type: 'ai_limit',
    message: 'line one\nline two',
    requestId: 'req_1',
    metadata: { provider: 'openai' },
  });
  await log.flush();
  assert.equal(lines.length, 2);
  assert.equal(lines[0]?.trimEnd().includes('\n'), false);
  const { timestamp, ...fields } = parse(lines[0]);
  assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(fields, {
    level: 'warn',
    service: 'spillway',
    server_id: 'server-1',
    log_type: 'ai_limit',
    request_id: 'req_1',
    metadata: { provider: 'openai' },
    message: 'line one\nline two',
  });
  assert.equal(lines[1], 'flushed');
});

test('a level passes itself and more severe levels', () => {
  for (const [index, level] of LOG_LEVELS.entries()) {
    const { lines, log } = rig(level);
    for (const each of LOG_LEVELS) log.write({ level: each, type: 'error', message: each });
    assert.deepEqual(
      lines.map((line) => parse(line)['level']),
      LOG_LEVELS.slice(index),
    );
  }
});

test('a silent log writes nothing', () => {
  const { lines, log } = rig('silent');
  for (const level of LOG_LEVELS) log.write({ level, type: 'error', message: 'unheard' });
  assert.deepEqual(lines, []);
});

test('circular metadata does not throw', () => {
  const { lines, log } = rig('info');
  const metadata: Record<string, unknown> = {};
  metadata['self'] = metadata;
  log.write({ level: 'error', type: 'error', message: 'circular', metadata });
  assert.equal(parse(lines[0])['message'], 'circular');
});

function rig(level: LogLevel | 'silent') {
  const lines: string[] = [];
  const destination = {
    write: (line: string) => void lines.push(line),
    flush: (done: () => void) => {
      lines.push('flushed');
      done();
    },
  };
  return { lines, log: createStdoutLog({ level, serverId: 'server-1', destination }) };
}

function parse(line: string | undefined): Record<string, unknown> {
  return JSON.parse(line ?? 'null') as Record<string, unknown>;
}
