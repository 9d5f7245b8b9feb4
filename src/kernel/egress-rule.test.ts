import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEgressRule, isPublicAddress } from './egress-rule.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.0',
  '100.128.0.1',
];
const PUBLIC_6 = ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888'];

const NOT_PUBLIC: Record<string, readonly string[]> = {
  'this machine': ['127.0.0.1', '127.255.255.254', '0.0.0.0', '::1', '::'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'metadata of clouds': [
    '169.254.169.254',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ],
  'this link': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  'shared by carriers': ['100.64.0.1', '100.127.255.255'],
  'multicast and reserved': ['224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  'documentation and benchmarks': [
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '198.18.0.1',
    '2001:db8::1',
    '3fff::1',
  ],
  'IPv4 mapped into IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::ffff:8.8.8.8',
  ],
  'IPv4 compatible': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::1'],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2001::1', '2001:0:4136:e378::1'],
  'discarded and unassigned': ['100::1', '4000::1', 'e000::1'],
  'no address at all': ['', 'localhost', 'example.com', '1.2.3', '::g', '127.1', '0x7f.0.0.1'],
};

test('public addresses are allowed', () => {
  for (const address of [...PUBLIC, ...PUBLIC_6])
    assert.equal(isPublicAddress(address), true, address);
});

for (const [kind, addresses] of Object.entries(NOT_PUBLIC))
  test(`addresses of kind "${kind}" are refused`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
  });

test('an IPv4 address embedded in an IPv6 address is refused', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::'), (address, prefix) => {
      assert.equal(isPublicAddress(prefix + address), false);
    }),
  );
});

test('a host that is a non-public address or names this machine is refused before DNS', () => {
  const rule = createEgressRule([]);
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '10.0.0.1',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '',
  ])
    assert.equal(rule.refusesHost(host), true, host);
  for (const host of ['example.com', '8.8.8.8', '[2606:4700:4700::1111]', 'localhost.example.com'])
    assert.equal(rule.refusesHost(host), false, host);
});

test('a host that the operator allows is accepted in every spelling', () => {
  const rule = createEgressRule(['Hooks.Internal', '10.0.0.1', '::1']);
  for (const host of ['hooks.internal', 'HOOKS.internal.', '10.0.0.1', '[::1]']) {
    assert.equal(rule.isNamed(host), true, host);
    assert.equal(rule.refusesHost(host), false, host);
  }
  for (const host of ['x.hooks.internal', '10.0.0.2'])
    assert.equal(rule.isNamed(host), false, host);
});
