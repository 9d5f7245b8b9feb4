// The report of an import: as text for operators, as JSON for programs. Values of the peer's file are never shown, since
// any of them may be a secret.

import type { Finding, FindingStatus } from '../config/import/findings.ts';
import type { ImportResult } from '../config/import/import-peer.ts';
import type { Peer } from '../config/import/peers.ts';
import { toShell } from '../config/import/setup-commands.ts';
import { safeText } from './table.ts';

const STATUSES: readonly FindingStatus[] = ['taken', 'changed', 'left out', 'unknown'];

export type ImportReport = {
  readonly peer: Peer;
  readonly fileName: string;
  /** The written file, or `-`. */
  readonly out: string;
  readonly result: ImportResult;
  /** Targets that are refused because their price is not known. */
  readonly unpriced: readonly string[];
};

export function importAsText({ peer, fileName, out, result, unpriced }: ImportReport): string {
  const { findings, variables, commands } = result;
  const counts = STATUSES.map((status) => `${countOf(findings, status)} ${status}`).join(', ');
  const parts = [
    findings.map(toLine).join('\n'),
    `${fileName} (${peer}): ${counts}.`,
    ...(out === '-' ? [] : [`${out} is written.`]),
    ...section(
      'Set these variables; no key was copied',
      variables.map(({ name, path, source }) => `  ${name}  ${SOURCES[source]} ${path}`),
    ),
    ...section(
      'Create the organisations and keys, beside the running server or before its start',
      commands.map((command) => `  ${toShell(command)}`),
    ),
    ...section(
      'Set prices.models for these targets; without a price their calls are refused',
      unpriced.map((target) => `  ${target}`),
    ),
    DEFAULTS,
  ];
  return safeLines(parts.join('\n\n'));
}

export function importAsJson({ peer, fileName, out, result, unpriced }: ImportReport): string {
  const { findings, variables, commands } = result;
  const counts = Object.fromEntries(STATUSES.map((status) => [status, countOf(findings, status)]));
  const report = { peer, file: fileName, out, counts, findings, variables, commands, unpriced };
  return JSON.stringify(report, null, 2);
}

const SOURCES = {
  reference: 'named by',
  literal: 'the key that is written in',
  vault: "the key in the gateway's vault for",
} as const;

const DEFAULTS =
  'Defaults of Spillway apply where the file sets nothing: an organisation has 100 US dollars a month and 100 requests\n' +
  'a minute, an account of Anthropic 400, of Gemini 500, of OpenAI 5000 and of any other provider 1000 requests a minute.';

function toLine({ line, path, status, to, reason }: Finding): string {
  const arrow = to === undefined ? '' : ` → ${to}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${String(line).padStart(5)}  ${status.padEnd(8)}  ${path === '' ? 'the file' : path}${arrow}${why}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:\n${lines.join('\n')}`];
}

function countOf(findings: readonly Finding[], status: FindingStatus): number {
  return findings.filter((finding) => finding.status === status).length;
}

/** Paths contain names of the file, which must not move the cursor. */
function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}
