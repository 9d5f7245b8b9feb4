// Headers as `writeHead` takes them, names and values in turn, read as pairs.

export function* headerPairs(headers: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < headers.length; at += 2)
    yield [headers[at] ?? '', headers[at + 1] ?? ''];
}
