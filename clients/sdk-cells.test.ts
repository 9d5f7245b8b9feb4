// A quick part of the table in every test run: the vendors' SDKs on failures that end at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILURES } from './failures.ts';
import { untimedDefectsOf } from './judge.ts';
import { measureCell } from './measure-cell.ts';
import { SDKS } from './sdks.ts';

const CONDITIONS = { cache: '' };
const QUICK_FAILURES = ['usage-limit', 'unknown-model'];
const QUICK_CLIENTS = ['@anthropic-ai/sdk', 'openai', '@google/genai'];

for (const failure of FAILURES.filter(({ name }) => QUICK_FAILURES.includes(name)))
  for (const client of SDKS.filter(({ name }) => QUICK_CLIENTS.includes(name)))
    test(`${client.name} is served no worse than direct on ${failure.name}`, async () => {
      const cell = await measureCell(client, failure, CONDITIONS);
      assert.deepEqual(untimedDefectsOf(cell), [], JSON.stringify(cell, null, 2));
    });
