import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { AnswerParser } from './answer-parser.ts';
import { MalformedAnswer } from './malformed-answer.ts';

type Told = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Whether the answer came to its end, and nothing behind it. */
  readonly end: 'clean' | 'followed' | 'none';
};

suite('an answer', () => {
  test('has a status, fields in lower case and a body of the length it says', () => {
    const [told] = read(
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello',
    );
    assert.equal(told?.status, 200);
    assert.deepEqual({ ...told?.headers }, { 'content-type': 'text/plain', 'content-length': '5' });
    assert.deepEqual([told?.body, told?.end], ['hello', 'clean']);
  });

  test('may come in chunks with extensions and trailers, which are passed over', () => {
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

  test('that must have no body has none, whatever length it says', () => {
    for (const status of [204, 304]) {
      const told = read(`HTTP/1.1 ${status} No\r\ncontent-length: 7\r\n\r\n`);
      assert.deepEqual(endings(told), [['', 'clean']]);
    }
  });

  test('is told without the interim answers before it', () => {
    const text =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    assert.deepEqual(
      read(text).map(({ status, body }) => [status, body]),
      [[200, 'ok']],
    );
  });

  test('followed by bytes that nobody asked for says so, and they are no answer', () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    assert.deepEqual(endings(read(text + text)), [['ok', 'followed']]);
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';
    assert.deepEqual(endings(read(`${chunked}x`)), [['', 'followed']]);
    assert.deepEqual(endings(read('HTTP/1.1 204 No\r\n\r\nx')), [['', 'followed']]);
  });

  test('cut off has no end', () => {
    assert.deepEqual(endings(read('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')), [
      ['half', 'none'],
    ]);
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf';
    assert.deepEqual(endings(read(chunked)), [['half', 'none']]);
    assert.deepEqual(read('HTTP/1.1 200 OK\r\ncontent-le'), []);
  });

  test('gives a field that comes twice as a list, and means nothing by its name', () => {
    const text =
      'HTTP/1.1 200 OK\r\nx: 1\r\nX: 2\r\n__proto__: 3\r\nconstructor: 4\r\ncontent-length: 0\r\n\r\n';
    const [told] = read(text);
    assert.deepEqual(told?.headers['x'], ['1', '2']);
    assert.equal(told?.headers['__proto__'], '3');
    assert.equal(told?.headers['constructor'], '4');
    assert.equal(told?.headers['toString'], undefined);
  });
});

suite('what is no answer is refused', () => {
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
    test(JSON.stringify(text), () => assert.throws(() => read(text), MalformedAnswer));
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
        MalformedAnswer,
      ));
  }

  test('a head without end', () => {
    const endless = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`;
    assert.throws(() => read(endless), MalformedAnswer);
    assert.throws(() => read(`${endless}\r\n\r\n`), MalformedAnswer);
  });
});

test('an answer is the same however its bytes are cut', () => {
  fc.assert(
    fc.property(anyAnswer(), fc.array(fc.nat(), { maxLength: 12 }), ({ text }, cuts) => {
      assert.deepEqual(read(text, cuts), read(text));
    }),
  );
});

test('what was put together comes out again', () => {
  fc.assert(
    fc.property(
      anyAnswer(),
      fc.array(fc.nat(), { maxLength: 6 }),
      ({ text, status, body }, cuts) => {
        const [told] = read(text, cuts);
        assert.deepEqual([told?.status, told?.body, told?.end], [status, body, 'clean']);
      },
    ),
  );
});

test('whatever comes, it is an answer, a part of one, or refused; and nothing after its end is told', () => {
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
        if (!(error instanceof MalformedAnswer)) throw error;
      }
    }),
  );
});

function anyAnswer() {
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

/** Gives the bytes cut at those places, then ends the connection; one answer at most is asked for. */
function read(text: string, cuts: readonly number[] = []): Told[] {
  const bytes = Buffer.from(text, 'latin1');
  const answers: Told[] = [];
  const change = (part: (last: Told) => Partial<Told>): void => {
    const last = answers.pop();
    if (last) answers.push({ ...last, ...part(last) });
  };
  let isOver = false;
  const parser = new AnswerParser({
    onHead: ({ status, headers }) => void answers.push({ status, headers, body: '', end: 'none' }),
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
  return answers;
}

function endings(answers: readonly Told[]): readonly (readonly [string, string])[] {
  return answers.map(({ body, end }) => [body, end]);
}
