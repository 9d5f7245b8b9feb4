// The last failed requests of this process, bounded by number and by characters; the oldest are evicted. Requests that
// never reached a provider have a smaller bound of their own, so that one caller's invalid requests do not evict the
// records of provider errors.

import type {
  FailedAttempt,
  RequestRecord,
  RequestRecords,
} from '../../upstream/request-records.ts';

export type RecordBounds = {
  readonly records: number;
  readonly characters: number;
  readonly attemptsPerRecord: number;
};

const DEFAULTS: RecordBounds = { records: 1000, characters: 4_000_000, attemptsPerRecord: 16 };
const SHARE_WITHOUT_ATTEMPT = 4;

export function createMemoryRequestRecords(bounds: Partial<RecordBounds> = {}): RequestRecords {
  const { records, characters, attemptsPerRecord } = { ...DEFAULTS, ...bounds };
  const attempted = createRecordCache(records, characters);
  const refused = createRecordCache(Math.ceil(records / SHARE_WITHOUT_ATTEMPT), characters);

  return {
    failed(owner, attempt) {
      const known = attempted.get(owner.id);
      const attempts = known?.attempts ?? [];
      const number = (attempts.at(-1)?.number ?? 0) + 1;
      const kept = [...attempts, { ...attempt, number }].slice(-attemptsPerRecord);
      attempted.put({ ...known, ...owner, attempts: kept });
    },
    answered(owner, error, reason) {
      const { diagnostics: _never, ...kept } = error;
      const known = attempted.get(owner.id);
      if (known) attempted.put({ ...known, error: kept });
      else refused.put({ ...owner, attempts: [], reason, error: kept });
    },
    cut(owner, partial) {
      attempted.put({ attempts: [], ...attempted.get(owner.id), ...owner, partial });
    },
    find: async (id) => attempted.get(id) ?? attempted.getByAttempt(id) ?? refused.get(id),
    flush: () => Promise.resolve(),
  };
}

type RecordCache = {
  put(record: RequestRecord): void;
  get(id: string): RequestRecord | undefined;
  getByAttempt(id: string): RequestRecord | undefined;
};

/** A Map iterates in insertion order, so its first entry is the oldest. */
function createRecordCache(maxRecords: number, maxCharacters: number): RecordCache {
  const byId = new Map<string, RequestRecord>();
  const idOfAttempt = new Map<string, string>();
  let characters = 0;

  function remove(id: string): void {
    const record = byId.get(id);
    if (!record) return;
    byId.delete(id);
    characters -= sizeOf(record);
    for (const attempt of record.attempts) idOfAttempt.delete(attempt.id);
  }

  return {
    put(record) {
      remove(record.id);
      byId.set(record.id, record);
      characters += sizeOf(record);
      for (const attempt of record.attempts) idOfAttempt.set(attempt.id, record.id);
      for (const id of byId.keys()) {
        if (byId.size <= maxRecords && characters <= maxCharacters) return;
        remove(id);
      }
    },
    get: (id) => byId.get(id),
    getByAttempt: (id) => byId.get(idOfAttempt.get(id) ?? ''),
  };
}

/** The estimated size of a record's or an attempt's short fields; long texts are added. */
const FIXED_CHARACTERS = 500;

function sizeOf({ attempts, reason = '', partial }: RequestRecord): number {
  const texts = reason.length + (partial?.text.length ?? 0);
  return attempts.reduce((sum, attempt) => sum + attemptSize(attempt), FIXED_CHARACTERS) + texts;
}

function attemptSize({ raw, reason }: FailedAttempt): number {
  const headers = Object.entries(raw?.headers ?? {});
  const named = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return FIXED_CHARACTERS + reason.length + named + (raw?.body?.length ?? 0);
}
