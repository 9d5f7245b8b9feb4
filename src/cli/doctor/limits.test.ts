import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../config/load-config.ts';
import { limitsCheck } from './limits.ts';

async function verdictsOn(env: Record<string, string>) {
  const config = loadConfig({
    env: { GEMINI_API_KEY: 'k', PROVIDER_FIXED: 'gemini', ...env },
    cwd: import.meta.dirname,
  });
  const location = { url: undefined, pid: undefined, adminKey: undefined, apiKey: undefined };
  return limitsCheck.inspect({ config, location, isServerUp: false, now: 0 });
}

test('equal limits are reported with their numbers', async () => {
  const [verdict] = await verdictsOn({ GEMINI_RATE_LIMIT: '300', RATE_LIMIT: '300' });
  assert.equal(verdict?.status, 'ok');
  assert.match(verdict.sentence, /gemini 300/);
});

test("a worker's limit that differs from the dispatcher's is a warning with a remedy", async () => {
  const [less] = await verdictsOn({ GEMINI_RATE_LIMIT: '300', RATE_LIMIT: '200' });
  assert.ok(less?.status === 'warning');
  assert.match(
    less.sentence,
    /RATE_LIMIT is 200, but the dispatcher sends 300 .* returns the rest to the queue/,
  );
  assert.match(less.mend, /GEMINI_RATE_LIMIT/);
  const [more] = await verdictsOn({ GEMINI_RATE_LIMIT: '300', RATE_LIMIT: '400' });
  assert.match(more?.sentence ?? '', /more calls than that/);
});

test('a disabled check and a delay that is too long are warnings', async () => {
  const verdicts = await verdictsOn({
    RATE_LIMIT_ENABLED: 'false',
    RATE_LIMIT_DELAY_MS: '120000',
  });
  assert.deepEqual(
    verdicts.map(({ status }) => status),
    ['warning', 'warning'],
  );
});
