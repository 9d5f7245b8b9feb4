// What is known of the room that is left below providers' limits, learnt from healthy answers here and on other
// servers. Answers come by the thousand, so an answer without such headers costs a few lookups, and of those with them
// one in a tenth of a second is read for each place. While the others cannot be reached, it is what this server sees.

import type { Clock } from '../kernel/clock.ts';
import type { HeadroomExchange, HeadroomNews, HeadroomPlace } from './headroom-exchange.ts';
import {
  type AnswerHeaders,
  type HeadroomGauges,
  readHeadroom,
  saysHeadroom,
} from './headroom-headers.ts';
import { HeadroomPace } from './headroom-pace.ts';

export type HeadroomView = HeadroomPlace & {
  readonly gauges: HeadroomGauges;
  /** The smallest part of a limit that is left, from 0 to 1. */
  readonly remainingPart: number;
  readonly readAt: number;
  /** When it will be used up at the present pace, if it will be before it is reset. */
  readonly exhaustedAt: number | undefined;
};

export type Headroom = {
  /** Of an answer that went well. */
  learn(place: HeadroomPlace, headers: AnswerHeaders): void;
  /** How long a call waits for its turn, so that what remains lasts until the reset; nearly always 0. */
  slowDownMs(place: HeadroomPlace, tokens: number): number;
  /** Everything known of a provider in a region, the scarcest first. */
  headroomOf(provider: string, region: string): readonly HeadroomView[];
  list(): readonly HeadroomView[];
  close(): Promise<void>;
};

export type HeadroomParts = { readonly clock: Clock; readonly exchange: HeadroomExchange };

const READ_EVERY_MS = 100;
/** Callers choose model names; those past this many are not kept. */
const MAX_PLACES = 500;
/** What nobody has heard of for so long says nothing any more. */
const FORGOTTEN_MS = 3_600_000;

/** Resolves when what other servers know is known here, or when they cannot be reached. */
export async function openHeadroom({ clock, exchange }: HeadroomParts): Promise<Headroom> {
  const book = new HeadroomBook(clock, exchange);
  await exchange.listen((news) => void book.hear(news));
  return book;
}

type Page = { readonly place: HeadroomPlace; readonly pace: HeadroomPace; readAtMs: number };

class HeadroomBook implements Headroom {
  readonly #clock: Clock;
  readonly #exchange: HeadroomExchange;
  readonly #pages = new Map<string, Page>();

  constructor(clock: Clock, exchange: HeadroomExchange) {
    this.#clock = clock;
    this.#exchange = exchange;
  }

  learn(place: HeadroomPlace, headers: AnswerHeaders): void {
    if (!saysHeadroom(headers)) return;
    const nowMs = this.#clock.monotonic();
    const known = this.#pages.get(keyOf(place));
    if (known && nowMs - known.readAtMs < READ_EVERY_MS) return;
    const readAt = this.#clock.now();
    const gauges = readHeadroom(headers, readAt);
    if (!gauges) return;
    const { provider, account, region, model } = place;
    const news = { place: { provider, account, region, model }, gauges, readAt };
    if (this.hear(news)) this.#exchange.tell(news);
  }

  /** Whether it is news: not older than what is known, and of a place that is kept. */
  hear({ place, gauges, readAt }: HeadroomNews): boolean {
    const page = this.#pageOf(place);
    if (!page || readAt < page.pace.readAt) return false;
    page.readAtMs = this.#clock.monotonic();
    page.pace.take(gauges, readAt);
    return true;
  }

  slowDownMs(place: HeadroomPlace, tokens: number): number {
    // Most providers say nothing of it, and then no key need be built.
    if (this.#pages.size === 0) return 0;
    return this.#pages.get(keyOf(place))?.pace.slowDownMs(tokens, this.#clock.now()) ?? 0;
  }

  headroomOf(provider: string, region: string): readonly HeadroomView[] {
    return this.list()
      .filter((view) => view.provider === provider && view.region === region)
      .toSorted((one, other) => one.remainingPart - other.remainingPart);
  }

  list(): readonly HeadroomView[] {
    const now = this.#clock.now();
    return [...this.#pages.values()]
      .filter(({ pace }) => now - pace.readAt < FORGOTTEN_MS)
      .map(({ place, pace }) => ({
        ...place,
        gauges: pace.gauges,
        remainingPart: pace.remainingPart(now),
        readAt: pace.readAt,
        exhaustedAt: pace.exhaustedAt(),
      }));
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  #pageOf(place: HeadroomPlace): Page | undefined {
    const key = keyOf(place);
    const known = this.#pages.get(key);
    if (known) return known;
    if (this.#pages.size >= MAX_PLACES) this.#forgetOld();
    if (this.#pages.size >= MAX_PLACES) return undefined;
    const made = { place, pace: new HeadroomPace(), readAtMs: Number.NEGATIVE_INFINITY };
    this.#pages.set(key, made);
    return made;
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [key, { pace }] of this.#pages)
      if (now - pace.readAt >= FORGOTTEN_MS) this.#pages.delete(key);
  }
}

function keyOf({ provider, account, region, model }: HeadroomPlace): string {
  return `${provider} ${account} ${region} ${model}`;
}
