/** Packets of Engine.IO 4 and Socket.IO 5 as text. Binary packets are not used under `/me`. */

const SEPARATOR = '\x1e';

export const engine = { open: '0', close: '1', ping: '2', pong: '3', message: '4', upgrade: '5', noop: '6' };

/** Splits the body of a poll into packets `{type, data}`. */
export function decodePayload(text) {
    return text.split(SEPARATOR).filter(Boolean).map(decodeEngine);
}

export const encodePayload = (packets) => packets.join(SEPARATOR);

export const decodeEngine = (text) => ({ type: text[0], data: text.slice(1) });

export const socketTypes = { connect: 0, disconnect: 1, event: 2, ack: 3, connectError: 4 };

/**
 * Writes a Socket.IO packet.
 * @param {{type: number, namespace?: string, id?: number, data?: any}} packet
 */
export function encodeSocket({ type, namespace = '/', id, data }) {
    const place = namespace === '/' ? '' : `${namespace},`;
    return `${type}${place}${id ?? ''}${data === undefined ? '' : JSON.stringify(data)}`;
}

/** Reads a Socket.IO packet; null if the text is not a packet. */
export function decodeSocket(text) {
    const match = /^([0-4])(?:(\/[^,]*),?)?(\d+)?(.*)$/s.exec(text);
    if (!match) return null;
    const [, type, namespace = '/', id, rest] = match;
    try {
        return {
            type: Number(type),
            namespace,
            id: id === undefined ? undefined : Number(id),
            data: rest ? JSON.parse(rest) : undefined,
        };
    } catch {
        return null;
    }
}
