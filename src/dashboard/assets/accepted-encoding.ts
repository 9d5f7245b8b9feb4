// The choice of a compressed copy by the header `accept-encoding` (RFC 9110, 12.5.3): Brotli before gzip before none, as far
// as the browser accepts them. `q=0` refuses an encoding.

import type { Asset, Encoding } from './asset-folder.ts';

const PREFERENCE: readonly Encoding[] = ['br', 'gzip'];

export function chooseEncoding(header: string | undefined, bytes: Asset['bytes']): Encoding {
  const accepted = new Set(
    (header ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => part.trim().split(';', 2))
      .filter(([, quality = '']) => !/^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(quality))
      .map(([name = '']) => name.trim()),
  );
  const found = PREFERENCE.find((encoding) => accepted.has(encoding) && bytes[encoding]);
  return found ?? 'identity';
}
