// The bound of a model's name. Callers choose names, and names become keys of caches and texts of log lines, so a longer
// one is refused before any of them sees it.

export const MAX_MODEL_NAME_BYTES = 256;

export function isModelNameTooLong(name: string): boolean {
  // No character takes less than one byte, so most names are decided by their length.
  return name.length > MAX_MODEL_NAME_BYTES || Buffer.byteLength(name) > MAX_MODEL_NAME_BYTES;
}
