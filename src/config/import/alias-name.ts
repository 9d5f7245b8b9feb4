// The names of aliases: without spaces, and not beginning or ending with a slash.

/** The peer's name itself if it is a valid name. */
export function toAliasName(text: string): string {
  const name = text
    .trim()
    .replaceAll(/\s+/g, '-')
    .replace(/^\/+|\/+$/g, '')
    .slice(0, 128);
  return name === '' ? 'imported' : name;
}
