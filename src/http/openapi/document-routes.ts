// GET /openapi.json for programs and GET /docs for people: the same document. Both are built at their first request, when all
// routes are registered, and do not change afterwards.

import type { FastifyInstance } from 'fastify';
import { completeDocument } from './complete-document.ts';
import { DOCS_HEADERS, docsPage } from './docs-page.ts';

/** `servesCalls`: false for a role that does not serve the AI endpoints. */
export function registerDocument(
  app: FastifyInstance,
  generate: () => Promise<object>,
  servesCalls: boolean,
): void {
  const hidden = { schema: { hide: true } };
  let document: Promise<object> | undefined;
  let page: string | undefined;

  async function read(): Promise<object> {
    document ??= generate().then((generated) => completeDocument(generated, servesCalls));
    try {
      return await document;
    } catch (cause) {
      document = undefined;
      throw cause;
    }
  }

  app.get('/openapi.json', hidden, read);
  app.get('/docs', hidden, async (_request, reply) => {
    page ??= docsPage(Object(await read()));
    return reply.headers(DOCS_HEADERS).send(page);
  });
}
