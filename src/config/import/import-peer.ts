// Imports the configuration of another gateway: the text of its file → spillway.yaml, the commands that create
// organisations and keys, the variables to set, and a finding for every value of the file. The result is loaded once
// with Spillway's own loader, so that an import never writes a file that the server refuses.

import { stringify } from 'yaml';
import type { Config } from '../config.ts';
import { loadFrom } from '../load-config.ts';
import { sourcesFrom } from '../sources.ts';
import { readBifrost } from './bifrost/read-bifrost.ts';
import { Credentials, type ImportedVariable, type ReadReference } from './credentials.ts';
import { Draft } from './draft.ts';
import { type Finding, Findings } from './findings.ts';
import type { ImportContext } from './import-context.ts';
import { readLitellm } from './litellm/read-litellm.ts';
import { parsePeerFile } from './parse-peer-file.ts';
import { PeerMap } from './peer-map.ts';
import { leavesOf } from './peer-node.ts';
import type { Peer } from './peers.ts';
import { readPortkey } from './portkey/read-portkey.ts';
import { type SetupCommand, setupCommands } from './setup-commands.ts';

export type PeerFile = {
  readonly peer: Peer;
  /** Without folders, for messages. */
  readonly fileName: string;
  readonly text: string;
  /** The model names that callers send, for a Portkey config that leaves the model to its callers. */
  readonly models?: readonly string[];
  /** For addresses that the file names by a variable. Secrets are never looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

export type ImportResult = {
  readonly yaml: string;
  /** The result as a server would load it, with placeholders for the keys. */
  readonly config: Config;
  readonly findings: readonly Finding[];
  readonly variables: readonly ImportedVariable[];
  readonly commands: readonly SetupCommand[];
};

type PeerReader = {
  readonly read: (root: PeerMap, context: ImportContext) => void;
  readonly readReference: ReadReference;
};

const READERS: Readonly<Record<Peer, PeerReader>> = {
  litellm: { read: readLitellm, readReference: (text) => /^os\.environ\/(.+)$/.exec(text)?.[1] },
  portkey: { read: readPortkey, readReference: readPlaceholder },
  bifrost: { read: readBifrost, readReference: (text) => /^env\.(.+)$/.exec(text)?.[1] },
};

/** Portkey has no references to variables; templates contain `${NAME}`, and examples the bare name `OPENAI_API_KEY`. */
function readPlaceholder(text: string): string | undefined {
  return /^\$\{?(\w+)\}?$/.exec(text)?.[1] ?? /^[A-Z][A-Z0-9_]*_KEY$/.exec(text)?.[0];
}

export function importPeer(file: PeerFile): ImportResult {
  const { peer, fileName, text, models = [], env = {} } = file;
  const { read, readReference } = READERS[peer];
  const root = parsePeerFile(fileName, text);
  const [findings, draft] = [new Findings(), new Draft()];
  const texts = leavesOf(root).flatMap(({ scalar }) =>
    typeof scalar === 'string' ? [scalar] : [],
  );
  const credentials = new Credentials(readReference, texts);
  read(new PeerMap(root, findings), {
    findings,
    draft,
    credentials,
    fileName,
    models,
    lookUp: (variable) => env[variable],
  });
  findings.complete(root);
  priceKeylessProviders(draft);
  const yaml = toYaml(peer, fileName, draft);
  const variables = credentials.list();
  const config = load(yaml, variables);
  return { yaml, config, findings: findings.list(), variables, commands: setupCommands(draft) };
}

/** A server without a key charges nothing, and Spillway refuses models without a price. */
function priceKeylessProviders(draft: Draft): void {
  for (const { name, apiKey } of draft.providers.values())
    if (apiKey === 'none')
      draft.setNamed('prices.models', `${name}/*`, { inputUsd: 0, outputUsd: 0 });
}

function toYaml(peer: Peer, fileName: string, draft: Draft): string {
  const name = fileName.replaceAll(/[^\w.-]/g, '-');
  const heading = `# Imported from ${name} (${peer}) by spillway import.\n\n`;
  return heading + stringify(draft.toFile(), { lineWidth: 120, aliasDuplicateObjects: false });
}

/** Throws ConfigError. Each variable gets a different value, because two accounts with one key are refused. */
function load(yaml: string, variables: readonly ImportedVariable[]): Config {
  const env = Object.fromEntries(variables.map(({ name }) => [name, `key-of-${name}`]));
  const configFile = { path: 'spillway.yaml', text: yaml };
  return loadFrom(sourcesFrom({ env, cwd: '/', configFile })).config;
}
