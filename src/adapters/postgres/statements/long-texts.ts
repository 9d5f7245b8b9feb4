// The long texts of a statement's rows, joined into one value that PostgreSQL splits with `string_to_array`. JSON would
// escape and unescape every character, which costs more than storing the text. A row refers to its text by position,
// from 1.
//
// The separator is chosen so that no text contains it. Its first and last characters occur nowhere else in it, so the end
// of one text and the start of the next cannot form it either.

export class LongTexts {
  readonly #texts: string[] = [];

  /** Returns the position by which a row refers to the text. */
  add(text: string): number {
    return this.#texts.push(text);
  }

  /** The texts, each followed by the separator; and the separator. */
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
