// How many things are worked on at once, where the end of each needs no place: so many have one, and so many more may be
// in hand that have left theirs. Only counts; who may begin next is the owner's affair.

export type WorkingPlace = {
  /** What the place was for is done. Idempotent. */
  leave(): void;
  /** It is in hand no more. Idempotent. */
  end(): void;
};

export class WorkingPlaces {
  readonly #places: number;
  readonly #mostInHand: number;
  #taken = 0;
  #inHand = 0;

  constructor(places: number, mostFinishing: number) {
    this.#places = places;
    this.#mostInHand = places + mostFinishing;
  }

  /** How many may begin now. */
  get free(): number {
    return Math.min(this.#places - this.#taken, this.#mostInHand - this.#inHand);
  }

  enter(): WorkingPlace {
    this.#taken += 1;
    this.#inHand += 1;
    let stands: 'working' | 'finishing' | 'ended' = 'working';
    return {
      leave: () => {
        if (stands !== 'working') return;
        stands = 'finishing';
        this.#taken -= 1;
      },
      end: () => {
        if (stands === 'ended') return;
        if (stands === 'working') this.#taken -= 1;
        stands = 'ended';
        this.#inHand -= 1;
      },
    };
  }
}
