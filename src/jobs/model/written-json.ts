// JSON that is sent as it is stored. Parsing and writing the vectors of a thousand texts again would block the process for a
// fraction of a second.

export type WrittenJson = {
  /** Valid JSON. */
  readonly writtenJson: string;
  /** For writers that do not look for it: correct, and slow. */
  toJSON(): unknown;
};

/** Parsed JSON has no functions, so that no response of a provider looks like one. */
export function isWrittenJson(value: unknown): value is WrittenJson {
  return typeof value === 'object' && value !== null && 'writtenJson' in value && 'toJSON' in value
    ? typeof value.writtenJson === 'string' && typeof value.toJSON === 'function'
    : false;
}

/** The JSON of a value whose field `response` is written. */
export function writeWithResponse(value: object, { writtenJson }: WrittenJson): string {
  const others = JSON.stringify({ ...value, response: undefined });
  return `${others.slice(0, -1)}${others === '{}' ? '' : ','}"response":${writtenJson}}`;
}
