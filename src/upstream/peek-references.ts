// What a request refers to but does not carry: a stored conversation, a file, a picture at an address. Its bytes say
// nothing of how much the provider will read for it, so the worst case has to add that. Found by name in the bytes,
// wherever it stands: a name that is only talked about costs a larger hold for a while and nothing else.

export type References = {
  /** Something of any length: as much as the model's window holds. */
  readonly isUnbounded: boolean;
  readonly pictures: number;
};

const NONE: References = Object.freeze({ isUnbounded: false, pictures: 0 });

const UNBOUNDED = [
  '"previous_response_id"',
  '"conversation"',
  '"file_id"',
  '"file_url"',
  '"fileUri"',
  '"file_uri"',
  '"cachedContent"',
  '"cached_content"',
].map((name) => Buffer.from(name));
const PICTURE = Buffer.from('"image_url"');
const ADDRESS = Buffer.from('"url"');
const DOCUMENT = Buffer.from('"document"');

export function peekReferences(body: Buffer): References {
  const addresses = count(body, ADDRESS);
  const isUnbounded =
    UNBOUNDED.some((name) => body.includes(name)) || (addresses > 0 && body.includes(DOCUMENT));
  const pictures = addresses + count(body, PICTURE);
  return isUnbounded || pictures > 0 ? { isUnbounded, pictures } : NONE;
}

function count(body: Buffer, name: Buffer): number {
  let found = 0;
  for (let at = body.indexOf(name); at >= 0; at = body.indexOf(name, at + name.length)) found += 1;
  return found;
}
