// Generates the OpenAPI document from the schemas of the routes, in a fastify instance of its own. It does so at the
// first request for the document: the generator and the YAML library that it loads take 3 MiB, and most servers are
// never asked for the document.

import Fastify, { type FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { NO_OWN_COMPILERS, useZod } from '../schemas/zod-compilers.ts';
import { openApiDocument } from './document-head.ts';

export async function generateDocument(
  routes: readonly ((app: FastifyInstance) => void)[],
): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: true,
    schemaController: NO_OWN_COMPILERS,
  });
  useZod(app);
  await app.register(swagger, { openapi: openApiDocument(), transform: jsonSchemaTransform });
  for (const register of routes) register(app);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
