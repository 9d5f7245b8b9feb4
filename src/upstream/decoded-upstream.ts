// An `Upstream` that decodes compressed responses. Requests ask for uncompressed ones, and some providers and proxies compress
// nevertheless. The decoder emits pieces and waits while the listener is paused, so that a response that expands a thousandfold
// uses no more memory than the listener accepts. A response that cannot be decoded fails with `UndecodableAnswer`; a
// failure status with an unknown coding is delivered as it is, because its status is enough.

import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import type { Upstream, UpstreamCall, UpstreamHeaders, UpstreamListener } from './upstream.ts';

export class UndecodableAnswer extends Error {}

export function createDecodedUpstream(upstream: Upstream): Upstream {
  return {
    send(request, listener) {
      const call = new DecodedCall(listener);
      call.begun(upstream.send(request, call));
      return call;
    },
    close: () => upstream.close(),
  };
}

type Decoder = Transform;

/** RFC 9659 bounds the window of the HTTP coding to 8 MiB. */
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const DECODERS: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress(ZSTD_WINDOW)],
]);

class DecodedCall implements UpstreamCall, UpstreamListener {
  readonly #listener: UpstreamListener;
  #call: UpstreamCall | undefined;
  #decoder: Decoder | undefined;
  #isEnded = false;

  constructor(listener: UpstreamListener) {
    this.#listener = listener;
  }

  begun(call: UpstreamCall): void {
    this.#call = call;
  }

  abort(reason: Error): void {
    this.#call?.abort(reason);
    // The response may have arrived while it is still being decoded.
    this.onFailure(reason);
  }

  pause(): void {
    (this.#decoder ?? this.#call)?.pause();
  }

  resume(): void {
    (this.#decoder ?? this.#call)?.resume();
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    const coding = codingOf(headers);
    const openDecoder = coding === undefined ? undefined : DECODERS.get(coding);
    if (coding === undefined || (!openDecoder && status >= 300))
      return this.#listener.onHead(status, headers);
    this.#listener.onHead(status, withoutCoding(headers));
    if (this.#isEnded) return;
    if (openDecoder) this.#decoder = this.#listenTo(openDecoder());
    else this.abort(new UndecodableAnswer('the content coding of the answer is unknown'));
  }

  onData(chunk: Buffer): void {
    if (!this.#decoder) return this.#listener.onData(chunk);
    if (!this.#isEnded && !this.#decoder.write(chunk)) this.#call?.pause();
  }

  onEnd(): void {
    if (this.#decoder) this.#decoder.end();
    else this.#end();
  }

  onFailure(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#decoder?.destroy();
    this.#listener.onFailure(error);
  }

  #listenTo(decoder: Decoder): Decoder {
    return decoder
      .on('data', (chunk: Buffer) => {
        if (!this.#isEnded) this.#listener.onData(chunk);
      })
      .on('drain', () => this.#call?.resume())
      .on('end', () => this.#end())
      .on('error', (cause) =>
        this.abort(
          new UndecodableAnswer('the answer does not match its content coding', { cause }),
        ),
      );
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#listener.onEnd();
  }
}

function codingOf(headers: UpstreamHeaders): string | undefined {
  const coding = [headers['content-encoding'] ?? ''].flat().join(',').trim().toLowerCase();
  return coding === '' || coding === 'identity' ? undefined : coding;
}

/** The length is that of the encoded bytes. */
function withoutCoding(headers: UpstreamHeaders): UpstreamHeaders {
  const { 'content-encoding': _coding, 'content-length': _length, ...decoded } = headers;
  return decoded;
}
