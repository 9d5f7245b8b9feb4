// Chooses a value of a schema that describes each value by words, as in `value: word, word; value: word`: the value
// with the most words in the prompt. It lets the simulator answer a question about categories sensibly.

export type Choice = { readonly value: unknown };

/**
 * Undefined if the schema does not describe its values this way. A choice without a value means that the prompt has
 * none of the words.
 */
export function chooseDescribed(
  values: readonly unknown[],
  description: string | undefined,
  prompt: string,
): Choice | undefined {
  if (description === undefined || values.length === 0) return undefined;
  const described = wordsByValue(description);
  if (!values.every((value) => described.has(value))) return undefined;
  const promptText = ` ${plain(prompt)} `;
  let best: { readonly value: unknown; readonly count: number } | undefined;
  for (const value of values) {
    const words = described.get(value) ?? [];
    const count = words.filter(
      (word) => promptText.includes(` ${word} `) || promptText.includes(` ${word}s `),
    );
    if (count.length > (best?.count ?? 0)) best = { value, count: count.length };
  }
  return { value: best?.value };
}

function wordsByValue(description: string): ReadonlyMap<unknown, readonly string[]> {
  return new Map(
    description.split(';').map((entry) => {
      const [value = '', words = ''] = entry.split(':', 2);
      return [value.trim(), words.split(',').map(plain).filter(Boolean)];
    }),
  );
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
