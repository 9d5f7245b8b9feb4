// The body of a response that is read whole: a unary answer or a refusal. An answer is bounded by itself, and the large
// answers of all calls together share a bound.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { BytePieces } from '../byte-pieces.ts';
import type { UpstreamHeaders } from '../upstream.ts';
import { beginPieces, tooManyAnswers, UNCOUNTED_BYTES } from './answer-bytes.ts';
import type { AttemptParts } from './attempt-call.ts';
import { lost } from './attempt-failure.ts';

export class CollectedBody {
  readonly #parts: Pick<AttemptParts, 'maxAnswerBytes' | 'answerBytes'>;
  #only: Buffer | undefined;
  #pieces: BytePieces | undefined;
  #size = 0;
  #countedBytes = 0;

  constructor(parts: Pick<AttemptParts, 'maxAnswerBytes' | 'answerBytes'>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer, headers: UpstreamHeaders): void {
    if (this.#size === 0) this.#only = chunk;
    else (this.#pieces ??= beginPieces(this.joined(), headers, this.#parts)).add(chunk);
    this.#size += chunk.length;
  }

  /** Returns the failure of an answer that exceeds a bound. */
  addAnswer(chunk: Buffer, headers: UpstreamHeaders): SpillwayError | undefined {
    this.add(chunk, headers);
    const { maxAnswerBytes, answerBytes } = this.#parts;
    if (this.#size > maxAnswerBytes) return lost('the answer is too large');
    if (this.#size <= UNCOUNTED_BYTES || !answerBytes) return undefined;
    if (!answerBytes.take(chunk.length)) return tooManyAnswers();
    this.#countedBytes += chunk.length;
    return undefined;
  }

  joined(): Buffer {
    return this.#pieces?.joined() ?? this.#only ?? Buffer.alloc(0);
  }

  /** Leaves its part of the shared bound. */
  release(): void {
    if (this.#countedBytes > 0) this.#parts.answerBytes?.giveBack(this.#countedBytes);
    this.#countedBytes = 0;
  }
}
