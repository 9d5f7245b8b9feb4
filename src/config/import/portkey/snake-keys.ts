// Portkey accepts its keys in snake_case and in camelCase. The readers know snake_case only; paths in the report keep
// the spelling of the file. Parameters of requests, metadata and credentials are not Portkey's keys and stay as they are.

import type { PeerNode } from '../peer-node.ts';

const FOREIGN = ['override_params', 'default_params', 'query', 'metadata', 'credentials'];

export function withSnakeKeys(node: PeerNode): PeerNode {
  if (node.items) return { ...node, items: node.items.map(withSnakeKeys) };
  if (!node.entries) return node;
  const entries = node.entries.map(({ key, node: value }) => {
    const snake = toSnake(key);
    return { key: snake, node: FOREIGN.includes(snake) ? value : withSnakeKeys(value) };
  });
  return { ...node, entries };
}

/** `awsServerSideEncryptionKMSKeyId` has a run of capitals, which is one word. */
function toSnake(key: string): string {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
