// The simulator's token count: four UTF-8 bytes are one token, rounded up; an image or file is 256 tokens. No
// provider counts like this; a test can recompute every number.

export const BYTES_PER_TOKEN = 4;
const TOKENS_PER_ATTACHMENT = 256;

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export function tokensOfText(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

/** The longest prefix of `text` that costs at most `maxTokens`. */
export function capToTokens(text: string, maxTokens: number): string {
  return capToBytes(text, Math.max(0, maxTokens) * BYTES_PER_TOKEN);
}

/** The longest prefix of `text` of at most `maxBytes`, without splitting a character. */
export function capToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

/** Accumulates the input of a request while its reader walks over it. */
export class InputMeter {
  #bytes = 0;
  #attachments = 0;

  text(text: string | undefined): void {
    if (text) this.#bytes += Buffer.byteLength(text);
  }

  json(value: unknown): void {
    if (value !== undefined) this.#bytes += Buffer.byteLength(JSON.stringify(value) ?? '');
  }

  attachment(): void {
    this.#attachments += 1;
  }

  get tokens(): number {
    return tokensOfBytes(this.#bytes) + this.#attachments * TOKENS_PER_ATTACHMENT;
  }
}
