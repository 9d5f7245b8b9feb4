// What a person sees who opens the address in a browser: that it runs, and where to go on. It tells nothing
// that a stranger may not know and loads nothing from elsewhere.

import { VERSION } from '../../kernel/version.ts';
import type { RegisterRoutes } from '../http-server.ts';

export function frontPageRoutes(): RegisterRoutes {
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
<p>The gateway is running. Point an SDK's base URL here and use a key of yours.</p>
<ul>
  <li><code>POST /v1/messages</code>: Anthropic's format</li>
  <li><code>POST /v1/chat/completions</code>: OpenAI's format</li>
  <li><code>POST /v1beta/models/{model}:generateContent</code>: Gemini's format</li>
  <li><code>POST /v1/jobs</code>: work that can wait</li>
  <li><a href="/health">/health</a>: is it well?</li>
  <li><a href="/openapi.json">/openapi.json</a>: every endpoint</li>
</ul>
</body>
</html>
`;
