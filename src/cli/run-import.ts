// Turns the configuration of another gateway into spillway.yaml. Nothing is written unless the whole file was understood and
// the result loads.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { unpricedTargets } from '../app/inspect/unpriced-targets.ts';
import { showName } from '../config/config-error.ts';
import { type ImportResult, importPeer } from '../config/import/import-peer.ts';
import { MAX_PEER_FILE_BYTES, tooLarge } from '../config/import/parse-peer-file.ts';
import type { Peer } from '../config/import/peers.ts';
import { type CliContext, CliFailure, EXIT } from './command.ts';
import { importAsJson, importAsText } from './import-report.ts';

export type ImportOptions = {
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly model?: readonly string[];
};

export function runImport(
  context: CliContext,
  peer: Peer,
  file: string,
  options: ImportOptions,
): void {
  const fileName = showName(basename(file));
  const text = readPeerFile(resolve(context.cwd, file), fileName);
  const { env } = context;
  const result = importPeer({ peer, fileName, text, models: options.model ?? [], env });
  const toStdout = options.out === '-';
  if (!toStdout) write(resolve(context.cwd, options.out), options, result);
  const { out, json } = options;
  const shown = { peer, fileName, out, result, unpriced: unpricedTargets(result.config) };
  const report = json ? importAsJson(shown) : importAsText(shown);
  if (!toStdout) return context.out(report);
  context.out(result.yaml.trimEnd());
  context.err(report);
}

function readPeerFile(path: string, fileName: string): string {
  try {
    if (statSync(path).size > MAX_PEER_FILE_BYTES) throw tooLarge(fileName);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    if (cause instanceof TypeError)
      throw new CliFailure(`${fileName} is not a text in UTF-8.`, EXIT.usage, cause);
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    throw new CliFailure(`${fileName} cannot be read (${String(cause.code)}).`, EXIT.usage, cause);
  }
}

function write(path: string, options: ImportOptions, { yaml }: ImportResult): void {
  try {
    writeFileSync(path, yaml, { flag: options.force ? 'w' : 'wx' });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    const sentence =
      code === 'EEXIST'
        ? `${options.out} exists and was not changed; overwrite it with --force.`
        : `${options.out} cannot be written (${code}).`;
    throw new CliFailure(sentence, EXIT.usage, cause);
  }
}
