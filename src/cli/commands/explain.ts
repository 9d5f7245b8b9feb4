// `spillway explain`: maps a pasted error to its code, reason, retry advice and public sentence. With --corpus it maps
// and scores a file of recorded failures. It needs no server and no configuration.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { ERROR_TABLE } from '../../errors/codes.ts';
import { isTimeZone } from '../../errors/locale.ts';
import { type ExplainedVerdict, explainProviderError } from '../../errors/map-provider-error.ts';
import { renderError } from '../../errors/render-error.ts';
import { type CorpusScore, mapLine, scoreCorpus, type Tally } from '../../errors/score-corpus.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type CliContext, CliFailure, EXIT, type RegisterCommand } from '../command.ts';

type ExplainOptions = {
  readonly locale: string;
  readonly timeZone?: string;
  readonly status?: number;
  readonly header: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly corpus?: string;
  readonly json?: boolean;
};

export const registerExplain: RegisterCommand = (program, context) => {
  describe(program).action(async (text: string | undefined, options: ExplainOptions) => {
    if (options.corpus === undefined) await explainOne(text, options, context);
    else explainCorpus(options.corpus, options, context);
  });
};

function describe(program: Command): Command {
  return program
    .command('explain')
    .description('Explain an error: code, reason, retry advice and public sentence')
    .argument('[text]', 'the error text; default: standard input')
    .option('--status <number>', 'HTTP status of the response', statusOf)
    .option('--header <name:value>', 'a header of the response; repeatable', addHeader, [])
    .option('--body <text>', 'body of the response, or @file')
    .option('--locale <tag>', 'language of the sentence', 'en')
    .option(
      '--time-zone <zone>',
      'time zone of the sentence, and of clock times without a zone',
      zoneOf,
    )
    .option('--corpus <file>', 'map every line of a file of recorded failures')
    .option('--json', 'as JSON');
}

async function explainOne(
  text: string | undefined,
  options: ExplainOptions,
  context: CliContext,
): Promise<void> {
  const body = options.body === undefined ? undefined : contentOf(options.body, context);
  const failure = [text, body].filter((part) => part !== undefined).join('\n');
  const isGiven = failure !== '' || options.status !== undefined || options.header.length > 0;
  const input = isGiven || context.isStdinTerminal ? failure : await context.readStdin();
  if (!isGiven && input.trim() === '')
    throw new CliFailure(
      'Nothing to explain: give the error as text, with --body, or on standard input.',
      EXIT.usage,
    );
  const now = systemClock.now();
  const verdict = explainProviderError(input, {
    now,
    timeZone: options.timeZone,
    status: options.status,
    headers: options.header,
  });
  const message = renderError(verdict.code, verdict.params, { ...options, now });
  context.out(options.json ? asJson(verdict, message) : asText(verdict, message));
}

function asJson({ rule, ...verdict }: ExplainedVerdict, message: string): string {
  const { status } = ERROR_TABLE[verdict.code];
  return JSON.stringify({ ...verdict, status, rule, message }, null, 2);
}

function asText(verdict: ExplainedVerdict, message: string): string {
  const params = Object.entries(verdict.params).map(([name, value]) => `${name}=${value}`);
  return [
    `code      ${verdict.code} (${ERROR_TABLE[verdict.code].status})`,
    ...(params.length === 0 ? [] : [`params    ${params.join(' ')}`]),
    `why       ${verdict.rule}`,
    `retry     ${advice(verdict)}`,
    `sentence  ${message}`,
  ].join('\n');
}

function advice({ retryable, retryAfterMs, resetAt }: ExplainedVerdict): string {
  const answer = retryable ? 'yes' : 'no';
  const delay = retryAfterMs === undefined ? '' : `, after ${retryAfterMs} ms`;
  const reset =
    resetAt === undefined ? '' : `, the limit resets at ${new Date(resetAt).toISOString()}`;
  return `${answer}${delay}${reset}`;
}

// No `now` here: the file does not contain the time of each failure, so clock times stay unresolved.
function explainCorpus(file: string, options: ExplainOptions, context: CliContext): void {
  const lines = parseLines(readText(file, context), file);
  const results = lines.map((line) => mapLine(line, { timeZone: options.timeZone }));
  for (const result of results) context.out(JSON.stringify(result));
  const score = scoreCorpus(lines, results);
  if (score === undefined) return;
  if (options.json) context.err(scoreText(score));
  else context.out(scoreText(score));
}

function parseLines(text: string, file: string): object[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    // `trim` removes the byte order mark that some editors write.
    const parsed = parseJson(line.trim());
    if (typeof parsed === 'object' && parsed !== null) return [parsed];
    throw new CliFailure(`Line ${index + 1} of ${file} is not a JSON object.`);
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function scoreText({ scored, misses, ...score }: CorpusScore): string {
  const share = (count: number) =>
    `${count} of ${scored} (${((100 * count) / scored).toFixed(1)} %)`;
  const exact = ({ exact, stated }: Tally) => `${exact} of ${stated} exact`;
  return [
    `expected code      ${share(score.strict)}`,
    `or an accepted one ${share(score.lenient)}`,
    `retryable          ${share(score.retryable)}`,
    `stated delays      ${exact(score.delays)}`,
    `stated resets      ${exact(score.resets)}`,
    ...(misses.length === 0 ? ['no misses'] : ['misses', ...misses.map((miss) => `  ${miss}`)]),
  ].join('\n');
}

function contentOf(body: string, context: CliContext): string {
  return body.startsWith('@') ? readText(body.slice(1), context) : body;
}

function readText(file: string, context: CliContext): string {
  try {
    return readFileSync(resolve(context.cwd, file), 'utf8');
  } catch (cause) {
    throw new CliFailure(`${file} cannot be read.`, EXIT.failure, cause);
  }
}

function statusOf(text: string): number {
  const status = Number(text);
  if (Number.isInteger(status) && status >= 100 && status <= 599) return status;
  throw new InvalidArgumentError('It must be an HTTP status.');
}

function zoneOf(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError('It must be an IANA time zone such as Europe/Berlin.');
}

function addHeader(
  text: string,
  previous: readonly (readonly [string, string])[],
): (readonly [string, string])[] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new InvalidArgumentError('It must be name:value.');
  return [...previous, [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]];
}
