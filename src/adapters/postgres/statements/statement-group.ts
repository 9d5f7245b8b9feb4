// Group commit: what is asked for in one turn of the loop, and while a statement is under way, becomes one statement. Each
// ask is answered by itself. A group that the server refuses has written nothing, and then each is asked for alone, so
// that one that is wrong costs only itself. While the store is away all of a group reject, and nobody knows what it did.

import { isAboutStatement } from '../connection/store-away.ts';

export type GroupParts<Ask, Answer> = {
  /** One answer for each ask, in their order. */
  readonly runAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>;
  /** What a group may hold only one of; absent where asks cannot be in each other's way. */
  readonly keyOf?: (ask: Ask) => string;
  /** How many statements may be under way at once; one unless told. Those in each other's way never are. */
  readonly mostUnderWay?: number;
  /** How much of a statement it fills, in characters; absent where all asks are small. */
  readonly sizeOf?: (ask: Ask) => number;
};

type Waiting<Ask, Answer> = {
  readonly ask: Ask;
  readonly answer: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
};

const MAX_ASKS = 128;
/**
 * After a group of so many more will ask in a moment, and waiting for them saves both sides a statement. One who asks alone
 * never waits.
 */
const BUSY_FROM = 4;
const GATHER_MS = 2;
/** So many who wait are a statement of their own beside the one under way; fewer are cheaper in the next. */
const WORTH_ANOTHER = 12;
const MAX_CHARACTERS = 2 ** 22;

export function createStatementGroup<Ask, Answer>(
  parts: GroupParts<Ask, Answer>,
): (ask: Ask) => Promise<Answer> {
  const { mostUnderWay = 1 } = parts;
  let waiting: Waiting<Ask, Answer>[] = [];
  /** What is in statements that are under way, by its key. */
  const taken = new Set<string>();
  let underWay = 0;
  let isPlanned = false;
  let isBusy = false;

  /** At the end of the turn, so that all who ask in it share one statement. */
  function plan(): void {
    if (isPlanned || waiting.length === 0) return;
    if (underWay > 0 && (underWay >= mostUnderWay || waiting.length < WORTH_ANOTHER)) return;
    isPlanned = true;
    if (isBusy) setTimeout(begin, GATHER_MS);
    else setImmediate(begin);
  }

  function begin(): void {
    isPlanned = false;
    const group = nextGroup(parts, waiting, taken);
    if (group.length === 0) return;
    isBusy = group.length >= BUSY_FROM;
    const chosen = new Set(group);
    waiting = waiting.filter((each) => !chosen.has(each));
    void run(group);
    plan();
  }

  async function run(group: readonly Waiting<Ask, Answer>[]): Promise<void> {
    const keys = parts.keyOf ? group.map(({ ask }) => parts.keyOf?.(ask) ?? '') : [];
    underWay += 1;
    for (const key of keys) taken.add(key);
    await runGroup(parts, group);
    for (const key of keys) taken.delete(key);
    underWay -= 1;
    plan();
  }

  return (ask) => {
    const { promise, resolve: answer, reject } = Promise.withResolvers<Answer>();
    waiting.push({ ask, answer, reject });
    plan();
    return promise;
  };
}

/** Those that nothing under way and nothing before them is in the way of. */
function nextGroup<Ask, Answer>(
  { keyOf, sizeOf }: GroupParts<Ask, Answer>,
  waiting: readonly Waiting<Ask, Answer>[],
  taken: ReadonlySet<string>,
): readonly Waiting<Ask, Answer>[] {
  const keys = new Set<string>();
  const group: Waiting<Ask, Answer>[] = [];
  let characters = 0;
  for (const each of waiting) {
    const key = keyOf?.(each.ask) ?? '';
    if (keyOf && (keys.has(key) || taken.has(key))) continue;
    characters += sizeOf?.(each.ask) ?? 0;
    if (group.length >= MAX_ASKS || (group.length > 0 && characters > MAX_CHARACTERS)) break;
    keys.add(key);
    group.push(each);
  }
  return group;
}

/** Never rejects: whoever asked is told. */
async function runGroup<Ask, Answer>(
  { runAll }: GroupParts<Ask, Answer>,
  group: readonly Waiting<Ask, Answer>[],
): Promise<void> {
  try {
    tell(group, await runAll(group.map(({ ask }) => ask)));
  } catch (cause) {
    const isWorthAlone = group.length > 1 && isAboutStatement(cause);
    if (!isWorthAlone) return group.forEach(({ reject }) => reject(cause));
    await Promise.all(group.map((each) => runGroup({ runAll }, [each])));
  }
}

function tell<Ask, Answer>(
  group: readonly Waiting<Ask, Answer>[],
  answers: readonly Answer[],
): void {
  if (answers.length !== group.length) throw new Error('a group was not answered as a whole');
  for (const [place, answer] of answers.entries()) group[place]?.answer(answer);
}
