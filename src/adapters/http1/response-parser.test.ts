import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { MalformedResponse } from './malformed-response.ts';
import { ResponseParser } from './response-parser.ts';

type ReadResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Whether the response ended, and whether bytes follow it. */
  readonly end: 'clean' | 'followed' | 'none';
};

suite('a response', () => {
  test('has a status, fields in lower case and a body of the stated length', () => {
    const [response] = read(
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello',
    );
    assert.equal(response?.status, 200);
    assert.deepEqual(
      { ...response?.headers },
      { 'content-type': 'text/plain', 'content-length': '5' },
    );
    assert.deepEqual([response?.body, response?.end], ['hello', 'clean']);
  });

  test('may be chunked, with extensions and trailers that are skipped', () => {
    const text = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a="b"\r\nhello\r\n1 \r\n!\r\n0\r\nx: y\r\n\r\n`;
    assert.deepEqual(endings(read(text)), [['hello!', 'clean']]);
    const padded = text.replace('5;', `${'0'.repeat(30)}5;`).replace('\r\n0\r\n', '\r\n0000\r\n');
    assert.deepEqual(endings(read(padded)), [['hello!', 'clean']]);
  });

  test('without a length ends with the connection', () => {
    assert.deepEqual(endings(read('HTTP/1.1 200\r\n\r\nall of it')), [['all of it', 'clean']]);
    assert.deepEqual(endings(read('HTTP/1.0 200 OK\r\n\r\n')), [['', 'clean']]);
    const coded = 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nxyz';
    assert.deepEqual(endings(read(coded)), [['xyz', 'clean']]);
  });

  test('with status 204 or 304 has no body, whatever length it states', () => {
    for (const status of [204, 304]) {
      const response = read(`HTTP/1.1 ${status} No\r\ncontent-length: 7\r\n\r\n`);
      assert.deepEqual(endings(response), [['', 'clean']]);
    }
  });

  test('is reported without its interim responses', () => {
    const text =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    assert.deepEqual(
      read(text).map(({ status, body }) => [status, body]),
      [[200, 'ok']],
    );
  });

  test('is malformed after more than a hundred interim responses', () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
    const response = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    assert.equal(read(interim.repeat(100) + response).length, 1);
    assert.throws(() => read(interim.repeat(101) + response), MalformedResponse);
  });

  test('reports unsolicited bytes after it, which are not a response', () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    assert.deepEqual(endings(read(text + text)), [['ok', 'followed']]);
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';
    assert.deepEqual(endings(read(`${chunked}x`)), [['', 'followed']]);
    assert.deepEqual(endings(read('HTTP/1.1 204 No\r\n\r\nx')), [['', 'followed']]);
  });

  test('that is cut off has no end', () => {
    assert.deepEqual(endings(read('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')), [
      ['half', 'none'],
    ]);
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf';
    assert.deepEqual(endings(read(chunked)), [['half', 'none']]);
    assert.deepEqual(read('HTTP/1.1 200 OK\r\ncontent-le'), []);
  });

  test('gives a repeated field as a list, and treats __proto__ as a plain name', () => {
    const text =
      'HTTP/1.1 200 OK\r\nx: 1\r\nX: 2\r\n__proto__: 3\r\nconstructor: 4\r\ncontent-length: 0\r\n\r\n';
    const [response] = read(text);
    assert.deepEqual(response?.headers['x'], ['1', '2']);
    assert.equal(response?.headers['__proto__'], '3');
    assert.equal(response?.headers['constructor'], '4');
    assert.equal(response?.headers['toString'], undefined);
  });
});

suite('a malformed response is refused', () => {
  const HEADS = [
    'SSH-2.0-OpenSSH_9.6\r\n\r\n',
    '<html></html>\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 20x OK\r\n\r\n',
    'HTTP/1.1 099 OK\r\n\r\n',
    'HTTP/1.1 2e2 OK\r\n\r\n',
    'HTTP/1.1  20 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 0x10\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length : 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nx: 1\r\n folded\r\n\r\n',
    'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
    'HTTP/1.1 200 OK\r\n: no name\r\n\r\n',
    'HTTP/1.1 200 OK\ncontent-length: 1\r\n\r\n',
  ];
  for (const text of HEADS) {
    test(JSON.stringify(text), () => assert.throws(() => read(text), MalformedResponse));
  }

  const CHUNKS = [
    'x\r\n',
    '\r\n',
    '5\r\nhello!',
    '5\nhello',
    '0x5\r\n',
    '-1\r\n',
    '5;\n',
    '5\r\nhelloXX',
  ];
  for (const text of [...CHUNKS, `${'f'.repeat(14)}\r\n`]) {
    test(`in chunks: ${JSON.stringify(text)}`, () =>
      assert.throws(
        () => read(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${text}`),
        MalformedResponse,
      ));
  }

  test('an endless head', () => {
    const endless = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`;
    assert.throws(() => read(endless), MalformedResponse);
    assert.throws(() => read(`${endless}\r\n\r\n`), MalformedResponse);
  });
});

test('a response parses the same from any chunks', () => {
  fc.assert(
    fc.property(anyResponse(), fc.array(fc.nat(), { maxLength: 12 }), ({ text }, cuts) => {
      assert.deepEqual(read(text, cuts), read(text));
    }),
  );
});

test('a serialised response parses to its status and body', () => {
  fc.assert(
    fc.property(
      anyResponse(),
      fc.array(fc.nat(), { maxLength: 6 }),
      ({ text, status, body }, cuts) => {
        const [response] = read(text, cuts);
        assert.deepEqual(
          [response?.status, response?.body, response?.end],
          [status, body, 'clean'],
        );
      },
    ),
  );
});

test('arbitrary input is at most one response, or refused', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      '\r\n',
      'content-length: 3\r\n',
      'abc',
      '3\r\nabc\r\n',
      '0\r\n\r\n',
    ),
    fc.constantFrom(
      'transfer-encoding: chunked\r\n',
      'HTTP/1.1 100 \r\n\r\n',
      '\n',
      '\r',
      ':',
      ' ',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat()), (pieces, cuts) => {
      try {
        assert.ok(read(pieces.join(''), cuts).length <= 1);
      } catch (error) {
        if (!(error instanceof MalformedResponse)) throw error;
      }
    }),
  );
});

function anyResponse() {
  const chunks = fc.array(fc.string({ unit: 'binary-ascii', minLength: 1 }), { maxLength: 5 });
  return fc
    .record({ status: fc.constantFrom(200, 404, 529), chunks, isChunked: fc.boolean() })
    .map(({ status, chunks: parts, isChunked }) => {
      const body = parts.join('');
      const framed = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
      const rest = isChunked
        ? `Transfer-Encoding: chunked\r\n\r\n${framed}0\r\n\r\n`
        : `Content-Length: ${body.length}\r\n\r\n${body}`;
      return { status, body, text: `HTTP/1.1 ${status} Words of it\r\nx-a: b\r\n${rest}` };
    });
}

/** Parses the bytes in chunks cut at `cuts`, then ends the connection; at most one response is expected. */
function read(text: string, cuts: readonly number[] = []): ReadResponse[] {
  const bytes = Buffer.from(text, 'latin1');
  const responses: ReadResponse[] = [];
  const change = (part: (last: ReadResponse) => Partial<ReadResponse>): void => {
    const last = responses.pop();
    if (last) responses.push({ ...last, ...part(last) });
  };
  let isOver = false;
  const parser = new ResponseParser({
    onHead: ({ status, headers }) =>
      void responses.push({ status, headers, body: '', end: 'none' }),
    onData: (chunk) => change(({ body }) => ({ body: body + chunk.toString('latin1') })),
    onEnd(isClean) {
      isOver = true;
      change(() => ({ end: isClean ? 'clean' : 'followed' }));
    },
  });
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  let at = 0;
  for (const place of [...places, bytes.length]) {
    if (isOver && place > at) change(() => ({ end: 'followed' }));
    else if (place > at) parser.take(bytes.subarray(at, place));
    at = place;
  }
  if (!isOver) parser.finish();
  return responses;
}

function endings(responses: readonly ReadResponse[]): readonly (readonly [string, string])[] {
  return responses.map(({ body, end }) => [body, end]);
}
