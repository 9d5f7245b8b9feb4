// Long texts of a statement's rows, as one value that the server takes apart by `string_to_array`: within JSON each would be
// escaped here and unescaped there, character by character, which costs more than writing it. A row names its text by its
// number, from 1.
//
// What stands between the texts is chosen so that none of them has it in it. Because it begins and ends with characters
// that are not within it, it cannot come about where a text and the next one meet either.

export class LongTexts {
  readonly #texts: string[] = [];

  /** The number by which a row names it. */
  add(text: string): number {
    return this.#texts.push(text);
  }

  /** All of them, each followed by the separator, and the separator. */
  values(): readonly [string, string] {
    const separator = this.#separator();
    return [this.#texts.map((text) => text + separator).join(''), separator];
  }

  #separator(): string {
    for (let tries = 0; ; tries += 1) {
      const separator = `\u001e${tries}\u001f`;
      if (!this.#texts.some((text) => text.includes(separator))) return separator;
    }
  }
}
