// Reads HTML error pages of proxies, load balancers and CDNs. The only reliable fact is the status in the
// title or the first heading. Tags, scripts, styles and comments are dropped.

export type Page = { readonly status: number | undefined; readonly text: string };

export function isHtml(text: string): boolean {
  return /^<(?:!doctype|html|head|title|body|center|h1|\?xml|!--)/i.test(text);
}

export function readHtml(html: string): Page {
  const text = withoutTags(html);
  const status = /\b[45]\d\d\b/.exec(text.slice(0, HEADLINE_LENGTH))?.[0];
  return { status: status === undefined ? undefined : Number(status), text };
}

// Covers the title and first heading of every recorded page; numbers further down are ray ids.
const HEADLINE_LENGTH = 120;

const HIDDEN = ['script', 'style', 'svg'];

function withoutTags(html: string): string {
  let text = '';
  for (let index = 0; index < html.length; ) {
    const open = html.indexOf('<', index);
    if (open === -1) return `${text} ${html.slice(index)}`.trim();
    text += `${html.slice(index, open)} `;
    index = endOfTag(html, open);
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The index after the markup that opens at `open`: a tag, a comment, or a whole script. */
function endOfTag(html: string, open: number): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open);
  const name = html.slice(open + 1, open + 7).toLowerCase();
  const hidden = HIDDEN.find((tag) => name.startsWith(tag));
  return after(html, hidden === undefined ? '>' : `</${hidden}>`, open);
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
}
