// The cells as text for the terminal, and as the tables of docs/clients.md.

import type { Failure } from './failures.ts';
import { defectsOf } from './judge.ts';
import type { Cell, Side } from './measure-cell.ts';
import type { Results } from './stored-results.ts';

const MAX_TEXT = 150;

export function reportText({ cells, longAnswers, compactions }: Results): string {
  return [
    ...cells.map(cellText),
    ...(cells.length === 0
      ? []
      : [`${cells.length} cells, ${worseOf(cells).length} worse than direct`]),
    ...longAnswers.map(({ client, kind, expectedSeconds, seconds, calls, isWhole, text }) => {
      const mark = isWhole ? '✔' : `✖ ${text}`;
      return `${mark} ${kind} of ${expectedSeconds} s × ${client}: ${seconds.toFixed(1)} s, calls: ${calls}`;
    }),
    ...compactions.map(({ client, side, requests, hasCompacted }) => {
      const sent = requests.map(({ bytes, status }) => `${bytes} bytes → ${status}`).join(', ');
      return `${hasCompacted ? '✔' : '✖'} compaction × ${client}, ${side}: ${sent}`;
    }),
  ].join('\n');
}

/** The measurements that fail the command. */
export function failuresIn({ cells, longAnswers, compactions }: Results): readonly string[] {
  return [
    ...worseOf(cells).map(({ client, failure }) => `${failure} × ${client}`),
    ...longAnswers
      .filter(({ isWhole }) => !isWhole)
      .map(({ client, kind, expectedSeconds }) => `${kind} of ${expectedSeconds} s × ${client}`),
    ...compactions
      .filter(({ hasCompacted }) => !hasCompacted)
      .map(({ client, side }) => `compaction × ${client}, ${side}`),
  ];
}

function worseOf(cells: readonly Cell[]): readonly Cell[] {
  return cells.filter((cell) => defectsOf(cell).length > 0);
}

function cellText(cell: Cell): string {
  const defects = defectsOf(cell);
  const mark = defects.length === 0 ? '✔' : '✖';
  const both = `direct ${plain(cell, cell.direct)} | Spillway ${plain(cell, cell.gateway)}`;
  const why = defects.length === 0 ? '' : `\n    ${defects.join('; ')}`;
  return `${mark} ${cell.failure} × ${cell.client}: ${both}${why}`;
}

export function section({ name, about }: Failure, rows: readonly Cell[]): string {
  const lines = rows.map((cell) => {
    const defects = defectsOf(cell);
    const verdict = defects.length === 0 ? '✔' : `✖ ${defects.join('; ')}`;
    return `| ${cell.client} | ${shown(cell, cell.direct)} | ${shown(cell, cell.gateway)} | ${escape(verdict)} |`;
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

function shown(cell: Cell, side: Side): string {
  return `${escape(seen(side))} · ${figures(cell, side)}`;
}

function plain(cell: Cell, side: Side): string {
  return `${seen(side)} · ${figures(cell, side)}`;
}

function figures(
  { requests = 1, kind }: Cell,
  { seconds, secondsSinceAnswer, calls }: Side,
): string {
  const isLater = kind === 'agent' && secondsSinceAnswer !== undefined;
  const since = isLater ? ` (${secondsSinceAnswer.toFixed(1)} s after the first answer)` : '';
  const count = calls === 1 ? '1 call' : `${calls} calls`;
  const asked = requests === 1 ? '' : ` for ${requests} requests`;
  return `${seconds.toFixed(1)} s${since} · ${count}${asked}`;
}

function seen({ outcome, errorClass, text }: Side): string {
  if (outcome === 'answer') return /incomplete/.test(text) ? 'answer, incomplete' : 'answer';
  const head = outcome === 'waiting' ? 'waiting' : (errorClass ?? 'error');
  return `${head}: ${text.replaceAll(/\s+/g, ' ').slice(0, MAX_TEXT)}`;
}

/** A table cell: ids and addresses of a run would change with every run. */
export function escape(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\b(?:req|msg)_[0-9a-zA-Z]+/g, 'req_…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1');
}
