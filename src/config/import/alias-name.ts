// Turns a peer's name into a valid alias name: without spaces, and without a slash at the beginning or end.

/** The peer's name itself if it is a valid name. */
export function toAliasName(text: string): string {
  const name = text
    .trim()
    .replaceAll(/\s+/g, '-')
    .replace(/^\/+|\/+$/g, '')
    .slice(0, 128);
  return name === '' ? 'imported' : name;
}
