export { MaruClient, withReaction } from './client.js';
export { MaruError } from './errors.js';
export { isThreadOnly, mentions, preview, roomOf, roomPath } from './rooms.js';
export { BrowserStorage, MemoryStorage, openStorage } from './storage.js';
