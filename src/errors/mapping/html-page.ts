// Error pages of proxies, load balancers and content networks. They are prose for people; what can be relied
// on is the status in the title or the first heading. Tags, scripts, styles and comments are dropped.

export type Page = { readonly status: number | undefined; readonly text: string };

export function isHtml(text: string): boolean {
  return /^<(?:!doctype|html|head|title|body|center|h1|\?xml|!--)/i.test(text);
}

export function readHtml(html: string): Page {
  const text = withoutTags(html);
  const status = /\b[45]\d\d\b/.exec(text.slice(0, HEADLINE_LENGTH))?.[0];
  return { status: status === undefined ? undefined : Number(status), text };
}

// The title and the first heading of every page seen fit in here; figures further down are ray ids.
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

/** Where the markup that opens here is over: the tag, the comment, or the whole script. */
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
