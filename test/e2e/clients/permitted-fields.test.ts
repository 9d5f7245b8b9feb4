// Fields that Anthropic accepts only beside their value of `anthropic-beta`. A client that sends both gets an answer, as it
// does from Anthropic itself: the gateway forwards the value, and the provider does not refuse the field.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, suite, test } from 'node:test';
import type Anthropic from '@anthropic-ai/sdk';
import { anthropic } from '../../support/gateway/sdk-clients.ts';
import {
  openVendorRig,
  refuse,
  type VendorRequest,
  type VendorRig,
} from '../tenants/vendor-rig.ts';

const SAID: Anthropic.Beta.BetaMessageParam = { role: 'user', content: 'Say hello' };
/** Claude Code 2.1.328 puts the effort of a turn behind the user's message. */
const EFFORT_OF_TURN = { role: 'system', content: 'x', output_config: { effort: 'medium' } };
/** And in auto mode asks the provider to classify the tool calls of the answer, which costs nothing. */
const SAFEGUARD = { type: 'dangerous_tool_use', classifier_context: { v: 1 } };

const CASES: readonly { client: string; betas: readonly string[]; fields: object }[] = [
  {
    client: 'Claude Code',
    betas: [
      'claude-code-20250219',
      'per-turn-control-2026-07-01',
      'mid-conversation-tool-changes-2026-07-01',
      'effort-2025-11-24',
    ],
    fields: { messages: [SAID, EFFORT_OF_TURN] },
  },
  {
    client: 'Claude Code in auto mode',
    betas: [
      'claude-code-20250219',
      'per-turn-control-2026-07-01',
      'dangerous-tool-use-2026-09-03',
      'afk-mode-2026-01-31',
    ],
    fields: { messages: [SAID, EFFORT_OF_TURN], safeguards: [SAFEGUARD] },
  },
  {
    client: 'the Vercel AI SDK with a system message within the conversation',
    betas: [
      'mid-conversation-output-config-2026-07-01',
      'mid-conversation-system-2026-04-07',
      'mid-conversation-system-clear-at-2026-08-21',
    ],
    fields: { messages: [SAID, { ...EFFORT_OF_TURN, clear_at: 'next_user_message' }] },
  },
  {
    client: 'the Vercel AI SDK with a task budget',
    betas: ['task-budgets-2026-03-13'],
    fields: { output_config: { task_budget: { type: 'tokens', total: 20_000 } } },
  },
  {
    client: 'the Vercel AI SDK with its web search of 2026',
    betas: ['code-execution-web-tools-2026-02-09'],
    fields: { tools: [{ type: 'web_search_20260209', name: 'web_search', max_uses: 1 }] },
  },
];

/** What Anthropic requires of the header for a field, by a text of the body. */
const REQUIRED: readonly (readonly [field: string, text: string, beta: RegExp])[] = [
  ['safeguards', '"safeguards"', /\bdangerous-tool-use\b/],
  ['messages.1.role', '"role":"system"', /\b(?:per-turn-control|mid-conversation-system)-2026/],
  [
    'messages.1.output_config',
    '"output_config":{"effort"',
    /\b(?:per-turn-control|mid-conversation-output-config)\b/,
  ],
  ['messages.1.clear_at', '"clear_at"', /\bmid-conversation-system-clear-at\b/],
  ['output_config.task_budget', '"task_budget"', /\btask-budgets\b/],
  ['tools.0', '"web_search_20260209"', /\bcode-execution-web-tools\b/],
];

/** As Anthropic does. */
function refuseUnpermitted({ headers, body }: VendorRequest, response: ServerResponse) {
  const betas = String(headers['anthropic-beta']);
  const unpermitted = REQUIRED.find(([, text, beta]) => body.includes(text) && !beta.test(betas));
  if (!unpermitted) return undefined;
  const message = `${unpermitted[0]}: Extra inputs are not permitted`;
  return refuse(response, 400, {
    type: 'error',
    error: { type: 'invalid_request_error', message },
  });
}

suite('fields that a beta permits', () => {
  let rig: VendorRig;
  before(async () => {
    rig = await openVendorRig('');
    rig.answerWith(refuseUnpermitted);
  });
  after(() => rig.close());

  for (const { client, betas, fields } of CASES)
    test(`${client} gets its answer, and the provider gets its betas`, async () => {
      const body: object = {
        model: 'claude-sonnet-5',
        max_tokens: 100,
        messages: [SAID],
        ...fields,
      };
      const answer = await anthropic(await rig.newTenant()).post('/v1/messages?beta=true', {
        body,
        headers: { 'anthropic-beta': betas.join(',') },
      });
      assert.equal(Reflect.get(Object(answer), 'stop_reason'), 'end_turn');
      const sent = rig.received.at(-1);
      assert.equal(sent?.headers['anthropic-beta'], betas.join(','));
      assert.deepEqual(JSON.parse(sent?.body ?? ''), body);
    });
});
