// The table of all cells, for the terminal and for docs/clients.md.

import type { Failure } from './failures.ts';
import { defectsOf } from './judge.ts';
import type { Cell, Side } from './measure-cell.ts';

const MAX_TEXT = 150;

export function reportText(cells: readonly Cell[]): string {
  const lines = cells.map((cell) => {
    const defects = defectsOf(cell);
    const mark = defects.length === 0 ? '✔' : '✖';
    const both = `direct ${plain(cell.direct)} | Spillway ${plain(cell.gateway)}`;
    const why = defects.length === 0 ? '' : `\n    ${defects.join('; ')}`;
    return `${mark} ${cell.failure} × ${cell.client}: ${both}${why}`;
  });
  const worse = cells.filter((cell) => defectsOf(cell).length > 0).length;
  return [...lines, `${cells.length} cells, ${worse} worse than direct`].join('\n');
}

export type ReportFacts = { readonly versions: readonly string[]; readonly timeLimitMs: number };

export function reportDocument(
  cells: readonly Cell[],
  failures: readonly Failure[],
  { versions, timeLimitMs }: ReportFacts,
): string {
  const sections = failures.flatMap((failure) => {
    const rows = cells.filter((cell) => cell.failure === failure.name);
    return rows.length === 0 ? [] : [section(failure, rows)];
  });
  const worse = cells.filter((cell) => defectsOf(cell).length > 0).length;
  return `${introduction(versions, timeLimitMs)}
${cells.length} cells, ${worse} of them worse than direct.

${sections.join('\n\n')}
`;
}

function introduction(versions: readonly string[], timeLimitMs: number): string {
  return `# Clients on a failing provider

SDKs and command-line agents with their default retries and timeouts, against a failing provider (the simulator) and through
Spillway in front of the same provider. Written by \`npm run clients -- --write\`; do not edit.

<!-- not run: takes minutes and installs the clients -->
\`\`\`sh
npm run clients -- --write                         # every client and every failure, into this document
npm run clients -- --client Codex --failure budget # one cell; both options are repeatable
npm run clients -- --full                          # also failures that take minutes
\`\`\`

Each cell shows what the user sees, the seconds until then, and the calls that the provider received. A cell is worse if an
answer is lost, an SDK's error with an error status has another class, the provider gets more than 1.2 times the calls, or
the client takes longer than 1.5 times the direct time plus 3 s (6 s for an agent). Not counted: the class of an agent's error,
the class of a budget refusal, a subclass of the direct class, and calls or time of an answer where direct fails. "Waiting" means that the client was still trying after ${timeLimitMs / 1000} s.
${versions.length === 0 ? '' : `\nAgents: ${versions.join(', ')}.\n`}`;
}

function section({ name, about }: Failure, rows: readonly Cell[]): string {
  const lines = rows.map((cell) => {
    const defects = defectsOf(cell);
    const verdict = defects.length === 0 ? '✔' : `✖ ${defects.join('; ')}`;
    return `| ${cell.client} | ${shown(cell.direct)} | ${shown(cell.gateway)} | ${escape(verdict)} |`;
  });
  return [
    `## ${name}`,
    '',
    `${about[0]?.toUpperCase()}${about.slice(1)}.`,
    '',
    '| client | direct | through Spillway | |',
    '|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function shown(side: Side): string {
  return `${escape(seen(side))} · ${side.seconds.toFixed(1)} s · ${countOf(side.calls)}`;
}

function plain(side: Side): string {
  return `${seen(side)} · ${side.seconds.toFixed(1)} s · ${countOf(side.calls)}`;
}

function countOf(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`;
}

function seen({ outcome, errorClass, text }: Side): string {
  if (outcome === 'answer') return /incomplete/.test(text) ? 'answer, incomplete' : 'answer';
  const head = outcome === 'waiting' ? 'waiting' : (errorClass ?? 'error');
  return `${head}: ${text.replaceAll(/\s+/g, ' ').slice(0, MAX_TEXT)}`;
}

/** A table cell: ids and addresses of a run would change with every run. */
function escape(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\b(?:req|msg)_[0-9a-zA-Z]+/g, 'req_…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1');
}
