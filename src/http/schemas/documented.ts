// Schemas that only document. Some handlers parse their body themselves, because queues deliver the same fields; and the
// views of jobs and events are allow-lists already, which a serializer with a schema would only copy.

import type { FastifySchemaCompiler } from 'fastify';
import { namingValidator } from './admin.ts';

/** Validates everything but the body. */
export const bodyParsedByHandler: FastifySchemaCompiler<unknown> = (route) =>
  route.httpPart === 'body' ? (value) => ({ value }) : namingValidator(route);

/** Options of a route with response schemas that only document. */
export const plainAnswer = {
  serializerCompiler: () => (answer: unknown) => JSON.stringify(answer),
} as const;
