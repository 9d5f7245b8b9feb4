// `spillway dlq`: dead letters, the jobs and messages that are not tried again without an operator.

import { z } from 'zod';
import { type AdminApi, type AdminOptions, withAdmin } from '../admin-client.ts';
import { adminCommand } from '../admin-options.ts';
import { allRows, asList } from '../admin-pages.ts';
import { type CliContext, CliFailure, EXIT, type RegisterCommand } from '../command.ts';
import { isoTime, renderTable, safeText } from '../table.ts';

type EndOptions = AdminOptions & { readonly all?: boolean };

const letterView = z.looseObject({
  id: z.string(),
  jobId: z.string().nullish(),
  organizationId: z.string().nullish(),
  queue: z.string(),
  /** Absent from a summary. */
  body: z.string().optional(),
  errorCode: z.string(),
  errorMessage: z.string(),
  attempts: z.number(),
  createdAt: z.number(),
});

type Letter = z.infer<typeof letterView>;

export const registerDlq: RegisterCommand = (program, context) => {
  const dlq = program.command('dlq').description('List, retry and purge dead letters');
  adminCommand(dlq, 'list', 'List dead letters, oldest first').action((options: AdminOptions) =>
    list(context, options),
  );
  adminCommand(dlq, 'show <id>', 'Show one dead letter and its message').action(
    (id: string, options: AdminOptions) => show(context, id, options),
  );
  adminCommand(dlq, 'retry [id]', 'Retry a dead letter with a full set of attempts')
    .option('--all', 'all dead letters')
    .action((id: string | undefined, options: EndOptions) => retry(context, id, options));
  adminCommand(dlq, 'purge [id]', 'Delete a dead letter')
    .option('--all', 'all dead letters')
    .action((id: string | undefined, options: EndOptions) => purge(context, id, options));
};

async function list(context: CliContext, options: AdminOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const letters = await lettersOf(admin, options.json ? {} : { fields: 'summary' });
    if (options.json) return context.out(asList(letters));
    context.out(letters.length === 0 ? 'There are no dead letters.' : table(letters));
  });
}

async function show(context: CliContext, id: string, options: AdminOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const letter = (await lettersOf(admin, { q: id })).find((each) => each.id === id);
    if (!letter) throw new CliFailure(unknown(id).NOT_FOUND);
    context.out(options.json ? JSON.stringify(letter, null, 2) : describe(letter));
  });
}

async function retry(
  context: CliContext,
  id: string | undefined,
  options: EndOptions,
): Promise<void> {
  const which = choose(id, options);
  await withAdmin(context, options, async (admin) => {
    const path = which === 'all' ? '/admin/dlq/retry-all' : `${letterAt(which.id)}/retry`;
    const errorTexts = which === 'all' ? {} : unknown(which.id);
    const answer = await admin.call({ method: 'POST', path, errorTexts });
    const { retried } = z.object({ retried: z.number() }).parse(answer);
    print(context, options, { retried }, `Retried: ${retried}.`);
  });
}

async function purge(
  context: CliContext,
  id: string | undefined,
  options: EndOptions,
): Promise<void> {
  const which = choose(id, options);
  await withAdmin(context, options, async (admin) => {
    const ids = which === 'all' ? await idsOf(admin) : [which.id];
    for (const each of ids)
      await admin.call({ method: 'DELETE', path: letterAt(each), errorTexts: unknown(each) });
    print(context, options, { purged: ids.length }, `Purged: ${ids.length}.`);
  });
}

/** Either an id or --all, not both. */
function choose(id: string | undefined, { all }: EndOptions): 'all' | { readonly id: string } {
  if (id !== undefined && !all) return { id };
  if (id === undefined && all) return 'all';
  throw new CliFailure('Give the id of one dead letter, or --all.', EXIT.usage);
}

function lettersOf(
  admin: AdminApi,
  query: { readonly fields?: 'summary'; readonly q?: string },
): Promise<Letter[]> {
  return allRows(admin, letterView, `/admin/dlq?${new URLSearchParams(query).toString()}`);
}

async function idsOf(admin: AdminApi): Promise<readonly string[]> {
  return (await lettersOf(admin, { fields: 'summary' })).map(({ id }) => id);
}

function letterAt(id: string): string {
  return `/admin/dlq/${encodeURIComponent(id)}`;
}

function unknown(id: string): { readonly NOT_FOUND: string } {
  return { NOT_FOUND: `There is no dead letter ${id}.` };
}

function print(context: CliContext, options: AdminOptions, answer: object, sentence: string): void {
  context.out(options.json ? JSON.stringify(answer) : sentence);
}

function table(letters: readonly Letter[]): string {
  const rows = letters.map((letter) => [
    letter.id,
    letter.organizationId,
    letter.queue,
    letter.errorCode,
    letter.attempts,
    isoTime(letter.createdAt),
  ]);
  return renderTable(['ID', 'ORG', 'QUEUE', 'ERROR', 'ATTEMPTS', 'SINCE'], rows);
}

function describe(letter: Letter): string {
  const lines = [
    `  since     ${isoTime(letter.createdAt)}`,
    `  org       ${letter.organizationId ?? '-'}`,
    `  queue     ${letter.queue}`,
    `  error     ${letter.errorCode}: ${letter.errorMessage}`,
    `  attempts  ${letter.attempts}`,
    `  message   ${letter.body ?? ''}`,
  ];
  return [letter.id, ...lines].map(safeText).join('\n');
}
