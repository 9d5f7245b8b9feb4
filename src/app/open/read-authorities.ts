// Reads the certificate authorities of a file that a setting names. A list of authorities replaces Node's own, so the
// result has both.

import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { ConfigError } from '../../config/config-error.ts';

/** `variable` names the setting in the error message. */
export function readAuthorities(variable: string, path: string): readonly string[] {
  const pem = readPem(variable, path);
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`${variable} (${path}) contains no PEM certificate.`);
  return [...getCACertificates('default'), pem];
}

function readPem(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new ConfigError(`${variable} (${path}) cannot be read (${reason}).`, { cause });
  }
}
