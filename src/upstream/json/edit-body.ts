// Replaces byte ranges of a request body. All other bytes stay unchanged. Pure.

export type BodyEdit = { readonly start: number; readonly end: number; readonly text: string };

/** The ranges must not overlap; their order is free. */
export function editBody(body: Buffer, edits: readonly BodyEdit[]): Buffer {
  if (edits.length === 0) return body;
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const { start, end, text } of [...edits].sort((one, other) => one.start - other.start)) {
    pieces.push(body.subarray(copied, start), Buffer.from(text));
    copied = end;
  }
  pieces.push(body.subarray(copied));
  return Buffer.concat(pieces);
}
