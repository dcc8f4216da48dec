export { MaruClient } from './client.js';
export { MaruError } from './errors.js';
export { isThreadOnly, mentions, plain, preview, roomOf, roomPath, withReaction } from './rooms.js';
export { BrowserStorage, MemoryStorage, openStorage } from './storage.js';
