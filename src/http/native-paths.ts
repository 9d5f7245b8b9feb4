// The AI endpoints for /openapi.json: fastify does not know the calls, which are handled before it, and model lists have
// a path for every base URL of the SDKs. The providers document the bodies.

import { NATIVE_PATHS } from '../upstream/native-route.ts';

type PathItem = Record<string, unknown>;

export function nativePathItems(): Record<string, PathItem> {
  return Object.fromEntries([
    ...NATIVE_PATHS.map((path) => [path, { post: operation(path) }]),
    ...MODEL_PATHS.map((path) => [path, { get: listing(path) }]),
  ]);
}

const MODEL_PATHS = ['/v1/models', '/v1beta/models'].flatMap((path) => [path, `${path}/{model}`]);

function operation(path: string): Record<string, unknown> {
  return {
    summary: 'A call in the wire format of its provider, unary or streamed',
    ...described(path, "The provider's response."),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  };
}

function listing(path: string): Record<string, unknown> {
  return {
    summary: "The models that the key may use, in the format of the path's provider",
    ...described(path, "The format of the provider's own list."),
  };
}

function described(path: string, answer: string): Record<string, unknown> {
  const parameters = path.includes('{model}')
    ? { parameters: [{ name: 'model', in: 'path', required: true, schema: { type: 'string' } }] }
    : {};
  return {
    tags: ['AI'],
    security: [{ key: [] }],
    ...parameters,
    responses: {
      200: { description: answer },
      default: {
        description: "An error in the provider's format, with Spillway's code.",
      },
    },
  };
}
