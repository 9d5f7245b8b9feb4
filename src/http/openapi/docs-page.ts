// The page of GET /docs: the API document as HTML without a script, so that it works under the strictest content security
// policy. Operations fold with <details>, which browsers open by keyboard; colours follow the light or dark setting.

import { type Schema, schemaText } from './schema-text.ts';

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
type Response = {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
};

type Operation = {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, Response>>;
  readonly 'x-codeSamples'?: readonly { readonly source: string }[];
};

export type ShownDocument = {
  readonly info: { readonly title: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export const DOCS_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function docsPage({ info, tags, paths, components }: ShownDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const shown = operations.filter(({ operation }) => operation.tags?.includes(name));
    const items = shown.map((each) => operationHtml(each.method, each.path, each.operation));
    return `<section id="${text(name)}"><h2>${text(name)}</h2><p>${text(description)}</p>${items.join('')}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<h3 id="schema-${text(name)}">${text(name)}</h3>${block(schemaText(schema))}`,
  );
  const links = [...tags.map(({ name }) => name), 'Errors'].map(
    (name) => `<a href="#${text(name)}">${text(name)}</a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API</title><style>${STYLE}</style></head>
<body><header><h1>${text(info.title)} ${text(info.version)}</h1>
<p>Every endpoint of this server; the same as <a href="/openapi.json">/openapi.json</a> for programs.</p>
<nav aria-label="Sections">${links.join(' ')}</nav></header>
<main>${sections.join('')}<section id="Errors"><h2>Errors</h2>
<p>The body of a failure, by the format of the endpoint.</p>${schemas.join('')}</section></main></body></html>
`;
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const { summary = '', parameters = [], requestBody, responses = {} } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const rows = parameters.map(
    (each) =>
      `<tr><td><code>${text(each.name)}</code></td><td>${text(each.in)}${each.required ? ', required' : ''}</td><td><code>${text(schemaText(each.schema))}</code> ${text(each.description ?? '')}</td></tr>`,
  );
  const sample = operation['x-codeSamples']?.[0]?.source ?? curl(method, path, operation);
  return `<details><summary><b class="${method}">${method.toUpperCase()}</b> <code>${text(path)}</code> <span>${text(summary)}</span></summary>
${block(sample)}${rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`}
${body ? `<h4>Body</h4>${block(schemaText(body))}` : ''}<h4>Responses</h4><table>${responsesHtml(responses)}</table></details>`;
}

/** Failures with the same body share a row. */
function responsesHtml(responses: Readonly<Record<string, Response>>): string {
  const byBody = Map.groupBy(Object.entries(responses), ([status, { $ref }]) =>
    $ref === undefined ? status : errorName($ref),
  );
  return [...byBody]
    .map(([name, group]) => {
      const isShared = group.some(([, { $ref }]) => $ref !== undefined);
      const statuses = group.map(([status]) => status).join(', ');
      const shown = isShared
        ? `<a href="#schema-${text(name)}">${text(name)}</a>`
        : group.map(([, response]) => responseHtml(response)).join('');
      return `<tr><td>${text(statuses)}</td><td>${shown}</td></tr>`;
    })
    .join('');
}

/** `#/components/responses/Error404` → `Error`. */
function errorName(reference: string): string {
  return (reference.split('/').at(-1) ?? '').replace(/\d+$/, '');
}

function responseHtml({ description = '', content = {} }: Response): string {
  const types = Object.keys(content).join(', ');
  const schema = content['application/json']?.schema;
  const body = schema?.properties || schema?.anyOf ? block(schemaText(schema)) : '';
  return `${text(description)}${types === '' ? '' : ` <code>${text(types)}</code>`}${body}`;
}

function curl(method: string, path: string, { security, requestBody }: Operation): string {
  const isAdmin = security?.some((scheme) => 'admin' in scheme) === true;
  const key = isAdmin ? '$SPILLWAY_ADMIN_KEY' : '$SPILLWAY_KEY';
  const lines = [
    `curl -X ${method.toUpperCase()} "$SPILLWAY_URL${path}"`,
    ...(security ? [`-H "authorization: Bearer ${key}"`] : []),
    ...(requestBody ? [`-H "content-type: application/json"`, "-d '{}'"] : []),
  ];
  return lines.join(' \\\n  ');
}

function block(code: string): string {
  return `<pre tabindex="0">${text(code)}</pre>`;
}

function text(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem; }
h1, h2 { margin: 2rem 0 .25rem; } h4 { margin: .75rem 0 .25rem; }
nav { display: flex; flex-wrap: wrap; gap: 1rem; }
details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .4rem; margin: .4rem 0; padding: .4rem .75rem; }
summary { cursor: pointer; overflow-wrap: anywhere; } summary span { opacity: .75; }
summary b { display: inline-block; min-width: 4.5rem; font-size: .8rem; }
.get { color: light-dark(#05603a, #6ce9a6); } .post { color: light-dark(#1849a9, #84caff); }
.put, .patch { color: light-dark(#93370d, #fec84b); } .delete { color: light-dark(#b42318, #fda29b); }
pre, code { font: .85rem/1.45 ui-monospace, monospace; }
pre { background: color-mix(in srgb, currentColor 7%, transparent); border-radius: .3rem; overflow: auto; max-height: 28rem; padding: .6rem; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; } td:first-child { max-width: 12rem; } td { padding: .2rem .75rem .2rem 0; vertical-align: top; }
:focus-visible { outline: 2px solid; outline-offset: 2px; }
@media print { details { border: 0 } }
`;
