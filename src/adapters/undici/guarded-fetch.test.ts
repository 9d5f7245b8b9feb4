import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egressContract } from '../../../test/contract/egress.ts';
import { createEgressRule } from '../../kernel/egress-rule.ts';
import { type Resolve, type ResolvedAddress, resolveAllowed } from './guarded-connect.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const LOOPBACK: ResolvedAddress = { address: '127.0.0.1', family: 4 };
const PUBLIC: ResolvedAddress = { address: '93.184.216.34', family: 4 };

egressContract('undici', ({ allowHosts, resolve }) =>
  createGuardedFetch({ rule: createEgressRule(allowHosts), connectTimeoutMs: 2000, resolve }),
);

test('a name with only public addresses resolves to them', async () => {
  const rule = createEgressRule([]);
  assert.deepEqual(await resolveAllowed(rule, async () => [PUBLIC], 'fine.test'), [PUBLIC]);
});

test('each connection resolves the name again, so DNS rebinding is refused', async () => {
  const rule = createEgressRule([]);
  const answers = [[PUBLIC], [LOOPBACK]];
  const resolve: Resolve = async () => answers.shift() ?? [LOOPBACK];
  assert.deepEqual(await resolveAllowed(rule, resolve, 'rebinding.test'), [PUBLIC]);
  const egress = createGuardedFetch({ rule, connectTimeoutMs: 2000, resolve });
  const request = { method: 'GET', headers: {}, maxAnswerBytes: 100, timeoutMs: 5000 } as const;
  await assert.rejects(egress.send({ ...request, url: 'http://rebinding.test:9/' }), {
    code: 'INVALID_REQUEST',
  });
  await egress.close();
});
