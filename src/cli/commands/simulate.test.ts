import assert from 'node:assert/strict';
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'node:test';

/** The command in its own process, so that it can be interrupted. */
const PROGRAM = `
  import { Command } from 'commander';
  import { registerSimulate } from ${JSON.stringify(new URL('simulate.ts', import.meta.url).href)};
  const program = new Command();
  registerSimulate(program, { out: (line) => console.log(line), err: (line) => console.error(line) });
  try { await program.parseAsync(process.argv.slice(1), { from: 'user' }); }
  catch (failure) { console.error(failure.message); process.exitCode = failure.exitCode ?? 1; }
`;

type Child = ChildProcessByStdio<null, Readable, Readable>;

function simulate(...args: readonly string[]): Child {
  const script = ['--input-type=module', '-e', PROGRAM, 'simulate', ...args];
  return spawn(process.execPath, script, {
    cwd: new URL('../../..', import.meta.url),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function firstOutput(child: Child): Promise<string> {
  const [chunk]: unknown[] = await once(child.stdout, 'data');
  return String(chunk);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`the simulator prints how to use it and runs until ${signal}`, async () => {
    const child = simulate('--port', '0');
    const exited = once(child, 'exit');
    const words = await firstOutput(child);
    const [, url = ''] = /ANTHROPIC_BASE_URL=(\S+)/.exec(words) ?? [];
    assert.match(words, new RegExp(`OPENAI_BASE_URL=${url}/v1\\n`));
    assert.match(words, new RegExp(`GEMINI_BASE_URL=${url} `));
    assert.match(words, /curl -X PUT \S+\/_simulator\/scenario -d '\{"preset":"usage-limit"/);
    const presets = await fetch(`${url}/_simulator/scenarios`);
    assert.equal(presets.status, 200);
    child.kill(signal);
    assert.deepEqual(await exited, [0, null]);
  });

test('a port in use is reported in one sentence', async (t) => {
  const first = simulate('--port', '0', '--json');
  t.after(() => first.kill());
  const { port } = new URL(String(JSON.parse(await firstOutput(first)).url));
  const second = simulate('--port', port);
  const [words, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')]);
  assert.match(
    words,
    /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use; choose another with --port\.\n$/,
  );
  assert.equal(code, 1);
});

test('an invalid port is refused', async () => {
  const child = simulate('--port', 'many');
  const [words, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.match(words, /A port is a whole number from 0 to 65535/);
  assert.equal(code, 1);
});
