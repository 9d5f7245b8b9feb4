// The AI endpoints for /openapi.json: fastify does not know them, because they are taken before it. Their bodies
// are the providers' own and documented there.

import { NATIVE_PATHS } from '../upstream/native-route.ts';

type PathItem = Record<string, unknown>;

export function nativePathItems(): Record<string, PathItem> {
  return Object.fromEntries(NATIVE_PATHS.map((path) => [path, { post: operation(path) }]));
}

function operation(path: string): Record<string, unknown> {
  const parameters = path.includes('{model}')
    ? { parameters: [{ name: 'model', in: 'path', required: true, schema: { type: 'string' } }] }
    : {};
  return {
    summary: 'A call in the wire format of its provider, unary or streamed',
    tags: ['AI'],
    security: [{ key: [] }],
    ...parameters,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    responses: {
      200: { description: "The provider's own answer." },
      default: {
        description: "An error in the provider's own shape, with Spillway's code inside.",
      },
    },
  };
}
