// `data:` URLs, in which OpenAI's formats carry the bytes of images and files.

import type { MediaSource } from './neutral-request.ts';

/** Longer lists of options are cut: splitting millions of options would block the process. */
const MAX_HEAD = 1000;

/** Undefined for any other URL. */
export function readDataUrl(url: string): MediaSource | undefined {
  if (!url.startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  const headEnd = comma === -1 ? MAX_HEAD : Math.min(comma, MAX_HEAD);
  const [mediaType = '', ...options] = url.slice('data:'.length, headEnd).split(';');
  const payload = url.slice(comma + 1);
  const data = options.includes('base64') ? payload : encoded(payload);
  return { kind: 'base64', mediaType: mediaType === '' ? 'text/plain' : mediaType, data };
}

/** The URL of a source, for formats that have one field for both. */
export function toUrl(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function encoded(payload: string): string {
  try {
    return Buffer.from(decodeURIComponent(payload)).toString('base64');
  } catch {
    return Buffer.from(payload).toString('base64');
  }
}
