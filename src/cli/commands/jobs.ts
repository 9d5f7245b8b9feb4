// `spillway jobs`: queued work. `list` uses the admin API; `show` and `cancel` use the caller's API with
// SPILLWAY_API_KEY, which belongs to the organisation `default` unless it is set to another key.

import { z } from 'zod';
import { jobListQuery } from '../../http/routes/admin-jobs.ts';
import { type AdminOptions, type AdminRequest, withAdmin } from '../admin-client.ts';
import { adminCommand, readCount } from '../admin-options.ts';
import { rowsUpTo } from '../admin-pages.ts';
import type { CliContext, RegisterCommand } from '../command.ts';
import { readChoice } from '../read-choice.ts';
import { isoTime, renderTable, safeText } from '../table.ts';

type ListOptions = AdminOptions & {
  readonly org?: string;
  readonly status?: string;
  readonly limit: number;
};

/** The printed fields; `--json` prints all fields of the response. */
const jobView = z.looseObject({
  id: z.string(),
  status: z.string(),
  organizationId: z.string().optional(),
  provider: z.string().nullish(),
  model: z.string().nullish(),
  priority: z.number().optional(),
  attempts: z.number().optional(),
  createdAt: z.number().nullish(),
  startedAt: z.number().nullish(),
  finishedAt: z.number().nullish(),
  estimatedStartAt: z.number().nullish(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullish(),
  waitingFor: z.looseObject({ message: z.string() }).nullish(),
});

type JobView = z.infer<typeof jobView>;

export const registerJobs: RegisterCommand = (program, context) => {
  const jobs = program.command('jobs').description('List, show and cancel jobs');
  adminCommand(jobs, 'list', 'List jobs, newest first')
    .option('--org <id>', 'only of this organisation')
    .option(
      '--status <status>',
      'queued, delayed, running, succeeded, failed, cancelled or expired',
      readChoice(jobListQuery.shape.status.unwrap().options),
    )
    .option('--limit <number>', 'the maximum number of jobs', readCount, 50)
    .action((options: ListOptions) => list(context, options));
  adminCommand(jobs, 'show <id>', 'Show one job').action((id: string, options: AdminOptions) =>
    one(context, { method: 'GET', ...jobAt(id) }, options, describe),
  );
  adminCommand(jobs, 'cancel <id>', 'Cancel a waiting or running job').action(
    (id: string, options: AdminOptions) =>
      one(
        context,
        { method: 'DELETE', ...jobAt(id) },
        options,
        (job) => `${job.id} is ${job.status}.`,
      ),
  );
};

async function list(context: CliContext, options: ListOptions): Promise<void> {
  const { org, status, limit } = options;
  const query = new URLSearchParams({
    ...(org !== undefined && { org }),
    ...(status !== undefined && { status }),
  });
  await withAdmin(context, options, async (admin) => {
    const errorTexts = org === undefined ? {} : { NOT_FOUND: `There is no organisation ${org}.` };
    const path = query.size === 0 ? '/admin/jobs' : `/admin/jobs?${query.toString()}`;
    const jobs = await rowsUpTo(admin, jobView, path, limit, { errorTexts });
    if (options.json) return context.out(JSON.stringify(jobs, null, 2));
    const { data } = jobs;
    context.out(data.length === 0 ? 'There are no such jobs.' : table(data));
  });
}

async function one(
  context: CliContext,
  request: AdminRequest,
  options: AdminOptions,
  say: (job: JobView) => string,
): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const answer = await admin.call(request);
    context.out(options.json ? JSON.stringify(answer, null, 2) : say(jobView.parse(answer)));
  });
}

function jobAt(id: string) {
  const errorTexts = {
    NOT_FOUND: `The organisation of the key has no job ${id}.`,
  };
  return { path: `/v1/jobs/${encodeURIComponent(id)}`, isCaller: true, errorTexts } as const;
}

function table(jobs: readonly JobView[]): string {
  const rows = jobs.map((job) => [
    job.id,
    job.organizationId,
    job.status,
    job.provider,
    job.attempts,
    isoTime(job.createdAt),
    job.error?.code,
  ]);
  return renderTable(['ID', 'ORG', 'STATUS', 'PROVIDER', 'ATTEMPTS', 'CREATED', 'ERROR'], rows);
}

function describe(job: JobView): string {
  const lines: [string, string | number | null | undefined][] = [
    ['status', job.status],
    ['why', job.error?.message ?? job.waitingFor?.message],
    ['provider', job.provider],
    ['model', job.model],
    ['priority', job.priority],
    ['attempts', job.attempts],
    ['created', isoTime(job.createdAt)],
    ['expected', isoTime(job.estimatedStartAt)],
    ['started', isoTime(job.startedAt)],
    ['finished', isoTime(job.finishedAt)],
  ];
  const known = lines.filter(([, value]) => value !== undefined && value !== null && value !== '-');
  return [
    safeText(job.id),
    ...known.map(([name, value]) => `  ${name.padEnd(9)} ${safeText(String(value))}`),
  ].join('\n');
}
