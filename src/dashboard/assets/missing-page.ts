// The page of `/` while the dashboard is not built. It has no style and no script, as the content security policy allows no
// inline ones.

import { VERSION } from '../../kernel/version.ts';

export function missingPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Spillway</title>
</head>
<body>
<h1>Spillway ${VERSION}</h1>
<p>The gateway is running; its dashboard is not built. In the checkout run</p>
<pre>node scripts/build-dashboard.mjs</pre>
<p>and reload this page. <code>npm start</code> does it by itself; the published package has it inside.</p>
<ul>
<li><a href="/health">/health</a>: health of this server</li>
<li><a href="/docs">/docs</a>: every endpoint; <a href="/openapi.json">/openapi.json</a> for programs</li>
</ul>
</body>
</html>
`;
}
