import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogFilter, type LogQuery, type RecentEntry } from './log-query.ts';

const ENTRY: RecentEntry = {
  at: 1000,
  serverId: 'srv-1',
  level: 'warn',
  type: 'ai_limit',
  message: 'Anthropic has reached its usage limit',
  requestId: 'req_ABC',
  metadata: { organizationId: 'acme' },
};

const MATCHING: readonly Partial<LogQuery>[] = [
  {},
  { type: 'ai_limit', level: 'warn', server: 'srv-1', requestId: 'req_ABC' },
  { text: 'USAGE limit' },
  { text: 'req_abc' },
  { organizationId: 'acme' },
  { before: 1001 },
];

const OTHER: readonly Partial<LogQuery>[] = [
  { type: 'error' },
  { level: 'info' },
  { server: 'srv-2' },
  { requestId: 'req_abc' },
  { text: 'budget' },
  { organizationId: 'umbrella' },
  { before: 1000 },
];

test('an entry matches a query if it has every stated property', () => {
  for (const query of MATCHING)
    assert.ok(createLogFilter({ limit: 1, ...query })(ENTRY), JSON.stringify(query));
  for (const query of OTHER)
    assert.ok(!createLogFilter({ limit: 1, ...query })(ENTRY), JSON.stringify(query));
});
