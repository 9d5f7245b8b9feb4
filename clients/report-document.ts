// docs/clients.md: the rules of the comparison, the cells by failure, the compactions and the long answers.

import type { Compaction } from './compaction.ts';
import type { Failure } from './failures.ts';
import { defectsOf } from './judge.ts';
import type { LongAnswer } from './long-answers.ts';
import type { Cell } from './measure-cell.ts';
import { escape, section } from './report.ts';
import type { Results } from './stored-results.ts';

export type ReportFacts = { readonly versions: readonly string[]; readonly timeLimitMs: number };

export function reportDocument(
  { cells, longAnswers, compactions }: Results,
  failures: readonly Failure[],
  facts: ReportFacts,
): string {
  const tables = failures.flatMap((failure) => {
    const rows = cells.filter((cell) => cell.failure === failure.name);
    return rows.length === 0 ? [] : [section(failure, rows)];
  });
  const sections = [
    introduction(facts),
    verdict(cells),
    ...(compactions.length === 0 ? [] : [compactionTable(compactions)]),
    ...(longAnswers.length === 0 ? [] : [longAnswerTable(longAnswers)]),
    ...tables,
  ];
  return `${sections.join('\n\n')}\n`;
}

function verdict(cells: readonly Cell[]): string {
  const worse = cells.flatMap((cell) => {
    const defects = defectsOf(cell);
    return defects.length === 0
      ? []
      : [`- ${cell.failure} × ${cell.client}: ${defects.join('; ')}`];
  });
  const count = `${cells.length} cells, ${worse.length} of them worse than direct`;
  return worse.length === 0 ? `${count}.` : [`${count}:`, '', ...worse].join('\n');
}

function introduction({ versions, timeLimitMs }: ReportFacts): string {
  return `# Clients on a failing provider

SDKs and command-line agents with their default retries and timeouts, against a failing provider (the simulator) and through
Spillway in front of the same provider. Written by \`npm run clients -- --write\`; do not edit.

<!-- not run: takes minutes and installs the clients -->
\`\`\`sh
npm run clients -- --write                         # every client and every failure, into this document
npm run clients -- --client Codex --failure budget # one cell; both options are repeatable
npm run clients -- --full                          # also failures that take minutes
npm run clients -- --compaction                    # agents with an overflowing context window
npm run clients -- --long                          # answers of 65 s, 5 minutes and 20 minutes
\`\`\`

Each cell shows what the user sees, the seconds until then, and the calls that the provider received. The rules:

- A cell is worse if an answer is lost, an SDK's error with an error status has another class, the provider gets more than
  1.2 times the calls, or the client takes longer than 1.5 times the direct time plus 3 s (6 s for an agent).
- An answer where direct fails is better, whatever time and calls it took. An empty answer without an error, which Google's
  clients return for refused content, is no answer. A subclass of the direct class is equal: the same \`catch\` receives it.
- @google/genai, google-genai and litellm make one attempt. Spillway adds one retry within 2.5 s, which turns a transient
  failure into an answer (throttle-once). They send ten different requests in a row, because the retry of a single request
  cannot stay under 1.2 times its calls; the seconds are the longest request's.
- The class is not compared for an agent, for a budget and for a refused key: the last two are Spillway's own, and an
  authentication error would blame the caller's key. In \`hang\` the calls are not compared: a direct client waits five
  to ten minutes for each attempt and Spillway two (ten for a reasoning model), so that the direct client has not made all of
  its calls within the time limit.
- "Waiting" means that the client was still trying after ${timeLimitMs / 1000} s (180 s in \`slow\`, 400 s in \`hang\`).

Where clients need another answer than the error table states, clients win:

- An overload is 529 in the Anthropic format (its SDKs have a class for it) and \`server_is_overloaded\` in the OpenAI formats,
  at which Codex stops.
- Codex and the requests of OpenAI's Python SDK (LlamaIndex) get no \`retry-after\` with \`x-should-retry: false\`, because they
  sleep for it without a message.
- Agents that retry every 5xx get 424 for a failure that no retry can fix, such as a refused key of Spillway's own. LiteLLM
  gets 400 for it and for a budget, because it takes any other status for a lost connection, and 500 for a failing provider.
- A Gemini usage limit of more than five minutes has no \`quotaId\` per day, so that Gemini CLI shows when it ends.${
    versions.length === 0 ? '' : `\n\nAgents: ${versions.join(', ')}.`
  }`;
}

function compactionTable(compactions: readonly Compaction[]): string {
  const rows = compactions.map(({ client, side, requests, hasCompacted, text }) => {
    const sent = requests.map(({ bytes, status, asksForSummary }) => {
      const about = asksForSummary ? ' asking for a summary' : '';
      return `${Math.round(bytes / 1000)} kB${about} → ${status}`;
    });
    const where = side === 'direct' ? 'direct' : 'through Spillway';
    const seen = escape(text.slice(0, 100));
    return `| ${client} | ${where} | ${sent.join('; ')} | ${seen} | ${hasCompacted ? '✔' : '✖'} |`;
  });
  return [
    '## Compaction',
    '',
    'Three turns of 100 kB each, then a turn that the provider refuses once because the context window overflows. An agent that',
    'compacts asks for a summary and sends its request again, shorter.',
    '',
    '| client | | requests of the fourth turn | last line | compacted |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function longAnswerTable(answers: readonly LongAnswer[]): string {
  const rows = answers.map(({ client, kind, expectedSeconds, seconds, calls, isWhole, text }) => {
    const verdict = isWhole ? '✔' : `✖ ${escape(text)}`;
    return `| ${client} | ${kind} | ${expectedSeconds} s | ${seconds.toFixed(1)} s | ${calls} | ${verdict} |`;
  });
  return [
    '## Long answers',
    '',
    'Healthy answers in real time, through Spillway with the configuration of `npm start`. The SDKs run with a timeout of 30',
    'minutes, set as their documentation says (for OpenAI’s and Anthropic’s JavaScript SDKs with the `fetch` of undici, because',
    'Node’s own waits five minutes for headers). Whole means that the text equals the provider’s.',
    '',
    '| client | | the provider takes | the client takes | provider calls | whole |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
