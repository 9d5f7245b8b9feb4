// Request records that all servers share, so that any gateway finds the records of requests that other gateways served
// and of jobs that workers ran. Written behind: an addition goes to this process's own records first and to Redis in
// the background. Beyond a number of writes in flight, and while Redis is unavailable, additions stay in this process
// only.

import type {
  RequestOwner,
  RequestRecord,
  RequestRecords,
} from '../../../upstream/request-records.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { runScript } from '../connection/redis-script.ts';
import { wellFormedJson } from '../well-formed-json.ts';
import { decodeRecord } from './record-fields.ts';
import { ADD_TO_RECORD } from './record-script.ts';

export type RedisRequestRecordsParts = {
  readonly link: RedisLink;
  readonly keyPrefix: string;
  /** The records of this process. */
  readonly local: RequestRecords;
  readonly bounds?: Partial<SharedRecordBounds>;
};

export type SharedRecordBounds = {
  readonly records: number;
  readonly characters: number;
  readonly attemptsPerRecord: number;
  readonly retentionMs: number;
};

const DEFAULTS: SharedRecordBounds = {
  records: 5000,
  characters: 32_000_000,
  attemptsPerRecord: 16,
  retentionMs: 86_400_000,
};
const SHARE_WITHOUT_ATTEMPT = 4;
const MAX_WRITES_IN_FLIGHT = 200;

type Addition = {
  readonly field: 'attempt' | 'answer' | 'partial';
  readonly value: unknown;
  readonly attemptId?: string;
};

export function createRedisRequestRecords(parts: RedisRequestRecordsParts): RequestRecords {
  const { link, local } = parts;
  const bounds = { ...DEFAULTS, ...parts.bounds };
  const prefix = `${parts.keyPrefix}requests:`;
  const recordKey = (id: string) => `${prefix}record:${id}`;
  const attemptsKey = `${prefix}attempts`;
  const writes = new Set<Promise<void>>();

  async function write(owner: RequestOwner, { field, value, attemptId = '' }: Addition) {
    const { id } = owner;
    const shelves = [`${prefix}attempted`, `${prefix}refused`];
    const keys = [recordKey(id), ...shelves, attemptsKey, `${prefix}sizes`, `${prefix}bytes`];
    const { records, characters, attemptsPerRecord, retentionMs } = bounds;
    const refused = Math.ceil(records / SHARE_WITHOUT_ATTEMPT);
    const limits = [attemptsPerRecord, records, refused, characters, retentionMs];
    const texts = [field, id, JSON.stringify(owner), wellFormedJson(value), attemptId];
    await link.runInBackground((redis) =>
      runScript(redis, ADD_TO_RECORD, keys, [...texts, ...limits, recordKey('')]),
    );
  }

  function add(owner: RequestOwner, addition: Addition): void {
    if (!link.isUp() || writes.size >= MAX_WRITES_IN_FLIGHT) return;
    // A lost write costs other servers a diagnostic; this process has the record.
    const written = write(owner, addition)
      .catch(() => {})
      .finally(() => void writes.delete(written));
    writes.add(written);
  }

  async function findShared(id: string): Promise<RequestRecord | undefined> {
    const fields = await link.run((redis) => redis.hgetall(recordKey(id)));
    if (fields['owner'] !== undefined) return decodeRecord(fields);
    const requestId = await link.run((redis) => redis.hget(attemptsKey, id));
    if (requestId === null) return undefined;
    return decodeRecord(await link.run((redis) => redis.hgetall(recordKey(requestId))));
  }

  return {
    failed(owner, attempt) {
      local.failed(owner, attempt);
      add(owner, { field: 'attempt', value: attempt, attemptId: attempt.id });
    },
    answered(owner, error, reason) {
      local.answered(owner, error, reason);
      const { diagnostics: _never, ...kept } = error;
      add(owner, { field: 'answer', value: { error: kept, reason } });
    },
    cut(owner, partial) {
      local.cut(owner, partial);
      add(owner, { field: 'partial', value: partial });
    },
    async find(id) {
      const [own, shared] = await Promise.all([
        local.find(id),
        findShared(id).catch(() => undefined),
      ]);
      if (!own || !shared) return shared ?? own;
      // The latest additions of this process may still be in flight.
      return own.attempts.length > shared.attempts.length ? own : { ...own, ...shared };
    },
    async flush() {
      await Promise.all(writes);
    },
  };
}
