// The start page for a browser: the version and links. It is public, so it shows no data of the installation, and it
// loads no external resource.

import { VERSION } from '../../kernel/version.ts';
import type { RegisterRoutes } from '../http-server.ts';

export function startPageRoutes(): RegisterRoutes {
  return (app) => {
    app.get('/', { schema: { hide: true } }, (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .header('x-content-type-options', 'nosniff')
        .send(PAGE),
    );
  };
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Spillway</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem; }
  h1 { font-size: 1.75rem; margin: 0; }
  p { margin: .5rem 0 1.5rem; }
  li { margin: .25rem 0; }
  code { font: 0.875rem ui-monospace, monospace; }
</style>
</head>
<body>
<h1>Spillway ${VERSION}</h1>
<p>The gateway is running. Set an SDK's base URL to this address and use a Spillway key.</p>
<ul>
  <li><code>POST /v1/messages</code>: Anthropic's format</li>
  <li><code>POST /v1/chat/completions</code>: OpenAI's format</li>
  <li><code>POST /v1beta/models/{model}:generateContent</code>: Gemini's format</li>
  <li><code>POST /v1/jobs</code>: queued work</li>
  <li><a href="/health">/health</a>: health of this server</li>
  <li><a href="/docs">/docs</a>: every endpoint; <a href="/openapi.json">/openapi.json</a> for programs</li>
</ul>
</body>
</html>
`;
