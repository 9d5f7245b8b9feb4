// The bound of a model's name. Callers choose names, and names become keys of caches and texts of log lines, so longer
// names are refused before any of these sees them.

export const MAX_MODEL_NAME_BYTES = 256;

export function isModelNameTooLong(name: string): boolean {
  // A character takes at least one byte, so a name with too many characters needs no byte count.
  return name.length > MAX_MODEL_NAME_BYTES || Buffer.byteLength(name) > MAX_MODEL_NAME_BYTES;
}
