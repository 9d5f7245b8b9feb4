// The last failed requests of this process. Bounded twice, by number and by characters: the oldest are forgotten.
// Requests that never reached a provider have a smaller place of their own, so that one caller's stream of
// mistakes does not push out what providers said.

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
  const attempted = createShelf(records, characters);
  const refused = createShelf(Math.ceil(records / SHARE_WITHOUT_ATTEMPT), characters);

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
    find: (id) => attempted.get(id) ?? attempted.getByAttempt(id) ?? refused.get(id),
  };
}

type Shelf = {
  put(record: RequestRecord): void;
  get(id: string): RequestRecord | undefined;
  getByAttempt(id: string): RequestRecord | undefined;
};

/** A map keeps the order in which its entries came, so its first one is the oldest. */
function createShelf(mostRecords: number, mostCharacters: number): Shelf {
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
        if (byId.size <= mostRecords && characters <= mostCharacters) return;
        remove(id);
      }
    },
    get: (id) => byId.get(id),
    getByAttempt: (id) => byId.get(idOfAttempt.get(id) ?? ''),
  };
}

/** What a record of short fields takes, and the texts that are not short. */
const FIXED_CHARACTERS = 500;

function sizeOf({ attempts, reason = '' }: RequestRecord): number {
  return (
    attempts.reduce((sum, attempt) => sum + attemptSize(attempt), FIXED_CHARACTERS) + reason.length
  );
}

function attemptSize({ raw, reason }: FailedAttempt): number {
  const headers = Object.entries(raw?.headers ?? {});
  const named = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return FIXED_CHARACTERS + reason.length + named + (raw?.body?.length ?? 0);
}
