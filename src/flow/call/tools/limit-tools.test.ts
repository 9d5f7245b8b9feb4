import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editBody } from '../../../upstream/json/edit-body.ts';
import { readFields, readStated } from '../read-request.ts';
import { canLimitTools, toolLimitEdits } from './limit-tools.ts';

const KIND = { format: 'anthropic', operation: 'messages' } as const;
const ROUTE = { operation: 'messages', pathModel: undefined } as const;

/** The tools of the request with the bound in it; undefined for a request that cannot be bounded. */
function bounded(tools: string): string | undefined {
  const body = Buffer.from(`{"model":"m","tools":${tools},"max_tokens":5}`);
  const fields = readFields(KIND, body);
  const stated = readStated(KIND, body, fields);
  if (!canLimitTools(ROUTE, body, stated, fields)) return undefined;
  const { tools: edited } = JSON.parse(
    editBody(body, toolLimitEdits(ROUTE, body, stated, fields, 3)).toString(),
  ) as { tools: unknown };
  return JSON.stringify(edited);
}

test('searches and fetches of Anthropic get a maximum where they state none', () => {
  assert.equal(
    bounded(' [ {"name":"own"} , { "type":"web_fetch_20250910"},{"type":"web_search_20250305"}]'),
    '[{"name":"own"},{"max_uses":3,"type":"web_fetch_20250910"},{"max_uses":3,"type":"web_search_20250305"}]',
  );
  assert.equal(
    bounded(
      '[{"type":"web_search_20250305","max_uses":null},{"type":"web_fetch_20250910","max_uses":9}]',
    ),
    '[{"type":"web_search_20250305","max_uses":3},{"type":"web_fetch_20250910","max_uses":9}]',
  );
  const escaped = '{"type":"web_search_20250305","max\\u005fuses":0}';
  assert.equal(bounded(escaped), '{"type":"web_search_20250305","max_uses":3}');
});

test('a request that bounds its tools, or has a tool without such a field, stays as it is', () => {
  assert.equal(bounded('[{"type":"web_search_20250305","max_uses":1}]'), undefined);
  assert.equal(bounded('[{"name":"own"}]'), undefined);
  const fetching = '{"type":"web_fetch_20250910"}';
  assert.equal(bounded(`[${fetching},{"type":"mcp_toolset","mcp_server_name":"s"}]`), undefined);
});
