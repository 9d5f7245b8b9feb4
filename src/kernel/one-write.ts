/** What libuv writes from its stack, without an allocation: up to here bytes go out as one text in one plain write. */
export const ONE_WRITE_BYTES = 12 * 1024;
