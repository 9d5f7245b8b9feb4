// Gemini's function calls may lack ids: they get one from their position, and a response is matched to the first open call
// of its id, or of its name. The time is constant per call, whatever a caller sends.

export class CallIds {
  readonly #callsByName = new Map<string, string[]>();
  /** The number of answered calls by name. */
  readonly #taken = new Map<string, number>();
  #count = 0;

  add(name: string, given: string | undefined): string {
    const id = given ?? `call_${this.#count}`;
    this.#count += 1;
    const calls = this.#callsByName.get(name);
    if (calls) calls.push(id);
    else this.#callsByName.set(name, [id]);
    return id;
  }

  take(name: string, given: string | undefined): string {
    if (given !== undefined) return given;
    const at = this.#taken.get(name) ?? 0;
    this.#taken.set(name, at + 1);
    return this.#callsByName.get(name)?.[at] ?? `call_${name}`;
  }
}
