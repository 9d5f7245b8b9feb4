// HTML error pages of proxies between the gateway and a provider.

export type PageMaker = 'nginx' | 'cloudflare';

export type Page = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export function errorPage(maker: PageMaker, status: number, secret: string | undefined): Page {
  const note = secret === undefined ? '' : `<!-- ${secret} -->\n`;
  return maker === 'nginx' ? nginx(status, note) : cloudflare(status, note);
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [413, 'Request Entity Too Large'],
  [500, 'Internal Server Error'],
  [502, 'Bad Gateway'],
  [503, 'Service Temporarily Unavailable'],
  [504, 'Gateway Time-out'],
  [520, 'Web server is returning an unknown error'],
  [521, 'Web server is down'],
  [522, 'Connection timed out'],
  [524, 'A timeout occurred'],
]);

function titleOf(status: number): string {
  return TITLES.get(status) ?? 'Error';
}

function nginx(status: number, note: string): Page {
  const title = `${status} ${titleOf(status)}`;
  return {
    headers: { 'content-type': 'text/html', server: 'nginx/1.26.1' },
    body: `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx/1.26.1</center>\r\n</body>\r\n</html>\r\n${note}`,
  };
}

function cloudflare(status: number, note: string): Page {
  const title = titleOf(status);
  return {
    headers: {
      'content-type': 'text/html; charset=UTF-8',
      server: 'cloudflare',
      'cf-ray': '8f1c2d3e4b5a6978-FRA',
    },
    body: `<!DOCTYPE html>
<!--[if lt IE 7]> <html class="no-js ie6 oldie" lang="en-US"> <![endif]-->
<!--[if gt IE 8]><!--> <html class="no-js" lang="en-US"> <!--<![endif]-->
<head>
<title>api.example.com | ${status}: ${title}</title>
<meta charset="UTF-8" />
</head>
<body>
<div id="cf-wrapper">
<span class="inline-block">${title}</span>
<span class="code-label">Error code ${status}</span>
<h2>What can I do?</h2>
<p class="mb-6">Please try again in a few minutes.</p>
</div>
</body>
</html>
${note}`,
  };
}
