// GET /openapi.json for programs and GET /docs for people: the same document. The page is built at the first
// request, when all routes are registered, and does not change afterwards.

import type { FastifyInstance } from 'fastify';
import { completeDocument } from './complete-document.ts';
import { DOCS_HEADERS, docsPage } from './docs-page.ts';

/** `servesCalls`: false for a role that does not serve the AI endpoints. */
export function registerDocument(app: FastifyInstance, servesCalls: boolean): void {
  const hidden = { schema: { hide: true } };
  const read = () => completeDocument(Object(app.swagger()), servesCalls);
  let page: string | undefined;

  app.get('/openapi.json', hidden, read);
  app.get('/docs', hidden, (_request, reply) => {
    page ??= docsPage(Object(read()));
    return reply.headers(DOCS_HEADERS).send(page);
  });
}
